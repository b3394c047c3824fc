#!/usr/bin/env python3
"""Checks that no cell of a workbook is lost or moved, against an independent reading with openpyxl.

    check_nothing_lost.py --dump target/debug/examples/dump_cells FILE...
    check_nothing_lost.py --library DIR --tabletalk target/release/tabletalk FILE...

With --dump the cells come from the example `dump_cells`; with --tabletalk from `show --format json` of a library
that the files were added to. Every cell that openpyxl sees must be there at its address with its value, once.
Cells that were filled from a merged range may be there in addition. Prints one line a file and a sum; exits 1 if
anything is lost, moved or doubled. Needs openpyxl.
"""
import argparse
import datetime
import json
import os
import re
import subprocess
import sys
import warnings
from collections import defaultdict

import openpyxl
from openpyxl.utils import get_column_letter

warnings.simplefilter("ignore")


def main():
    args = arguments()
    totals = defaultdict(int)
    for path in args.files:
        problem = check(path, args, totals)
        totals["files"] += 1
        if problem:
            totals["bad"] += 1
            print(f"{path}: {problem}")
    print(json.dumps(dict(totals)))
    return 1 if totals["bad"] else 0


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--dump", help="the example dump_cells")
    parser.add_argument("--tabletalk", help="the tabletalk program")
    parser.add_argument("--library", help="the library the files were added to")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    if bool(args.dump) == bool(args.tabletalk):
        parser.error("give either --dump or --tabletalk")
    return args


def check(path, args, totals):
    try:
        book = openpyxl.load_workbook(path, data_only=True)
    except Exception:  # noqa: BLE001 - whatever it cannot open, it cannot judge
        totals["not opened by openpyxl"] += 1
        return None
    if not book.worksheets:
        # It knows nothing of strict Open XML and gives an empty book.
        totals["not opened by openpyxl"] += 1
        return None
    got, doubled, error = dumped(path, args) if args.dump else shown(path, args)
    if error:
        return f"could not be read: {error}"
    lost, changed, extra = [], [], []
    for sheet in book.worksheets:
        want, merged = expected(sheet)
        found = got.pop(sheet.title, {})
        totals["cells"] += len(want)
        for a1, value in want.items():
            if a1 not in found:
                lost.append(f"{sheet.title}!{a1} {value!r}")
            elif not same(value, found[a1]):
                changed.append(f"{sheet.title}!{a1} {value!r} is {found[a1]!r}")
        extra += [f"{sheet.title}!{a1} {found[a1]!r}" for a1 in found if a1 not in want and a1 not in merged]
    extra += [f"{sheet}!{a1}" for sheet, cells in got.items() for a1 in cells]
    problems = [("lost", lost), ("changed", changed), ("extra", extra), ("twice", doubled)]
    for name, list_ in problems:
        totals[name] += len(list_)
    return "; ".join(f"{len(l)} {n}: {', '.join(l[:4])}" for n, l in problems if l)


def expected(sheet):
    """The cells that are not empty, and the addresses that a merged range covers."""
    want = {}
    # Only cells that are there: a lone cell at XFD1048576 would make iter_rows go through billions.
    for cell in list(sheet._cells.values()):
        if cell.value is not None and str(cell.value).strip():
            want[cell.coordinate] = cell.value
    merged = set()
    for area in sheet.merged_cells.ranges:
        for row in range(area.min_row, min(area.max_row, sheet.max_row) + 1):
            for col in range(area.min_col, min(area.max_col, sheet.max_column) + 1):
                merged.add(f"{get_column_letter(col)}{row}")
    return want, merged


def dumped(path, args):
    out = subprocess.run([args.dump, path], capture_output=True, text=True, check=False)
    cells, doubled = defaultdict(dict), []
    for line in out.stdout.splitlines():
        cell = json.loads(line)
        if "error" in cell:
            return {}, [], cell["error"]
        take(cells, doubled, cell["sheet"], cell["a1"], cell["text"])
    return cells, doubled, None if out.returncode == 0 else out.stderr[-300:]


def shown(path, args):
    command = [args.tabletalk, "--library", args.library, "show", document_of(path, args), "--format", "json", "--rows", "0"]
    out = subprocess.run(command, capture_output=True, text=True, check=False)
    if out.returncode != 0:
        return {}, [], out.stderr[-300:]
    document = json.loads(out.stdout)
    cells, doubled = defaultdict(dict), []
    placed = [block for block in document["blocks"] if block["kind"] != "table"]
    for table in document["tables"]:
        sheet = table["place"].get("sheet")
        placed += table["header"] + table["notes"]
        if table["title_place"]:
            placed.append({"text": table["title"], "place": table["title_place"]})
        for row in table["cells"]:
            for cell in row["cells"]:
                if cell["text"]:
                    take(cells, doubled, sheet, cell["a1"], cell["text"])
    for item in placed:
        if item["place"].get("rows"):
            take(cells, doubled, item["place"].get("sheet"), a1_of(item["place"]), item["text"])
    return cells, doubled, None


def document_of(path, args):
    """The id of the document that was read from this file."""
    if not hasattr(args, "ids"):
        out = subprocess.run([args.tabletalk, "--library", args.library, "docs", "--json"], capture_output=True, check=True)
        args.ids = {d["source"]: d["id"] for d in json.loads(out.stdout)["documents"]}
    return args.ids.get(os.path.realpath(path), path)


def a1_of(place):
    return f"{get_column_letter(place['cols'][0])}{place['rows'][0]}"


def take(cells, doubled, sheet, a1, text):
    if a1 in cells[sheet]:
        doubled.append(f"{sheet}!{a1}")
    cells[sheet][a1] = text


def same(value, text):
    """Whether a text shows a value."""
    if isinstance(value, bool):
        return text.upper() == str(value).upper()
    if isinstance(value, (int, float)):
        return same_number(value, text)
    if isinstance(value, datetime.datetime):
        moment = parsed(text)
        return moment is not None and abs((moment - value).total_seconds()) < 1
    if isinstance(value, datetime.date):
        return text.startswith(value.isoformat())
    if isinstance(value, (datetime.time, datetime.timedelta)):
        return bool(re.match(r"-?\d+:\d\d", text)) or parsed(text) is not None
    return squeeze(str(value)) == squeeze(text)


def same_number(value, text):
    percent = text.endswith("%")
    try:
        number = float(text.rstrip("%")) / (100 if percent else 1)
    except ValueError:
        # A number that openpyxl does not know to be a day.
        return parsed(text) is not None or bool(re.match(r"-?\d+:\d\d", text))
    return abs(number - value) <= 1e-9 * max(1.0, abs(value))


def parsed(text):
    for form in ("%Y-%m-%d %H:%M:%S.%f", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d", "%H:%M:%S"):
        try:
            return datetime.datetime.strptime(text, form)
        except ValueError:
            continue
    return None


def squeeze(text):
    """Without line ends in their many forms: the two readers may write them differently."""
    return re.sub(r"(?:_x000D_|\s)+", " ", text).strip()


if __name__ == "__main__":
    sys.exit(main())
