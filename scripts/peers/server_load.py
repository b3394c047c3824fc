"""How many searches a second the server answers: with and without an ingest, and beside the same searches in process."""

import itertools
import json
import os
import pathlib
import resource
import shutil
import subprocess
import threading
import time
import urllib.parse

from server_common import API, MIB, Failed, Server, binary_of, lines, median, needs, run, send, tell, work_folder

# Each thread of wrk begins elsewhere in the list. Requests are written once, so that wrk has little to do.
SCRIPT = """
local threads = 0
function setup(thread)
  thread:set("begin", threads)
  threads = threads + 1
end
local requests, at = {}, 0
function init(args)
  for path in io.lines(args[1]) do requests[#requests + 1] = wrk.format("GET", path) end
  at = begin * math.floor(#requests / 2)
end
function request()
  at = at % #requests + 1
  return requests[at]
end
function done(summary, latency)
  local e = summary.errors
  io.write(string.format(
    'FIGURES {"requests":%d,"us":%d,"bytes":%d,"p50":%d,"p99":%d,"most":%d,"status":%d,"connect":%d,"read":%d,"write":%d,"timeout":%d}\\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99), latency.max,
    e.status, e.connect, e.read, e.write, e.timeout))
end
"""


# Seconds.
MINUTE = 60


def read_queries(path, most):
    """Queries out of plain lines or of JSON lines with a statement, a question or a query; no query twice."""
    found = {}
    for line in lines(path):
        text = line.decode().strip()
        if text.startswith("{"):
            row = json.loads(text)
            text = next((row[key] for key in ("statement", "question", "query", "statement_lemma") if row.get(key)), "")
        if text:
            found[" ".join(text.split())] = None
        if len(found) == most:
            break
    if not found:
        raise Failed(f"{path} has no queries")
    return list(found)


def pieces(path, size):
    """A set of tables in files of `size` lines, without end: from the second lap on, titles say which lap it is."""
    for lap in itertools.count(1):
        rows = lines(path)
        for number in itertools.count(1):
            part = list(itertools.islice(rows, size))
            if not part:
                break
            if lap > 1:
                part = [again(line, lap) for line in part]
            yield f"ingest-{lap}-{number:05}.jsonl", b"".join(part)
        if number == 1:
            raise Failed(f"{path} is empty")


def again(line, lap):
    row = json.loads(line)
    row["title"] = f"{row.get('title') or ''} (lap {lap})"
    return json.dumps(row, ensure_ascii=False).encode() + b"\n"


class Ingest(threading.Thread):
    """Uploads one file after the other, each when the one before has been read and indexed."""

    def __init__(self, server, files):
        super().__init__(daemon=True)
        self.server, self.files, self.over = server, files, threading.Event()
        self.uploaded = self.documents = self.rows = 0
        self.problems = []

    def run(self):
        for name, data in self.files:
            if self.over.is_set():
                return
            try:
                self.upload(name, data)
            except (OSError, ValueError, KeyError, Failed) as error:
                self.problems.append(f"{name}: {error!r}")
                self.over.wait(0.5)

    def upload(self, name, data):
        url = self.server.url
        reply = send(url, "POST", f"{API}/documents?name={urllib.parse.quote(name)}", data,
                     {"Content-Type": "application/octet-stream"})
        if reply.status != 202:
            raise Failed(f"{reply.status} {reply.data[:200].decode(errors='replace')}")
        task = json.loads(reply.data)["task"]
        while task["state"] in ("queued", "running"):
            if self.over.wait(0.2):
                return
            polled = send(url, "GET", f"{API}/tasks/{task['id']}")
            if polled.status != 200:
                raise Failed(f"its task: {polled.status} {polled.data[:200].decode(errors='replace')}")
            task = json.loads(polled.data)["task"]
        if task["state"] != "done":
            raise Failed(f"its task is {task['state']}: {task['error']}")
        self.uploaded += 1
        for document in task["result"]["documents"]:
            if document["status"] in ("added", "updated"):
                self.documents += 1
                self.rows += document["rows_indexed"]
            elif document["error"]:
                self.problems.append(f"{name}: {document['error']}")


class Memory(threading.Thread):
    """Looks at the memory of the server every second."""

    def __init__(self, server):
        super().__init__(daemon=True)
        self.server, self.over, self.seen = server, threading.Event(), [server.memory()]

    def run(self):
        while not self.over.wait(1.0):
            self.seen.append(self.server.memory())

    def figures(self):
        self.over.set()
        self.join()
        self.seen.append(self.server.memory())
        at = lambda where, which: round(self.seen[where][which] / MIB, 1)
        tenth = max(1, (len(self.seen) - 1) // 10)
        return {kind: {"start": at(0, which), "tenth": at(tenth, which), "end": at(-1, which),
                       "most": round(max(seen[which] for seen in self.seen) / MIB, 1)}
                for which, kind in enumerate(("resident_mib", "own_mib"))}


class Load:
    """A server, the requests it gets, and wrk."""

    def __init__(self, args, server, folder, queries):
        self.args, self.server = args, server
        self.wrk = needs("wrk", "wrk")
        self.script, self.paths = folder / "load.lua", folder / "paths.txt"
        self.script.write_text(SCRIPT)
        paths = [f"{API}/search?{urllib.parse.urlencode({'q': q, 'similarity': args.similarity, 'k': args.k})}" for q in queries]
        self.paths.write_text("\n".join(paths) + "\n")
        self.try_some(paths[:20])

    def try_some(self, paths):
        """A server that finds nothing is fast: say so before measuring it."""
        found = 0
        for path in paths:
            reply = self.server.send("GET", path)
            if reply.status != 200:
                raise Failed(f"GET {path}: {reply.status} {reply.data[:300].decode(errors='replace')}")
            found += bool(json.loads(reply.data)["hits"])
        if 2 * found < len(paths):
            raise Failed(f"only {found} of the first {len(paths)} queries find anything")

    def run(self, seconds, ingest=None):
        """One load after the other without a pause, a minute each: what a neighbour of this machine takes away falls on the
        minutes it was taken from."""
        memory = Memory(self.server)
        for thread in filter(None, (memory, ingest)):
            thread.start()
        minutes = [self.minute(min(MINUTE, seconds - begun)) for begun in range(0, seconds, MINUTE)]
        figures = together(minutes)
        if ingest:
            # What is finished when the load ends counts.
            figures["ingest"] = {"files": ingest.uploaded, "documents": ingest.documents, "rows": ingest.rows,
                                 "problems": list(ingest.problems)}
            ingest.over.set()
        figures["memory"] = memory.figures()
        if ingest:
            ingest.join(120)
        return figures

    def minute(self, seconds):
        args = self.args
        used = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        before, wrk_before, stolen_before = self.server.processor(), used(), stolen()
        done = subprocess.run([self.wrk, "-t", str(min(args.wrk_threads, args.connections)), "-c", str(args.connections),
                               "-d", f"{seconds}s", "--timeout", f"{args.timeout}s", "-s", str(self.script), self.server.url,
                               "--", str(self.paths)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = [line for line in done.stdout.splitlines() if line.startswith("FIGURES ")]
        if done.returncode or not said:
            raise Failed(f"wrk: exit code {done.returncode}: {done.stdout.strip()[-1000:]}")
        f = json.loads(said[0].removeprefix("FIGURES "))
        return {
            "seconds": f["us"] / 1e6,
            "requests": f["requests"],
            "bytes": f["bytes"],
            "errors": {"status": f["status"], "socket": f["connect"] + f["read"] + f["write"], "timeout": f["timeout"]},
            "p50_ms": f["p50"] / 1000, "p99_ms": f["p99"] / 1000, "most_ms": f["most"] / 1000,
            "processor_s": {"server": self.server.processor() - before, "wrk": used() - wrk_before},
            "stolen": (stolen() - stolen_before) / (seconds * (os.cpu_count() or 1)),
        }


def stolen():
    """The seconds of processors that whoever lends this machine gave to others while they were wanted here."""
    return int(open("/proc/stat").readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def together(minutes):
    """Loads one after the other as one; of what cannot be summed, the middle one and the worst."""
    total = lambda pick: sum(pick(m) for m in minutes)
    seconds = total(lambda m: m["seconds"])
    return {
        "seconds": seconds,
        "requests": total(lambda m: m["requests"]),
        "per_second": total(lambda m: m["requests"] - m["errors"]["status"]) / seconds,
        "errors": {kind: total(lambda m: m["errors"][kind]) for kind in minutes[0]["errors"]},
        "p50_ms": median([m["p50_ms"] for m in minutes]), "p99_ms": median([m["p99_ms"] for m in minutes]),
        "most_ms": max(m["most_ms"] for m in minutes),
        "mib_per_second": total(lambda m: m["bytes"]) / MIB / seconds,
        "processor_s": {who: total(lambda m: m["processor_s"][who]) for who in minutes[0]["processor_s"]},
        "minutes": [{key: m[key] for key in ("p50_ms", "p99_ms", "most_ms", "stolen")} for m in minutes],
    }


def in_process(args, binary, library, queries, config, seconds):
    begun = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = run(binary, "bench", "search", "--library", library, "--queries", queries, "--threads", args.threads,
               "--seconds", seconds, "--similarity", args.similarity, "-k", args.k, config=config)
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return said | {"processor_s": sum(ended[:2]) - sum(begun[:2])}


def make_library(args, binary, folder, config):
    """The library under load is a copy: an ingest changes it."""
    library = folder / "library"
    if args.library:
        shutil.rmtree(library, ignore_errors=True)
        shutil.copytree(args.library, library)
    elif not library.exists():
        tell(f"adding {args.corpus}")
        run(binary, "--library", library, "add", *([] if args.embed else ["--no-embed"]), args.corpus, config=config)
    return library


def make_config(args, folder):
    """Without --embed no vectors are made, neither now nor of what is uploaded: searches by words need none."""
    if args.config or args.embed:
        return args.config
    config = folder / "load.toml"
    config.write_text("embed = []\n")
    return config


def show(name, f):
    e, memory = f["errors"], f["memory"]
    print(f"{name}: {f['per_second']:,.0f} requests/s over {f['seconds']:.0f} s ({f['requests']:,} requests,"
          f" {f['mib_per_second']:.1f} MiB/s)")
    print(f"  errors: {sum(e.values())} (status other than 2xx {e['status']}, socket {e['socket']}, timeouts {e['timeout']})")
    several = len(f["minutes"]) > 1
    print(f"  p50 {f['p50_ms']:.1f} ms, p99 {f['p99_ms']:.1f} ms{' (of the middle minute)' if several else ''}, most {f['most_ms']:.1f} ms")
    if several:
        shown = (f"{p['p99_ms']:.0f} ({p['stolen']:.0%})" for p in f["minutes"])
        print(f"  p99 of each minute in ms, and the share of the processors that this machine was not given: {', '.join(shown)}")
    print(f"  processors: server {f['processor_s']['server']:.1f} s, wrk {f['processor_s']['wrk']:.1f} s")
    for kind, words in (("resident_mib", "memory"), ("own_mib", "without mapped files")):
        m = memory[kind]
        print(f"  {words}: {m['start']:.0f} MiB at the start, {m['tenth']:.0f} after the first tenth, {m['end']:.0f} at the end"
              f" ({m['end'] / max(m['tenth'], 0.1):.2f} times the tenth), most {m['most']:.0f}")
    if "ingest" in f:
        i = f["ingest"]
        print(f"  ingested meanwhile: {i['documents']:,} documents, {i['rows']:,} rows, in {i['files']} uploads;"
              f" {len(i['problems'])} problems")
        for problem in i["problems"][:5]:
            print(f"    {problem}")
    print(flush=True)


def compare(args, load, binary, library, queries, config):
    """Both ways in turn, so that what else the machine does falls on both."""
    rounds = []
    for number in range(args.rounds):
        tell(f"round {number + 1} of {args.rounds}: in process, then over HTTP, {args.round_seconds} s each")
        inside = in_process(args, binary, library, queries, config, args.round_seconds)
        outside = load.run(args.round_seconds)
        rounds.append({"in_process": inside, "http": outside,
                       "ratio": outside["per_second"] / inside["per_second"],
                       # Searches for a second of processors, of the server alone: wrk shares the machine with it.
                       "processor_ratio": (outside["requests"] / outside["processor_s"]["server"])
                       / (inside["queries"] / inside["processor_s"])})
    return rounds


def show_rounds(rounds):
    if not rounds:
        return
    of = lambda pick: [pick(r) for r in rounds]
    ratios = of(lambda r: r["ratio"])
    print(f"in process: {median(of(lambda r: r['in_process']['per_second'])):,.0f} searches/s"
          f" (p50 {median(of(lambda r: r['in_process']['p50_ms'])):.2f} ms, p99 {median(of(lambda r: r['in_process']['p99_ms'])):.2f} ms)"
          f" | over HTTP: {median(of(lambda r: r['http']['per_second'])):,.0f}/s"
          f" (p50 {median(of(lambda r: r['http']['p50_ms'])):.1f} ms, p99 {median(of(lambda r: r['http']['p99_ms'])):.1f} ms)")
    print(f"HTTP / in process: {median(ratios):.2f} (median of {len(ratios)} rounds, {min(ratios):.2f} to {max(ratios):.2f});"
          f" by seconds of processors {median(of(lambda r: r['processor_ratio'])):.2f}\n", flush=True)


def measure(args):
    binary = binary_of(args)
    needs("wrk", "wrk")
    with work_folder(args) as folder:
        config = make_config(args, folder)
        library = make_library(args, binary, folder, config)
        texts = read_queries(args.queries, args.query_count)
        queries = folder / "queries.txt"
        queries.write_text("\n".join(texts) + "\n")
        result = {"connections": args.connections, "queries": len(texts)}
        with Server(binary, library, folder / "serve.log", config) as server:
            load = Load(args, server, folder, texts)
            tell("warming up")
            load.run(args.warm_seconds)
            if "rounds" in args.parts:
                result["rounds"] = compare(args, load, binary, library, queries, config)
            if "quiet" in args.parts:
                tell(f"load without ingest, {args.seconds} s")
                result["quiet"] = load.run(args.seconds)
            if "ingest" in args.parts:
                tell(f"load with ingest, {args.seconds} s")
                result["ingest"] = load.run(args.seconds, Ingest(server, pieces(args.ingest, args.piece)))
            result["alive"] = server.process.poll() is None
    if args.json:
        print(json.dumps(result, indent=1))
    else:
        print(f"{args.connections} connections, {len(texts)} queries, {os.cpu_count()} processors, {time.strftime('%Y-%m-%d %H:%M')}\n")
        show_rounds(result.get("rounds"))
        for part, name in (("quiet", "load"), ("ingest", "load while files are added")):
            if part in result:
                show(name, result[part])
    measured = [result[part] for part in ("quiet", "ingest") if part in result]
    measured += [r["http"] for r in result.get("rounds", [])]
    wrong = sum(sum(f["errors"].values()) for f in measured) + len(result.get("ingest", {}).get("ingest", {}).get("problems", []))
    return 1 if wrong or not result["alive"] else 0


def arguments(add, common_data):
    data = pathlib.Path(common_data)
    add.add_argument("--corpus", default=str(data / "tabfact" / "tables.jsonl.zst"), help="tables the library is made of")
    add.add_argument("--library", help="a library to take instead; it is copied")
    add.add_argument("--queries", default=str(data / "tabfact" / "val.jsonl.zst"),
                     help="lines of text, or JSON lines with a statement, question or query")
    add.add_argument("--query-count", type=int, default=5000, help="the most queries taken")
    add.add_argument("--ingest", default=str(data / "wikisql" / "tables.jsonl.zst"), help="tables that are uploaded meanwhile")
    add.add_argument("--piece", type=int, default=50, help="tables of one upload")
    add.add_argument("--seconds", type=int, default=60, help="of each load; 600 for the long run")
    add.add_argument("--connections", type=int, default=200)
    add.add_argument("--wrk-threads", type=int, default=2)
    add.add_argument("--timeout", type=int, default=30, help="seconds after which wrk gives a request up")
    add.add_argument("--similarity", default="bm25")
    add.add_argument("-k", type=int, default=10)
    add.add_argument("--rounds", type=int, default=5, help="of in process and HTTP in turn")
    add.add_argument("--round-seconds", type=int, default=10)
    add.add_argument("--warm-seconds", type=int, default=5)
    add.add_argument("--threads", type=int, default=os.cpu_count() or 1, help="threads of the searches in process")
    add.add_argument("--parts", type=lambda text: text.split(","), default=["rounds", "quiet", "ingest"],
                     help="rounds,quiet,ingest or some of them")
    add.add_argument("--embed", action="store_true", help="make vectors too, of the library and of what is uploaded")
