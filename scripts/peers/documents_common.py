"""What the parts of scripts/measure-documents share: texts, boxes, neighbours, dumps and fixtures.

A table is one part a page: {"page": from 1, "bbox": box or None, "cells": [{r, c, r2, c2, text, bbox}]}
with addresses counted from 0. A box is left, top, right, bottom in points from the top left corner of
the page as it is shown: turned, and relative to the crop box.
"""

import collections
import ctypes
import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile
import unicodedata

ROOT = pathlib.Path(__file__).resolve().parents[2]


def norm(text):
    """A text as it is compared: no white space, no case, ligatures and widths taken apart (NFKC)."""
    text = unicodedata.normalize("NFKC", text or "")
    return "".join(c for c in text if not c.isspace() and c not in "\u00ad\u200b\ufeff\u200e\u200f").casefold()


# ---- cells and neighbours

def written(cells):
    """The cells with text, each with its compared text as "n"."""
    kept = [dict(cell, n=norm(cell["text"])) for cell in cells]
    return [cell for cell in kept if cell["n"]]


def neighbours(cells):
    """All pairs of neighbours in a table, as a multiset of (text, text, direction).

    Right: the first written cell met from column c2 + 1 on, in the FIRST row of the cell. Below: the
    first met from row r2 + 1 on, in the FIRST column of the cell. A spanning cell is met anywhere in
    its span. Gold, ours and peers all go through this; peers give no spans, so theirs are all of one.
    """
    cells = written(cells)
    at = {}
    for i, cell in enumerate(cells):
        for r in range(cell["r"], cell["r2"] + 1):
            for c in range(cell["c"], cell["c2"] + 1):
                at.setdefault((r, c), i)
    height = max((cell["r2"] for cell in cells), default=-1)
    width = max((cell["c2"] for cell in cells), default=-1)
    pairs = collections.Counter()
    for cell in cells:
        right = next((at[cell["r"], c] for c in range(cell["c2"] + 1, width + 1) if (cell["r"], c) in at), None)
        below = next((at[r, cell["c"]] for r in range(cell["r2"] + 1, height + 1) if (r, cell["c"]) in at), None)
        for way, other in (("right", right), ("below", below)):
            if other is not None:
                pairs[cell["n"], cells[other]["n"], way] += 1
    return pairs


def addresses(cells):
    """The written cells of a table as a multiset of (text, r, r2, c, c2), counted from its own corner."""
    cells = written(cells)
    top = min((cell["r"] for cell in cells), default=0)
    left = min((cell["c"] for cell in cells), default=0)
    return collections.Counter(
        (cell["n"], cell["r"] - top, cell["r2"] - top, cell["c"] - left, cell["c2"] - left) for cell in cells)


class Score:
    """How many of the wanted were found and how many found were wanted."""

    def __init__(self):
        self.right = self.found = self.wanted = 0

    def add(self, gold, ours):
        """Two multisets, or three numbers through `count`."""
        return self.count((gold & ours).total(), ours.total(), gold.total())

    def count(self, right, found, wanted):
        self.right, self.found, self.wanted = self.right + right, self.found + found, self.wanted + wanted
        return self

    @property
    def precision(self):
        return self.right / self.found if self.found else 1.0 if not self.wanted else 0.0

    @property
    def recall(self):
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def f1(self):
        total = self.found + self.wanted
        return 2 * self.right / total if total else 1.0

    def as_dict(self):
        return {"precision": round(self.precision, 4), "recall": round(self.recall, 4), "f1": round(self.f1, 4),
                "right": self.right, "found": self.found, "wanted": self.wanted}


# ---- boxes

def union(boxes):
    boxes = [box for box in boxes if box]
    if not boxes:
        return None
    return [min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)]


def iou(a, b):
    """The share of two boxes' union that is in both."""
    if not a or not b:
        return 0.0
    width, height = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    if width <= 0 or height <= 0:
        return 0.0
    area = lambda box: (box[2] - box[0]) * (box[3] - box[1])
    return width * height / (area(a) + area(b) - width * height)


def pair_up(left, right, least):
    """One to one, best overlap first: [(i, j, overlap)] with overlap of `least` or more."""
    all_pairs = [(iou(a, b), i, j) for i, a in enumerate(left) for j, b in enumerate(right)]
    taken_left, taken_right, pairs = set(), set(), []
    for overlap, i, j in sorted(all_pairs, key=lambda p: (-p[0], p[1], p[2])):
        if overlap >= least and overlap > 0 and i not in taken_left and j not in taken_right:
            pairs.append((i, j, overlap))
            taken_left.add(i)
            taken_right.add(j)
    return pairs


class Page:
    """Where things stand on a page: between the file's coordinates and the page as it is shown."""

    def __init__(self, page):
        self.rotation = page.get_rotation() % 360
        media, crop = page.get_mediabox(), page.get_cropbox()
        cut = (max(media[0], crop[0]), max(media[1], crop[1]), min(media[2], crop[2]), min(media[3], crop[3]))
        self.crop = cut if cut[2] > cut[0] and cut[3] > cut[1] else media
        self.media = media

    @property
    def size(self):
        left, bottom, right, top = self.crop
        size = (right - left, top - bottom)
        return size[::-1] if self.rotation in (90, 270) else size

    def shown(self, left, bottom, right, top):
        """A box of the file as a box of the page as shown."""
        l, b, r, t = self.crop
        x = {0: (left - l, right - l), 90: (bottom - b, top - b), 180: (r - right, r - left), 270: (t - top, t - bottom)}
        y = {0: (t - top, t - bottom), 90: (left - l, right - l), 180: (bottom - b, top - b), 270: (r - right, r - left)}
        return [x[self.rotation][0], y[self.rotation][0], x[self.rotation][1], y[self.rotation][1]]

    def stored(self, box):
        """The other way: left, bottom, right, top in the file."""
        x0, y0, x1, y1 = box
        l, b, r, t = self.crop
        return {0: (l + x0, t - y1, l + x1, t - y0), 90: (l + y0, b + x0, l + y1, b + x1),
                180: (r - x1, b + y0, r - x0, b + y1), 270: (r - y1, t - x1, r - y0, t - x0)}[self.rotation]


def letters(page):
    """The boxes of all characters on a page that are not white space, as shown."""
    import pypdfium2.raw as raw
    place, text, boxes = Page(page), page.get_textpage(), []
    edges = [ctypes.c_double() for _ in range(4)]
    left, right, bottom, top = edges
    for i in range(text.count_chars()):
        if raw.FPDFText_GetUnicode(text.raw, i) <= 32:
            continue
        if raw.FPDFText_GetCharBox(text.raw, i, left, right, bottom, top):
            boxes.append([round(v, 2) for v in place.shown(left.value, bottom.value, right.value, top.value)])
    return boxes


def shrink(box, boxes):
    """A table's box drawn in to the characters whose middle is inside it; the box itself where none is."""
    inside = [b for b in boxes if box[0] <= (b[0] + b[2]) / 2 <= box[2] and box[1] <= (b[1] + b[3]) / 2 <= box[3]]
    return union(inside) or box


# ---- what our reader prints

def read_dump(path):
    """A saved dump by file name: {absolute path: line}."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file if line.strip()]
    return {os.path.abspath(line["file"]): line for line in lines}


def run_dump(binary, files):
    """What the binary prints of files, all in one process; where it dies, the rest goes through another."""
    found, left = {}, [os.path.abspath(f) for f in files]
    while left:
        done = subprocess.run([binary, *left[:200]], capture_output=True, timeout=3600)
        lines = [json.loads(line) for line in done.stdout.decode("utf-8", "replace").splitlines()
                 if line.startswith("{")]
        for line in lines:
            found[os.path.abspath(line["file"])] = line
        rest = [f for f in left if f not in found]
        if done.returncode and rest and rest[0] in left[:200]:
            last = done.stderr.decode("utf-8", "replace").strip().splitlines()
            found[rest[0]] = {"file": rest[0], "error": f"died with {done.returncode}: {(last or [''])[0][:200]}"}
            rest = rest[1:]
        elif len(rest) == len(left):
            raise SystemExit(f"{binary} printed nothing of {left[0]}")
        left = rest
    return found


def our_lines(args, files):
    """What ours read of files, from --dump or by running --binary; None where neither is there."""
    files = [os.path.abspath(f) for f in files]
    if args.dump:
        saved = read_dump(args.dump)
        by_name = {os.path.basename(k): v for k, v in saved.items()}
        return {f: saved.get(f) or by_name.get(os.path.basename(f)) or {"error": "not in the dump"} for f in files}
    if not os.access(args.binary, os.X_OK):
        return None
    return run_dump(args.binary, files)


def our_tables(line):
    """The tables of a dumped file, one part a page."""
    parts = []
    for block in (line or {}).get("blocks", ()):
        if block["kind"] != "table":
            continue
        pages = collections.defaultdict(list)
        for cell in block["cells"]:
            pages[cell.get("page") or block.get("page")].append(cell)
        for page, cells in sorted(pages.items(), key=lambda p: p[0] or 0):
            box = union(c.get("bbox") for c in cells if norm(c["text"])) or block.get("bbox")
            parts.append({"page": page, "bbox": box, "cells": cells, "notes": block.get("notes")})
    return parts


# ---- fixtures

def fixtures(args, *names):
    """The folders of unpacked fixtures, unpacking what is not there yet: {name: folder}."""
    import zstandard
    folders = {}
    for packed in sorted((pathlib.Path(args.data) / "fixtures").glob("*.tar.zst")):
        name = packed.name.removesuffix(".tar.zst")
        if names and name not in names:
            continue
        folders[name] = folder = pathlib.Path(args.fixtures) / name
        if folder.exists():
            continue
        half = folder.with_name(f"{name}.part")
        half.mkdir(parents=True, exist_ok=True)
        with open(packed, "rb") as file:
            stream = io.BufferedReader(zstandard.ZstdDecompressor().stream_reader(file))
            with tarfile.open(fileobj=stream, mode="r|") as tar:
                tar.extractall(half, filter="data")
        half.rename(folder)
    return folders


def all_pdfs(args, *names):
    """The PDF files of fixtures, in order."""
    return [p for folder in fixtures(args, *names).values() for p in sorted(folder.rglob("*.pdf"))]


def icdar(args):
    """The gold tables by (file, page), and all files: boxes turned to ours."""
    import pypdfium2
    folder = pathlib.Path(args.data) / "icdar2013"
    gold, heights = collections.defaultdict(list), {}
    for line in open(folder / "tables.jsonl", encoding="utf-8"):
        table = json.loads(line)
        file = os.path.abspath(folder / table["pdf"])
        if file not in heights:
            document = pypdfium2.PdfDocument(file)
            # The gold counts up from the unturned page's height, also where the page is turned.
            heights[file] = [page.get_mediabox()[3] for page in document]
        height = heights[file][table["page"] - 1]
        cells = [dict(c, bbox=[c["bbox"][0], height - c["bbox"][3], c["bbox"][2], height - c["bbox"][1]])
                 for c in table["cells"]]
        gold[file, table["page"]].append(
            {"page": table["page"], "cells": cells, "bbox": union(c["bbox"] for c in cells), "id": table["id"]})
    return gold, {file: len(pages) for file, pages in sorted(heights.items())}


def digest(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()[:24]


def table_of(rows, header):
    """Rows of texts as lines of even columns, numbers to the right."""
    rows = [[str(v) if not isinstance(v, float) else f"{v:.3f}" for v in row] for row in rows]
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = []
    for row in [header, ["-" * w for w in widths], *rows]:
        lines.append("  ".join(v.ljust(w) if i == 0 else v.rjust(w) for i, (v, w) in enumerate(zip(row, widths))).rstrip())
    return "\n".join(lines)
