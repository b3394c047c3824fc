"""`measure-documents robust`: every fixture through the reader, one by one, with limits on time and memory."""

import collections
import json
import os
import resource
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import documents_common as common
from documents_truth import cause


def measure(args):
    if not os.access(args.binary, os.X_OK):
        raise SystemExit(f"{args.binary} is not there: build it, or give --binary")
    files = [p for folder in common.fixtures(args).values() for p in sorted(folder.rglob("*")) if p.is_file()]
    if args.only:
        files = [p for p in files if any(name in str(p) for name in args.only)]
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda path: feed(args, path), files))
    if args.json:
        print(json.dumps(results, indent=1))
    else:
        show(args, results)


def feed(args, path):
    """What became of one file: read, refused, panicked, timed out or killed."""
    limit = int(args.memory * 2**30)

    def confine():
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    result = {"file": str(path), "format": path.suffix[1:].lower()}
    try:
        done = subprocess.run([args.binary, str(path)], capture_output=True, timeout=args.seconds, preexec_fn=confine)
    except subprocess.TimeoutExpired:
        return result | {"end": "timed out", "why": f"{args.seconds:g} s"}
    errors = done.stderr.decode("utf-8", "replace")
    if "panicked at" in errors or done.returncode == 101:
        at = next((line for line in errors.splitlines() if "panicked at" in line), errors[:200])
        return result | {"end": "panicked", "why": at.strip()[:200]}
    if done.returncode:
        name = signal.Signals(-done.returncode).name if done.returncode < 0 else f"exit {done.returncode}"
        return result | {"end": "killed", "why": f"{name} {errors.strip()[:160]}"}
    return result | judge(path, done.stdout)


def judge(path, output):
    try:
        line = json.loads(output)
    except ValueError:
        return {"end": "killed", "why": "printed no JSON"}
    if "error" in line:
        # A panic that was caught is a panic.
        return {"end": "panicked" if "panick" in line["error"] else "refused", "why": line["error"], "ms": line["ms"]}
    return {"end": "read", "blocks": len(line["blocks"]), "ms": line["ms"], "warnings": line["warnings"]}


def show(args, results):
    formats = collections.defaultdict(collections.Counter)
    for r in results:
        formats[r["format"]][r["end"]] += 1
        formats["all"][r["end"]] += 1
        if r["end"] == "read" and not r["blocks"]:
            formats[r["format"]]["nothing in it"] += 1
            formats["all"]["nothing in it"] += 1
    ends = ["read", "nothing in it", "refused", "panicked", "timed out", "killed"]
    print(common.table_of([[name, sum(n for e, n in c.items() if e != ends[1]), *(c[e] for e in ends)]
                           for name, c in sorted(formats.items(), key=lambda p: -p[1].total())], ["", "files", *ends]))
    reasons = collections.defaultdict(list)
    for r in results:
        if r["end"] == "refused":
            name = os.path.basename(r["file"])
            reasons[cause(r["why"].replace(r["file"], name), name)].append(name)
    print("\nrefused")
    for why, names in sorted(reasons.items(), key=lambda p: -len(p[1])):
        print(f"  {len(names)} × {why}: {', '.join(names[:6])}{' …' if len(names) > 6 else ''}")
    bad = [r for r in results if r["end"] in ends[3:]]
    print("\nbad ones" if bad else "\nno bad ones")
    for r in bad:
        print(f"  {r['end']}: {r['file']}: {r['why']}")
    slow = sorted((r for r in results if "ms" in r), key=lambda r: -r["ms"])[:5]
    print("slowest:", ", ".join(f"{os.path.basename(r['file'])} {r['ms']:.0f} ms" for r in slow))
