"""Whether anything that was accepted is lost when the server is killed at any moment."""

import http.client
import json
import random
import threading
import time
import urllib.parse
import uuid

from server_common import API, Failed, Server, all_documents, binary_of, form, get, median, run, send, tell, work_folder

# What a client sees when the server dies under it.
BROKEN = (OSError, http.client.HTTPException)


class Uploads:
    """Who was promised what: every file has rows and a word of its own."""

    def __init__(self):
        self.lock = threading.Lock()
        self.accepted, self.unsure, self.tasks, self.refused, self.failures = {}, set(), [], [], []
        self.searches = {"answered": 0, "broken": 0}

    def note(self, which, *args):
        with self.lock:
            which(*args)


def small_file(chance, thread, number):
    """A CSV file of a few rows, its name, and the word that only it has."""
    word = f"word{thread}q{number}"
    rows = chance.randrange(2, 40)
    text = "item,label,amount\n" + "".join(f"{word}i{row},{word},{chance.randrange(100_000)}\n" for row in range(rows))
    return f"upload-{thread}-{number:05}.csv", text.encode(), {"rows": rows, "word": word}


def upload(server, uploads, thread, seed, over):
    chance, number = random.Random(seed), 0
    while not over.is_set():
        url = server.url
        if url is None:
            over.wait(0.01)
            continue
        count = chance.choice([1, 1, 1, 3])
        files = [small_file(chance, thread, number + n) for n in range(count)]
        number += count
        told = {name: about for name, _, about in files}
        body, kind = (files[0][1], "text/csv") if count == 1 else form([(name, data) for name, data, _ in files])
        path = f"{API}/documents" + (f"?name={urllib.parse.quote(files[0][0])}" if count == 1 else "")
        try:
            reply = send(url, "POST", path, body, {"Content-Type": kind}, timeout=30)
        except BROKEN:
            # Nobody promised anything: it may be there or not.
            uploads.note(uploads.unsure.update, told)
            over.wait(0.01)
            continue
        if reply.status == 202:
            said = json.loads(reply.data)
            if sorted(said["files"]) != sorted(told):
                uploads.note(uploads.failures.append, f"uploaded {sorted(told)}, the reply says {said['files']}")
            uploads.note(uploads.tasks.append, said["task"]["id"])
            uploads.note(uploads.accepted.update, told)
        else:
            uploads.note(uploads.refused.append, f"{reply.status} {reply.data[:200].decode(errors='replace')}")
            over.wait(0.2)


def search(server, uploads, seed, over):
    chance = random.Random(seed)
    while not over.is_set():
        url = server.url
        if url is None:
            over.wait(0.01)
            continue
        with uploads.lock:
            words = [about["word"] for about in uploads.accepted.values()]
        word = chance.choice(words) if words else "amount"
        query = urllib.parse.urlencode({"q": word, "similarity": "bm25", "k": 3})
        try:
            reply = send(url, "GET", f"{API}/search?{query}", timeout=30)
        except BROKEN:
            uploads.searches["broken"] += 1
            over.wait(0.01)
            continue
        uploads.searches["answered"] += 1
        if reply.status != 200:
            uploads.note(uploads.failures.append, f"search: {reply.status} {reply.data[:200].decode(errors='replace')}")


def one_round(server, chance, args):
    """Starts the server and kills it: mostly while it works, now and then while it starts."""
    if chance.random() < args.early:
        server.start(wait=0)
        time.sleep(chance.uniform(0, 0.3))
        began = None
    else:
        began = server.start(args.patience)
        time.sleep(chance.uniform(args.least, args.most))
        if server.process.poll() is not None:
            raise Failed(f"the server ended by itself with exit code {server.process.returncode}:\n{server.said()}")
    server.kill()
    return began


def wait_for_tasks(url, patience):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        tasks = get(url, "/tasks")["tasks"]
        if not any(task["state"] in ("queued", "running") for task in tasks):
            return tasks
        time.sleep(0.5)
    raise Failed(f"tasks are not over after {patience:.0f} s")


def found_by_word(url, word, name):
    hits = get(url, "/search", q=word, similarity="bm25", k=3)["hits"]
    return any(hit["document"]["name"] == name for hit in hits)


def measure(args):
    binary, chance, uploads, over = binary_of(args), random.Random(args.seed), Uploads(), threading.Event()
    with work_folder(args) as folder:
        config = args.config
        if config is None and not args.embed:
            config = folder / "kill.toml"
            config.write_text("embed = []\n")
        library = folder / f"killed-{uuid.uuid4().hex[:8]}"
        server = Server(binary, library, folder / "serve.log", config)
        threads = [threading.Thread(target=upload, args=(server, uploads, n, args.seed * 1000 + n, over), daemon=True)
                   for n in range(args.uploaders)]
        threads += [threading.Thread(target=search, args=(server, uploads, args.seed * 1000 + 500 + n, over), daemon=True)
                    for n in range(args.searchers)]
        for thread in threads:
            thread.start()
        starts = []
        try:
            for number in range(args.rounds):
                starts.append(one_round(server, chance, args))
                tell(f"round {number + 1} of {args.rounds}: {len(uploads.accepted)} files accepted so far")
            over.set()
            for thread in threads:
                thread.join(60)
            result = judge(args, server, uploads, chance)
            result["exit_code"] = server.stop()
        finally:
            over.set()
            if server.process and server.process.poll() is None:
                server.kill()
        doctor = run(binary, "--library", library, "doctor", config=config, good=(0, 1))
        result["doctor"] = doctor["findings"]
        if args.keep:
            tell(f"the library: {library}")
    starts = [s for s in starts if s is not None]
    result |= {"rounds": args.rounds, "start_s": {"median": median(starts), "most": max(starts, default=0.0)}}
    good = not (result["lost"] or result["twice"] or result["differ"] or result["not_found"] or result["failures"] or result["failed_tasks"]
                or result["doctor"] or result["exit_code"] or not doctor["sound"])
    print(json.dumps(result, indent=1)) if args.json else show(result, good)
    return 0 if good and result["accepted"] else 1


def judge(args, server, uploads, chance):
    """After the last start everything that was accepted has to be there, whole and findable."""
    began = server.start(args.patience)
    url, begun = server.url, time.monotonic()
    tasks = wait_for_tasks(url, args.patience)
    tell(f"tasks were over {time.monotonic() - begun:.1f} s after the last start")
    documents = {}
    for document in all_documents(url):
        documents.setdefault(document["name"], []).append(document)
    lost = sorted(set(uploads.accepted) - set(documents))
    twice = sorted(name for name, several in documents.items() if len(several) > 1)
    differ = [f"{name}: {documents[name][0]['report']['rows_in']} rows and not {about['rows']}"
              for name, about in uploads.accepted.items()
              if name in documents and documents[name][0]["report"]["rows_in"] != about["rows"]]
    sample = chance.sample(sorted(set(uploads.accepted) - set(lost)), min(args.sample, len(uploads.accepted) - len(lost)))
    not_found = [name for name in sample if not found_by_word(url, uploads.accepted[name]["word"], name)]
    # An upload that was cut off in the middle may fail, one that was accepted may not.
    mine = set(uploads.tasks)
    failed = [f"{task['id']}: {task['error']}" for task in tasks if task["state"] != "done" and task["id"] in mine]
    return {"accepted": len(uploads.accepted), "unsure": len(uploads.unsure),
            "unsure_there": len(uploads.unsure & set(documents)), "refused": len(uploads.refused),
            "refused_first": uploads.refused[:3], "searches": uploads.searches, "last_start_s": began,
            "lost": lost, "twice": twice, "differ": differ, "not_found": not_found, "failed_tasks": failed,
            "failures": uploads.failures}


def show(r, good):
    print(f"{r['rounds']} kills: {r['accepted']} files were accepted, {len(r['lost'])} of them are lost,"
          f" {len(r['differ'])} have other rows, {len(r['twice'])} are there twice, {len(r['not_found'])} are not found by their word")
    print(f"  {r['unsure']} uploads were cut off before a reply, {r['unsure_there']} of them are there; {r['refused']} were refused"
          + "".join(f"\n    {text}" for text in r["refused_first"]))
    print(f"  searches meanwhile: {r['searches']['answered']} answered, {r['searches']['broken']} cut off")
    print(f"  from start to listening: {r['start_s']['median']:.2f} s in the middle, {r['start_s']['most']:.2f} s at most")
    print(f"  SIGTERM: exit code {r['exit_code']}; doctor: {len(r['doctor'])} findings")
    for what in ("lost", "twice", "differ", "not_found", "failed_tasks", "failures", "doctor"):
        for text in r[what][:10]:
            print(f"    {what.replace('_', ' ')}: {text}")
    print("good" if good else "NOT GOOD", flush=True)


def arguments(add, _):
    add.add_argument("--rounds", type=int, default=20, help="how often it is killed")
    add.add_argument("--uploaders", type=int, default=4)
    add.add_argument("--searchers", type=int, default=2)
    add.add_argument("--least", type=float, default=0.1, help="seconds that it may work before it is killed, at least")
    add.add_argument("--most", type=float, default=4.0, help="and at most")
    add.add_argument("--early", type=float, default=0.2, help="share of rounds that end while it starts")
    add.add_argument("--sample", type=int, default=200, help="files that are searched for at the end")
    add.add_argument("--patience", type=float, default=600.0, help="seconds to wait for a start and for tasks")
    add.add_argument("--seed", type=int, default=1)
    add.add_argument("--embed", action="store_true", help="make vectors too")
    add.add_argument("--keep", action="store_true", help="say where the library is; with --work it stays")
