"""Other programs that find tables in PDF files, each put into the same form, with their results kept on disk.

`documents_tools.py TOOL CACHE` reads paths from standard input and writes one result a file into the cache.
"""

import json
import os
import pathlib
import queue
import subprocess
import sys
import threading
import warnings

ROOT = pathlib.Path(__file__).resolve().parents[2]
# pymupdf finds and reads tables as its current version does by itself; -text takes the text of each of
# its cells with get_text(clip=...), because Table.extract() of version 2.0 tears "3.30" apart to "330" and
# "."; -lines leaves out its layout model; -classic is an older version, without that model.
TOOLS = ["pdfplumber", "pymupdf", "pymupdf-text", "pymupdf-lines", "pymupdf-classic",
         "camelot-lattice", "camelot-stream", "camelot-network", "camelot-hybrid"]
# Where a second version of a package lies: pip install --no-deps --target FOLDER pymupdf==1.26.7
ASIDE = {"pymupdf-classic": ROOT / ".peers" / "pymupdf-classic"}
# What a tool gets for one file before it is given up.
PATIENCE = 240


def part(page, box, rows):
    cells = [{"r": r, "c": c, "r2": r, "c2": c, "text": text}
             for r, row in enumerate(rows) for c, text in enumerate(row) if text and text.strip()]
    return {"page": page, "bbox": [float(v) for v in box], "cells": cells}


def with_pdfplumber(path, _):
    import pdfplumber
    found = []
    with pdfplumber.open(path) as document:
        for page in document.pages:
            left, top = page.cropbox[0], page.cropbox[1]
            for table in page.find_tables():
                x0, y0, x1, y1 = table.bbox
                found.append(part(page.page_number, (x0 - left, y0 - top, x1 - left, y1 - top), table.extract()))
            page.close()
    return found


def with_pymupdf(path, flavour):
    import pymupdf
    options = {"use_layout": False} if flavour == "lines" else {}
    found = []
    with pymupdf.open(path) as document:
        if document.needs_pass:
            raise ValueError("needs a password")
        for number, page in enumerate(document, 1):
            for table in page.find_tables(**options).tables:
                clip = lambda cell: page.get_text("text", clip=cell) if cell else None
                rows = [map(clip, row.cells) for row in table.rows] if flavour == "text" else table.extract()
                found.append(part(number, table.bbox, rows))
    return found


def with_camelot(path, flavour):
    import camelot
    import pypdfium2
    from documents_common import Page
    heights = [Page(page).size[1] for page in pypdfium2.PdfDocument(path)]
    found = []
    for table in camelot.read_pdf(path, pages="all", flavor=flavour, suppress_stdout=True):
        x0, y0, x1, y1 = table._bbox
        height = heights[table.page - 1]
        found.append(part(table.page, (x0, height - y1, x1, height - y0), table.data))
    return found


def with_letters(path, _):
    """The boxes of the characters of every page, from PDFium."""
    import pypdfium2
    from documents_common import letters
    return [letters(page) for page in pypdfium2.PdfDocument(path)]


RUN = {"pdfplumber": with_pdfplumber, "pymupdf": with_pymupdf, "camelot": with_camelot, "letters": with_letters}
PACKAGE = {"pdfplumber": "pdfplumber", "pymupdf": "pymupdf", "camelot": "camelot-py", "letters": "pypdfium2"}


def version(tool):
    import importlib.metadata
    if tool in ASIDE:
        found = next(importlib.metadata.distributions(path=[str(ASIDE[tool])]), None)
        return found.version if found else "missing"
    return importlib.metadata.version(PACKAGE[tool.partition("-")[0]])


def ready():
    """The tools that are installed."""
    return [tool for tool in TOOLS if tool not in ASIDE or ASIDE[tool].exists()]


def cached(cache, tool, path):
    from documents_common import digest
    return pathlib.Path(cache) / f"{tool}-{version(tool)}" / f"{digest(path)}.json"


def work(tool, cache):
    """Find tables in the files named on standard input."""
    warnings.simplefilter("ignore")
    name, _, flavour = tool.partition("-")
    for path in sys.stdin.read().splitlines():
        try:
            result = {"tables": RUN[name](path, flavour)}
        except Exception as error:  # a peer may fail in any way: that is a result
            result = {"tables": [], "error": f"{type(error).__name__}: {error}"[:300]}
        keep(cached(cache, tool, path), result)
        print(path, file=sys.__stdout__, flush=True)


def keep(place, result):
    place.parent.mkdir(parents=True, exist_ok=True)
    half = place.with_suffix(f".{os.getpid()}")
    half.write_text(json.dumps(result))
    half.rename(place)


def fill(cache, tool, files):
    """Run a tool over files in a process of its own; a file it hangs or dies on is a result, too."""
    left = [f for f in dict.fromkeys(map(os.path.abspath, files)) if not cached(cache, tool, f).exists()]
    while left:
        print(f"{tool}: {len(left)} files", file=sys.stderr)
        env = dict(os.environ, **({"PYTHONPATH": str(ASIDE[tool])} if tool in ASIDE else {}))
        child = subprocess.Popen([sys.executable, os.path.abspath(__file__), tool, cache], text=True, env=env,
                                 stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        child.stdin.write("\n".join(left))
        child.stdin.close()
        lines = queue.Queue()

        def listen(stream=child.stdout, out=lines):
            for line in stream:
                out.put(line.rstrip("\n"))
            out.put(None)

        threading.Thread(target=listen, daemon=True).start()
        cause = "died"
        while True:
            try:
                line = lines.get(timeout=PATIENCE)
            except queue.Empty:
                cause = f"gave up after {PATIENCE} s"
                break
            if line is None:
                break
            if line in left:
                left.remove(line)
        child.kill()
        child.wait()
        if left:
            keep(cached(cache, tool, left[0]), {"tables": [], "error": cause})
            left = left[1:]


def found_by(cache, tool, files):
    """A tool's results by absolute path."""
    fill(cache, tool, files)
    return {os.path.abspath(f): json.loads(cached(cache, tool, f).read_text()) for f in files}


if __name__ == "__main__":
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    work(sys.argv[1], sys.argv[2])
