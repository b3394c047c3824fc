"""`measure-documents places`: whether the text of a cell or sentence stands in the box it is said to stand in."""

import collections
import json
import os
import pathlib
import random
import re

import documents_common as common

SENTENCE = re.compile(r"(?<=[.!?。！？])\s+")
HYPHENS = str.maketrans("", "", "-\u2010\u2011\u00ad")


def measure(args):
    files = list(common.icdar(args)[1]) + [os.path.abspath(p) for p in common.all_pdfs(args, "docling")]
    if args.only:
        files = [f for f in files if any(name in f for name in args.only)]
    lines = common.our_lines(args, files)
    if lines is None:
        raise SystemExit(f"{args.binary} is not there: build it, or give --dump or --binary")
    report = {}
    for kind, found in (("cells", cells_of(lines)), ("sentences", sentences_of(lines))):
        placed = [item for item in found if item["page"] and item["bbox"]]
        chosen = random.Random(5).sample(placed, min(args.sample, len(placed)))
        report[kind] = {"all": len(found), "without_place": len(found) - len(placed), "results": look_up(args, chosen)}
    if args.json:
        print(json.dumps(report, indent=1))
    else:
        show(args, report)


def item(file, block, text):
    return {"file": file, "page": block.get("page"), "bbox": block.get("bbox"), "text": text}


def cells_of(lines):
    return [item(file, cell, cell["text"]) for file, line in sorted(lines.items()) for block in line.get("blocks", ())
            if block["kind"] == "table" for cell in block["cells"] if common.norm(cell["text"])]


def sentences_of(lines):
    return [item(file, block, text) for file, line in sorted(lines.items()) for block in line.get("blocks", ())
            if block["kind"] not in ("table", "image") for text in SENTENCE.split(block.get("text") or "")
            if common.norm(text)]


def look_up(args, chosen):
    """Each item with what two programs read in its box."""
    import pymupdf
    import pypdfium2
    by_file = collections.defaultdict(list)
    for one in chosen:
        by_file[one["file"]].append(one)
    for file, items in by_file.items():
        pdfium = pypdfium2.PdfDocument(file)
        with pymupdf.open(file) as mupdf:
            for one in items:
                judge(one, with_pdfium(pdfium, one, args.margin), with_mupdf(mupdf, one, args.margin))
    return chosen


def wider(box, margin):
    return [box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin]


def with_pdfium(document, one, margin):
    if one["page"] > len(document):
        return ["", ""]
    page = document[one["page"] - 1]
    place, text = common.Page(page), page.get_textpage()
    bounded = lambda box: text.get_text_bounded(*place.stored(box))
    return [bounded(wider(one["bbox"], m)) for m in (0, margin)]


def with_mupdf(document, one, margin):
    if one["page"] > len(document):
        return ["", ""]
    page = document[one["page"] - 1]
    return [page.get_text("text", clip=wider(one["bbox"], m)) for m in (0, margin)]


def key(text):
    """Compared without white space, case and hyphens: a word cut at the end of a line may be put together."""
    return common.norm(text).translate(HYPHENS)


def judge(one, pdfium, mupdf):
    want = key(one["text"])
    inside = lambda texts: any(want in key(text) for text in texts)
    letters = collections.Counter(want)
    one["pdfium"], one["mupdf"] = inside(pdfium), inside(mupdf)
    one["letters"] = any(not letters - collections.Counter(key(text)) for text in pdfium + mupdf)
    one["just"] = any(want == key(text) for text in pdfium + mupdf)
    one["seen"] = pdfium[-1][:120]


def show(args, report):
    rows = []
    for kind, part in report.items():
        results = part["results"]
        share = lambda test: sum(map(test, results)) / len(results) if results else float("nan")
        rows.append([kind, part["all"], part["without_place"], len(results), share(lambda r: r["pdfium"] or r["mupdf"]),
                     share(lambda r: r["pdfium"]), share(lambda r: r["mupdf"]), share(lambda r: r["letters"]), share(lambda r: r["just"])])
    print(f"the box, {args.margin:g} points wider on every side, contains the text; without white space, case and hyphens")
    print("letters: all its letters are there, in any order; just: nothing else is in the box\n")
    print(common.table_of(rows, ["", "all", "no place", "sample", "either", "pdfium", "mupdf", "letters", "just"]))
    for kind, part in report.items():
        bad = [r for r in part["results"] if not (r["pdfium"] or r["mupdf"])]
        for r in bad[: args.limit]:
            box = " ".join(f"{v:.0f}" for v in r["bbox"])
            print(f"{kind}: {pathlib.Path(r['file']).name} page {r['page']} [{box}]\n   said {r['text'][:120]!r}\n   seen {r['seen']!r}")
