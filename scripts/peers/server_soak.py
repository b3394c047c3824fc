"""`measure-server soak`: many people at once, in turn alone and with attackers among them."""

import collections
import json
import pathlib
import random
import threading
import time

from server_common import API, MIB, ROOT, Failed, Server, binary_of, run, send, tell, work_folder

ATTACKS = ROOT / "crates/tabletalk-sql/tests/data/attacks-by-shape.txt"
WORDS = ["Oslo", "harbour", "sales", "ships", "sum of ships", "station", "visitors in spring", "north", "warranty", "invoice"]
QUESTIONS = ["How many ships has harbour 3?", "Which harbour has the most ships?", "What is the average of ships?",
             "How many ships in all harbours?", "What is the total of visitors?"]
STATEMENTS = ["SELECT count(*), sum(ships) FROM harbours", "SELECT harbour, ships FROM harbours ORDER BY ships DESC LIMIT 5",
              "SELECT region, avg(ships) FROM harbours GROUP BY region", "SELECT max(ships) FROM harbours WHERE region = 'north'"]
# Those that run until they are stopped, over the table of this library.
EXHAUSTING = ["SELECT count(*) FROM harbours a, harbours b, harbours c, harbours d, harbours e",
              "SELECT a.ships, b.ships, count(*) FROM harbours a, harbours b, harbours c GROUP BY 1, 2 ORDER BY 3",
              "SELECT sum(a.ships) OVER (ORDER BY b.ships, c.ships) FROM harbours a, harbours b, harbours c",
              "SELECT count(*) FROM harbours a, harbours b, harbours c WHERE repeat(a.harbour, 100) LIKE repeat('%a', 200) || b.ships || c.ships",
              "SELECT string_agg(repeat(a.harbour, 500), ',') FROM harbours a, harbours b GROUP BY a.ships"]


def arguments(parser, _data):
    parser.add_argument("--seconds", type=int, default=1800, help="of both parts together")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--attackers", type=int, default=20, help="how many of the clients, in the second part")
    parser.add_argument("--pause", type=float, default=4.0, help="seconds between two requests of a client, in the mean")
    parser.add_argument("--attack-pause", type=float, default=4.0, help="the same for attackers")
    parser.add_argument("--rounds", type=int, default=3, help="how often people are alone and then attacked: a shared machine differs from minute to minute")
    parser.add_argument("--seed", type=int, default=1)


class Part:
    """What came of one part: times and errors of honest requests, by kind, and what became of hostile ones."""

    def __init__(self):
        self.lock, self.times = threading.Lock(), collections.defaultdict(list)
        self.errors, self.hostile, self.memory = collections.Counter(), collections.Counter(), []

    def note(self, kind, seconds, status, said):
        with self.lock:
            if kind == "hostile":
                self.hostile["refused" if status == 400 else "limited" if status in (429, 504) else str(status)] += 1
                return
            self.times[kind].append(seconds)
            if status not in (200, 202):
                self.errors[f"{kind} {status}: {said[:120].decode(errors='replace')}"] += 1


def percentile(values, share):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def request(url, key, kind, chance):
    """One request of this kind: its status and its body."""
    path, headers, number = f"{API}/{kind}", {"Authorization": f"Bearer {key}"}, chance.randrange(10**9)
    if kind == "search":
        body = {"query": chance.choice(WORDS), "similarity": "bm25"}
    elif kind == "ask":
        body = {"question": chance.choice(QUESTIONS), "no_model": True}
    elif kind == "sql":
        body = {"statement": chance.choice(STATEMENTS)}
    elif kind == "upload":
        body = ("quay,boats\n" + "".join(f"quay {number} {r},{r}\n" for r in range(20))).encode()
        path, headers = f"{API}/documents?name=quay-{number}.csv", headers | {"Content-Type": "text/csv"}
    else:
        path, body = f"{API}/sql", {"statement": chance.choice(HOSTILE)}
    reply = send(url, "POST", path, body, headers, timeout=600)
    return reply.status, reply.data


def client(url, key, part, over, kinds, seed, pause):
    chance = random.Random(seed)
    time.sleep(chance.random() * pause)
    while not over.is_set():
        kind, begun = chance.choice(kinds), time.perf_counter()
        try:
            status, said = request(url, key, kind, chance)
        except OSError as error:
            status, said = 0, str(error).encode()
        part.note(kind, time.perf_counter() - begun, status, said)
        over.wait(chance.random() * 2 * pause)


def hostile():
    lines = ATTACKS.read_text().splitlines()
    return [line for line in lines if line.startswith(("SELECT ", "WITH ")) and "{{" not in line] + EXHAUSTING * 20


HOSTILE = hostile()


def keys(server, args):
    """Keys for people, ten to a key, and two for all attackers. The first is made where none is needed yet."""
    made = []
    for number in range(max(1, args.clients // 10) + 2):
        headers = {"Authorization": f"Bearer {made[0]}"} if made else {}
        role = "admin" if number == 0 else "write"
        reply = server.send("POST", f"{API}/keys", {"name": f"key-{number}", "role": role, "libraries": []}, headers)
        if reply.status != 201:
            raise Failed(f"no key: {reply.status} {reply.data[:300]}")
        made.append(json.loads(reply.data)["key"])
    return made[:-2], made[-2:]


def play(server, args, made, attackers, seconds, part, turn):
    over = threading.Event()
    honest = ["search"] * 10 + ["ask"] * 4 + ["sql"] * 5 + ["upload"]
    threads = []
    for number in range(args.clients):
        kinds, of, pause = (["hostile"], made[1], args.attack_pause) if number < attackers else (honest, made[0], args.pause)
        given = (server.url, of[number % len(of)], part, over, kinds, (args.seed + turn) * 1000 + number, pause)
        threads.append(threading.Thread(target=client, args=given, daemon=True))
    for thread in threads:
        thread.start()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if server.process.poll() is not None:
            raise Failed(f"the server ended:\n{server.said()}")
        part.memory.append(server.memory()[1])
        over.wait(max(1.0, seconds / 60))
    over.set()
    for thread in threads:
        thread.join(600)


def table(quiet, attacked):
    lines = ["| request | alone: number | p50 s | p99 s | attacked: number | p50 s | p99 s | p99 ratio |", "|---|---|---|---|---|---|---|---|"]
    everything = [("all", [t for k in part.times.values() for t in k]) for part in (quiet, attacked)]
    kinds = sorted(quiet.times) + ["all"]
    for kind in kinds:
        before, after = (everything[0][1], everything[1][1]) if kind == "all" else (quiet.times[kind], attacked.times[kind])
        ratio = percentile(after, 0.99) / percentile(before, 0.99)
        row = [kind, len(before), f"{percentile(before, .5):.3f}", f"{percentile(before, .99):.3f}", len(after),
               f"{percentile(after, .5):.3f}", f"{percentile(after, .99):.3f}", f"{ratio:.2f}"]
        lines.append("| " + " | ".join(map(str, row)) + " |")
    return "\n".join(lines)


def level(memory):
    """Memory in the second and in the last fifth: what is made once is not counted as growth."""
    fifth = max(1, len(memory) // 5)
    early, late = memory[fifth : 2 * fifth] or memory, memory[-fifth:]
    return max(early) / MIB, max(late) / MIB


def measure(args):
    with work_folder(args) as folder:
        files = folder / "in"
        files.mkdir(exist_ok=True)
        regions = ["north", "south", "east", "west"]
        rows = "".join(f"harbour {n},{regions[n % 4]},{n * 7 % 501},{n * 13 % 907}\n" for n in range(2000))
        (files / "harbours.csv").write_text("harbour,region,ships,visitors\n" + rows)
        binary = binary_of(args)
        run(binary, "--library", folder / "library", "add", files, "--no-embed", config=args.config)
        with Server(binary, folder / "library", folder / "log", args.config) as server:
            made = keys(server, args)
            tell(f"{args.clients} people at {server.url}")
            quiet, attacked, each = Part(), Part(), args.seconds // (2 * args.rounds)
            for turn in range(args.rounds):
                play(server, args, made, 0, each, quiet, turn)
                tell(f"round {turn + 1}: {args.attackers} of them attack")
                play(server, args, made, args.attackers, each, attacked, turn)
            time.sleep(30)
            after = server.memory()[1] / MIB
            log = pathlib.Path(server.log).read_text(errors="replace")
    panics = log.count("panicked at")
    print(table(quiet, attacked))
    print(f"hostile: {dict(attacked.hostile)}; panics in the log: {panics}")
    for name, part in (("alone", quiet), ("attacked", attacked)):
        early, late = level(part.memory)
        print(f"memory {name}: {early:.0f} MiB early, {late:.0f} MiB late, at most {max(part.memory) / MIB:.0f} MiB")
    print(f"memory half a minute after all of it: {after:.0f} MiB")
    errors = quiet.errors + attacked.errors
    print(f"errors that are not an attacker's: {sum(errors.values())}")
    for said, count in errors.most_common(10):
        print(f"  {count} × {said}")
    return 1 if errors or panics else 0
