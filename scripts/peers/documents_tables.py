"""`measure-documents tables`: how well tables are found in PDF files, beside other programs."""

import collections
import json
import os
import pathlib
import textwrap

import documents_common as common
import documents_tools as tools
from documents_common import Score

LEAST = (0.5, 0.8)


def measure(args):
    gold, files = common.icdar(args)
    args.tools = tools.ready() if args.tools is None else args.tools
    if args.only:
        files = {f: n for f, n in files.items() if any(name in f for name in args.only)}
        gold = {key: tables for key, tables in gold.items() if key[0] in files}
    if args.show:
        return show(args, gold)
    found = everyone(args, files)
    letters = tools.found_by(args.cache, "letters", files)
    report = {name: judge(gold, files, results, letters) for name, results in found.items()}
    extra = {} if args.only or args.quick else without_tables(args, list(found))
    if args.per_file:
        per_file(report, args.per_file if isinstance(args.per_file, str) else "ours")
    return finish(args, report, extra, gold, files)


def everyone(args, files):
    """The tables found by ours and by every peer: {name: {file: {"tables", "error"}}}."""
    found = {}
    lines = common.our_lines(args, files)
    if lines is not None:
        found["ours"] = {f: {"tables": common.our_tables(line), **({"error": line["error"]} if "error" in line else {})}
                         for f, line in lines.items()}
    for tool in args.tools:
        found[tool] = tools.found_by(args.cache, tool, files)
    return found


def by_page(result, letters):
    """The tables with any text, by page, each box drawn in to the text inside it."""
    pages = collections.defaultdict(list)
    for table in result["tables"]:
        if not common.written(table["cells"]):
            continue
        boxes = letters["tables"][table["page"] - 1] if table["page"] and table["page"] <= len(letters["tables"]) else []
        box = common.shrink(table["bbox"], boxes) if table["bbox"] else None
        pages[table["page"]].append(dict(table, bbox=box))
    return pages


def judge(gold, files, results, letters):
    """All figures of one program over the files with gold tables."""
    figures = {"adjacency": Score(), "cells": Score(), "files": {}, "pages": {}, "errors": {},
               "regions": {least: Score() for least in LEAST}, "empty_pages": 0, "false_pages": 0, "false_tables": 0}
    for file, count in files.items():
        pages = by_page(results[file], letters[file])
        if "error" in results[file]:
            figures["errors"][file] = results[file]["error"]
        figures["files"][file] = Score()
        for page in range(1, count + 1):
            if (file, page) in gold:
                judge_page(figures, file, page, gold[file, page], pages[page])
            else:
                figures["empty_pages"] += 1
                figures["false_pages"] += bool(pages[page])
                figures["false_tables"] += len(pages[page])
    return figures


def judge_page(figures, file, page, wanted, found):
    want, have = (sum((common.neighbours(t["cells"]) for t in tables), collections.Counter()) for tables in (wanted, found))
    figures["pages"][file, page] = Score().add(want, have)
    for score in (figures["adjacency"], figures["files"][file]):
        score.add(want, have)
    want_boxes, have_boxes = [t["bbox"] for t in wanted], [t["bbox"] for t in found]
    for least, score in figures["regions"].items():
        score.count(len(common.pair_up(want_boxes, have_boxes, least)), len(found), len(wanted))
    pairs = common.pair_up(want_boxes, have_boxes, 0)
    want, have = [common.addresses(t["cells"]) for t in wanted], [common.addresses(t["cells"]) for t in found]
    right = sum((want[i] & have[j]).total() for i, j, _ in pairs)
    figures["cells"].count(right, sum(h.total() for h in have), sum(w.total() for w in want))


# ---- tables where there are none

def without_tables(args, names):
    """Tables found on pages of fixtures: where docling's ground truth has none, and as they come elsewhere."""
    empty = docling_pages(args)
    plain = [os.path.abspath(p) for p in common.all_pdfs(args, "pdfplumber")]
    files = list(dict.fromkeys([f for f, _ in empty] + plain))
    letters = tools.found_by(args.cache, "letters", files)
    counts = {f: len(letters[f]["tables"]) for f in plain}
    found = everyone(args, files)
    report = {}
    for name in names:
        pages = {f: by_page(found[name][f], letters[f]) for f in files}
        hits = [len(pages[f][p]) for f, p in empty]
        report[name] = {"docling_pages": len(empty), "docling_false_pages": sum(map(bool, hits)),
                        "docling_false_tables": sum(hits), "pdfplumber_pages": sum(counts.values()),
                        "pdfplumber_tables": sum(len(v) for f in plain for v in pages[f].values()),
                        "where": [f"{pathlib.Path(f).name}:{p}" for (f, p), n in zip(empty, hits) if n],
                        "errors": {pathlib.Path(f).name: found[name][f]["error"] for f in files if "error" in found[name][f]}}
    return report


def docling_pages(args):
    """Pages of docling's PDF files on which its ground truth has no table."""
    pages = []
    for path in common.all_pdfs(args, "docling"):
        truth = path.parent.parent / "groundtruth" / f"{path.stem}.json"
        if not truth.exists():
            continue
        truth = json.loads(truth.read_text())
        with_table = {prov["page_no"] for table in truth["tables"] for prov in table["prov"]}
        pages += [(os.path.abspath(path), int(p)) for p in truth["pages"] if int(p) not in with_table]
    return pages


# ---- printing

def finish(args, report, extra, gold, files):
    rows = []
    for name, f in report.items():
        a, half, most, c = f["adjacency"], f["regions"][0.5], f["regions"][0.8], f["cells"]
        rows.append([name, a.precision, a.recall, a.f1, by_document(f), c.f1, half.recall, half.precision, most.recall, most.precision,
                     f"{f['false_pages']}/{f['empty_pages']}", f["false_tables"], len(f["errors"])])
    if args.json:
        print(json.dumps({name: plain(f) | {"fixtures": extra.get(name)} for name, f in report.items()}, indent=1))
        return
    tables = sum(map(len, gold.values()))
    print(f"ICDAR 2013: {len(files)} files, {sum(files.values())} pages, {len(gold)} of them with {tables} gold regions")
    print("adjacency and cells: micro-averaged over pages with gold (by file: mean of the files' F1); R and P at an overlap of 0.5 and 0.8: of regions;")
    print("false: pages without gold on which a table was found, and how many tables\n")
    print(common.table_of(rows, ["", "adj P", "adj R", "adj F1", "by file", "cell F1", "R.5", "P.5", "R.8", "P.8", "false pages", "tables", "errors"]))
    for name, f in report.items():
        for file, error in f["errors"].items():
            print(f"{name}: {pathlib.Path(file).name}: {error}")
    if extra:
        print("\nfixtures: pages where docling's ground truth has no table; tables a page in pdfplumber's (no ground truth)\n")
        rows = [[n, f"{e['docling_false_pages']}/{e['docling_pages']}", e["docling_false_tables"],
                 f"{e['pdfplumber_tables']}/{e['pdfplumber_pages']}", len(e["errors"])] for n, e in extra.items()]
        print(common.table_of(rows, ["", "false pages", "tables", "pdfplumber tables/pages", "errors"]))
        if "ours" in extra:
            print("ours: false tables on", ", ".join(extra["ours"]["where"]) or "none")
            for file, error in extra["ours"]["errors"].items():
                print(f"ours: {file}: {error}")


def by_document(figures):
    """The mean of the files' F1: the few files with thousands of pairs count no more than the others."""
    return sum(score.f1 for score in figures["files"].values()) / max(len(figures["files"]), 1)


def plain(figures):
    """The figures as JSON has them."""
    name = lambda key: pathlib.Path(key).name
    return {"adjacency": figures["adjacency"].as_dict(), "adjacency_f1_by_file": by_document(figures), "cells": figures["cells"].as_dict(),
            "regions": {str(k): v.as_dict() for k, v in figures["regions"].items()},
            "files": {name(k): v.as_dict() for k, v in figures["files"].items()},
            "pages": {f"{name(f)}:{p}": v.as_dict() for (f, p), v in figures["pages"].items()},
            "false": {k: figures[k] for k in ("empty_pages", "false_pages", "false_tables")},
            "errors": {name(k): v for k, v in figures["errors"].items()}}


def per_file(report, by):
    """Adjacency F1 of every page, worst first by one program."""
    by = by if by in report else next(iter(report))
    names = [by] + [n for n in report if n != by]
    lost = lambda s: s.wanted + s.found - 2 * s.right
    for key, title in (("files", "files"), ("pages", "pages")):
        scores = report[by][key]
        order = sorted(scores, key=lambda k: (scores[k].f1, -lost(scores[k])))
        label = lambda k: pathlib.Path(k).name if key == "files" else f"{pathlib.Path(k[0]).name}:{k[1]}"
        rows = [[label(k), scores[k].wanted, lost(scores[k]), *(report[n][key][k].f1 for n in names)] for k in order]
        print(common.table_of(rows, [title, "gold pairs", "lost", *names]), end="\n\n")


# ---- one page, side by side

def show(args, gold):
    """Gold and found tables of a page as grids, with the pairs that are missing or wrong."""
    name, _, page = args.show.rpartition(":")
    name, page = (name, int(page)) if name else (args.show, None)
    for file in sorted({f for f, _ in gold if name in os.path.basename(f)}):
        pages = [page] if page else sorted({p for f, p in gold if f == file})
        results = everyone(args, [file])
        letters = tools.found_by(args.cache, "letters", [file])
        program = args.as_tool or ("ours" if "ours" in results else args.tools[0])
        found = by_page(results[program][file], letters[file])
        for number in pages:
            show_page(args, f"{os.path.basename(file)}:{number}", program, gold.get((file, number), []), found[number])


def show_page(args, title, program, wanted, found):
    pairs = common.pair_up([t["bbox"] for t in wanted], [t["bbox"] for t in found], 0)
    print(f"==== {title}: {len(wanted)} gold, {len(found)} of {program}")
    beside = {i: (j, overlap) for i, j, overlap in pairs}
    for i, table in enumerate(wanted):
        j, overlap = beside.get(i, (None, 0))
        left = [f"gold {table['id']} {box_text(table['bbox'])}", *grid(table["cells"])]
        right = ["not found"] if j is None else [f"{program} {box_text(found[j]['bbox'])} overlap {overlap:.2f}", *grid(found[j]["cells"])]
        print_beside(left, right, args.width)
        if j is not None:
            differences(common.neighbours(table["cells"]), common.neighbours(found[j]["cells"]), args.limit)
    for j in sorted(set(range(len(found))) - {j for j, _ in beside.values()}):
        print("\n".join([f"-- only {program} {box_text(found[j]['bbox'])}", *grid(found[j]["cells"])]))
    if wanted:
        pool = lambda tables: sum((common.neighbours(t["cells"]) for t in tables), collections.Counter())
        print("page:", Score().add(pool(wanted), pool(found)).as_dict())


def box_text(box):
    return "[" + " ".join(f"{v:.0f}" for v in box) + "]" if box else "[no box]"


def grid(cells):
    """A table as lines of even columns; spans are marked with their extent."""
    cells = common.written(cells)
    height = max(c["r2"] for c in cells) + 1
    width = max(c["c2"] for c in cells) + 1
    shown = [["" for _ in range(width)] for _ in range(height)]
    for c in cells:
        text = " ".join(c["text"].split())
        span = (c["r2"] - c["r"] + 1, c["c2"] - c["c"] + 1)
        shown[c["r"]][c["c"]] = textwrap.shorten(text, 24, placeholder="…") + (f" <{span[0]}x{span[1]}>" if span != (1, 1) else "")
        for r in range(c["r"], c["r2"] + 1):
            for k in range(c["c"], c["c2"] + 1):
                shown[r][k] = shown[r][k] or "·"
    widths = [max(len(row[k]) for row in shown) for k in range(width)]
    return ["|".join(v.ljust(w) for v, w in zip(row, widths)).rstrip() for row in shown]


def print_beside(left, right, width):
    if max(map(len, left)) + max(map(len, right)) + 3 > width:
        print("\n".join([f"-- {left[0]}", *left[1:], f"-- {right[0]}", *right[1:]]))
        return
    wide = max(map(len, left))
    for i in range(max(len(left), len(right))):
        a, b = (side[i] if i < len(side) else "" for side in (left, right))
        print(f"{a.ljust(wide)} ‖ {b}")


def differences(want, have, limit):
    for title, pairs in (("missing", want - have), ("wrong", have - want)):
        print(f"   {title}: {pairs.total()}")
        for (a, b, way), count in list(pairs.items())[:limit]:
            print(f"      {a[:50]} {'→' if way == 'right' else '↓'} {b[:50]}" + (f" ×{count}" if count > 1 else ""))
