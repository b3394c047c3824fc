"""`measure-documents documents`: text and tables of documents against docling's ground truth."""

import collections
import html
import json
import re
import sys
import unicodedata

import documents_causes as causes
import documents_common as common
from documents_common import Score

WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
MARKUP = [(re.compile(r"<!--.*?-->", re.S), " "), (re.compile(r"!\[([^\]]*)\]\([^)]*\)"), " "),
          (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"), (re.compile(r"</?[a-zA-Z][^>\n]*>"), " "),
          (re.compile(r"^\s*\|?[-:| ]+\|\s*$", re.M), " "), (re.compile(r"\\([\\`*_{}\[\]()#+.!<>|-])"), r"\1"),
          (re.compile(r"[*`]+|^#+ |\|", re.M), " ")]


def measure(args):
    pairs, without = with_truth(args)
    if args.only:
        pairs = [p for p in pairs if any(name in str(p[0]) for name in args.only)]
    lines = common.our_lines(args, [p[0] for p in pairs])
    if lines is None:
        raise SystemExit(f"{args.binary} is not there: build it, or give --dump or --binary")
    rows = [judge(path, md, truth, lines[str(path)]) for path, md, truth in pairs]
    formats = collections.defaultdict(list)
    for row in rows:
        formats[row["format"]].append(row)
    means = {name: mean_of(group) for name, group in sorted(formats.items())}
    diffs = [diff for path, md, truth in pairs for diff in differences(path, md, truth, lines[str(path)])]
    if args.json:
        by_cause = {unit: causes.table(diffs, unit) for unit in ("words", "cells")}
        print(json.dumps({"files": rows, "formats": means, "without_truth": without, "causes": by_cause}, indent=1))
    else:
        show(rows, means, without, args.limit)
        causes.show(diffs, args.limit, args.cause)


def differences(path, md, truth, line):
    """Every difference of a file with its cause; of a file that was not read, none."""
    if line.get("error"):
        return []
    words_of = causes.word_causes(path, md, truth, line, sys.modules[__name__]) if md else []
    return words_of + (causes.cell_causes(path, truth, line, sys.modules[__name__]) if truth else [])


def with_truth(args):
    """Every source with its Markdown and JSON truth, where there is one: [(path, md, json)], [names without]."""
    pairs, without = [], []
    for path in sorted(common.fixtures(args, "docling")["docling"].resolve().rglob("*")):
        if not path.is_file() or "groundtruth" in path.parts or path.parent.name == "data":
            continue
        home = path.parent.parent if path.parent.name == "sources" else path.parent
        names = [path.name, path.stem] + ([f"{path.stem}.nxml"] if path.suffix == ".xml" else [])
        files = {kind: next((f for n in names if (f := home / "groundtruth" / f"{n}.{kind}").exists()), None)
                 for kind in ("md", "json")}
        if files["md"] or files["json"]:
            pairs.append((path, files["md"], files["json"]))
        else:
            without.append(f"{home.name}/{path.name}")
    return pairs, without


def words(text):
    return WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def truth_words(path):
    """The words of a Markdown file without its markup."""
    return plain_words(path.read_text(encoding="utf-8", errors="replace"))


def plain_words(text):
    for pattern, put in MARKUP:
        text = pattern.sub(put, text)
    return words(html.unescape(text))


def our_words(line):
    """The words of all blocks in order; a spanning cell counts once for every place, as in the Markdown."""
    text = []
    for block in line.get("blocks", ()):
        if block["kind"] != "table":
            text.append(block.get("text") or "")
            continue
        at = {(r, c): cell["text"] for cell in block["cells"]
              for r in range(cell["r"], cell["r2"] + 1) for c in range(cell["c"], cell["c2"] + 1)}
        text += [at[key] for key in sorted(at)]
    return words("\n".join(text))


def truth_tables(path):
    tables = []
    for table in json.loads(path.read_text(encoding="utf-8")).get("tables", ()):
        tables.append([{"r": c["start_row_offset_idx"], "r2": max(c["end_row_offset_idx"] - 1, c["start_row_offset_idx"]),
                        "c": c["start_col_offset_idx"], "c2": max(c["end_col_offset_idx"] - 1, c["start_col_offset_idx"]),
                        "text": c.get("text") or ""} for c in table["data"]["table_cells"]])
    return tables


def whole_tables(line):
    return [block["cells"] for block in line.get("blocks", ()) if block["kind"] == "table"]


def judge(path, md, truth, line):
    from rapidfuzz.distance import Indel
    row = {"file": path.name, "format": path.suffix[1:].lower(), "error": line.get("error"),
           "warnings": line.get("warnings") or []}
    if md and not row["error"]:
        want, have = truth_words(md), our_words(line)
        bag = Score().add(collections.Counter(want), collections.Counter(have))
        row |= {"text": Indel.normalized_similarity(want, have) if want or have else 1.0,
                "word_recall": bag.recall, "word_precision": bag.precision}
    elif md:
        row |= {"text": 0.0, "word_recall": 0.0, "word_precision": 0.0}
    if truth:
        row |= judge_tables(truth_tables(truth), [] if row["error"] else whole_tables(line))
    return row


def judge_tables(want, have):
    """Texts of cells and pairs of neighbours, over all tables of a file."""
    pool = lambda tables, of: sum((of(cells) for cells in tables), collections.Counter())
    texts = lambda cells: collections.Counter(c["n"] for c in common.written(cells))
    row = {"gold_tables": len(want), "tables": len(have)}
    if want or have:
        row["cells_f1"] = Score().add(pool(want, texts), pool(have, texts)).f1
        row["adjacency_f1"] = Score().add(pool(want, common.neighbours), pool(have, common.neighbours)).f1
    return row


FIGURES = ("text", "word_recall", "word_precision", "cells_f1", "adjacency_f1")


def mean_of(group):
    means = {"files": len(group), "errors": sum(bool(r["error"]) for r in group),
             "gold_tables": sum(r.get("gold_tables", 0) for r in group), "tables": sum(r.get("tables", 0) for r in group)}
    for name in FIGURES:
        values = [r[name] for r in group if r.get(name) is not None]
        means[name] = round(sum(values) / len(values), 4) if values else None
    return means


def show(rows, means, without, limit):
    cell = lambda value: "" if value is None else value
    header = ["", "text", "words R", "words P", "gold tables", "tables", "cells F1", "adj F1"]
    line = lambda name, r: [name, *(cell(r.get(f)) for f in FIGURES[:3]), cell(r.get("gold_tables")), cell(r.get("tables")),
                            *(cell(r.get(f)) for f in FIGURES[3:])]
    for name in means:
        group = sorted((r for r in rows if r["format"] == name), key=lambda r: r.get("text", 1))
        print(common.table_of([line(r["file"][:48], r) for r in group], [name, *header[1:]]), end="\n\n")
    print(common.table_of([[f"{n} ({m['files']})", *line("", m)[1:], m["errors"]] for n, m in means.items()],
                          ["mean by format", *header[1:], "errors"]))
    causes = collections.defaultdict(list)
    for r in rows:
        if r["error"]:
            causes[cause(r["error"], r["file"])].append(r["file"])
    print("\nfailures by cause" if causes else "\nno failures")
    for text, files in sorted(causes.items(), key=lambda p: -len(p[1])):
        print(f"  {len(files)} × {text}: {', '.join(files[:limit])}")
    print(f"\nwithout ground truth, left out: {', '.join(without)}")


def cause(error, name):
    """An error without what differs from file to file."""
    error = error.replace(name, "FILE")
    return re.sub(r"\d+", "N", re.sub(r"(/[^\s:/]+)+/", "", error)).strip()[:160]
