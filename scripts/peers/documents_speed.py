"""`measure-documents speed`: pages a second over PDF files that every program opens, beside the others.

`documents_speed.py PROGRAM` reads paths from standard input and prints seconds. Loading a program's
modules is not counted; ours is counted with the start of its process.
"""

import importlib
import json
import os
import resource
import subprocess
import sys
import time
import warnings


def pypdfium2_text(path):
    import pypdfium2
    document = pypdfium2.PdfDocument(path)
    for page in document:
        page.get_textpage().get_text_range()
        page.close()
    document.close()


def pymupdf_text(path):
    import pymupdf
    with pymupdf.open(path) as document:
        for page in document:
            page.get_text()


def pymupdf_tables(path, **options):
    import pymupdf
    with pymupdf.open(path) as document:
        for page in document:
            for table in page.find_tables(**options).tables:
                table.extract()


def pymupdf_lines(path):
    pymupdf_tables(path, use_layout=False)


def pdfplumber_both(path):
    import pdfplumber
    with pdfplumber.open(path) as document:
        for page in document.pages:
            page.extract_text()
            for table in page.find_tables():
                table.extract()
            page.close()


PEERS = {"pypdfium2 text": pypdfium2_text, "pymupdf text": pymupdf_text, "pymupdf lines": pymupdf_lines,
         "pymupdf tables": pymupdf_tables, "pdfplumber text and tables": pdfplumber_both}


def work(name):
    warnings.simplefilter("ignore")
    importlib.import_module(name.split()[0])  # so that loading is not counted
    files = sys.stdin.read().splitlines()
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    failed = []
    for path in files:
        try:
            PEERS[name](path)
        except Exception as error:
            failed.append(f"{os.path.basename(path)}: {error}"[:120])
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(json.dumps({"wall": wall, "cpu": cpu, "mb": peak_mb("self"), "failed": failed}), file=sys.__stdout__)


def run_peer(name, files):
    done = subprocess.run([sys.executable, os.path.abspath(__file__), name], input="\n".join(files), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return json.loads(done.stdout.splitlines()[-1])


def run_ours(binary, files, threads):
    start = time.perf_counter()
    child = subprocess.Popen([binary, *files], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             env=dict(os.environ, RAYON_NUM_THREADS=str(threads)))
    done, peak = 0, 0
    while not done:
        peak = max(peak, peak_mb(child.pid))
        time.sleep(0.005)
        done, status, usage = os.wait4(child.pid, os.WNOHANG)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    failed = [f"exit {child.returncode}"] if child.returncode else []
    return {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "mb": peak, "failed": failed}


def peak_mb(process):
    """The most memory a process has held; what getrusage says of it counts its parent's, too."""
    try:
        with open(f"/proc/{process}/status", encoding="ascii", errors="replace") as file:
            return max((int(line.split()[1]) for line in file if line.startswith("VmHWM")), default=0) / 1024
    except OSError:
        return 0


def pages_of(path):
    """How many pages, or None where any of the peers cannot open a file."""
    import pdfplumber
    import pymupdf
    import pypdfium2
    try:
        with pymupdf.open(path) as document, pdfplumber.open(path) as other:
            count = len(pypdfium2.PdfDocument(path))
            return count if not document.needs_pass and count == len(document) == len(other.pages) else None
    except Exception:
        return None


def measure(args):
    import documents_common as common
    files = list(common.icdar(args)[1]) + [os.path.abspath(p) for p in common.all_pdfs(args, "docling", "pdfplumber")]
    if args.only:
        files = [f for f in files if any(name in f for name in args.only)]
    pages = {f: pages_of(f) for f in files}
    programs = {name: (lambda files, name=name: run_peer(name, files)) for name in PEERS}
    ours = os.access(args.binary, os.X_OK)
    if ours:
        lines = common.run_dump(args.binary, [f for f in files if pages[f]])
        pages = {f: n if n and "error" not in lines[f] else None for f, n in pages.items()}
        programs = {"ours, 2 threads": lambda files: run_ours(args.binary, files, 2),
                    "ours, 1 thread": lambda files: run_ours(args.binary, files, 1)} | programs
    chosen = [f for f, n in pages.items() if n]
    left_out = [os.path.basename(f) for f, n in pages.items() if not n]
    results = {}
    for _ in range(args.rounds):  # in turns, best round of each
        for name, run in programs.items():
            if name in args.skip:
                continue
            got = run(chosen)
            print(f"{name}: {got['wall']:.1f} s, {got['cpu']:.1f} s of processor", file=sys.stderr)
            results[name] = min(got, results.get(name, got), key=lambda r: r["wall"])
    show(args, results, sum(pages[f] for f in chosen), len(chosen), left_out)


def show(args, results, pages, files, left_out):
    import documents_common as common
    for r in results.values():
        r["pages_per_second"] = pages / r["wall"]
    bases = [b for b in ("pdfplumber text and tables", "pymupdf tables", "pymupdf lines") if b in results]
    if args.json:
        print(json.dumps({"pages": pages, "files": files, "left_out": left_out, "results": results}, indent=1))
        return
    print(f"{pages} pages of {files} PDF files; left out, as not every program opens them: {', '.join(left_out) or 'none'}")
    print("× and cpu ×: times as fast as that program, by the clock and by processor seconds (for a busy machine)\n")
    rows = []
    for name, r in results.items():
        ratios = [v for b in bases for v in (f"{results[b]['wall'] / r['wall']:.1f}", f"{results[b]['cpu'] / r['cpu']:.1f}")]
        rows.append([name, f"{r['pages_per_second']:.1f}", f"{r['wall']:.1f}", f"{r['cpu']:.1f}", f"{r['mb']:.0f}", *ratios, len(r["failed"])])
    header = ["", "pages/s", "wall s", "cpu s", "peak MB", *(h for b in bases for h in (f"× {b.split(' text')[0]}", "cpu ×")), "failed"]
    print(common.table_of(rows, header))
    for name, r in results.items():
        for line in r["failed"][: args.limit]:
            print(f"{name}: {line}")


if __name__ == "__main__":
    work(sys.argv[1])
