"""Why the cells of our tables differ from those of docling's ground truth; see documents_causes."""

import collections
import re

import documents_common as common
from documents_evidence import UNEXPLAINED, WORKBOOKS, Diff, descriptions, truth_items


def cell_causes(path, truth, line, judge):
    """Every differing cell of a file as [Diff]."""
    form, items = path.suffix[1:].lower(), truth_items(truth)[0]
    want, have = ([common.written(cells) for cells in tables] for tables in (judge.truth_tables(truth), judge.whole_tables(line)))
    first, more = owners(want, have)
    drawn = any(item["label"] in ("kind", "chart") for item in items)
    joined = "tables of one sheet joined" if form in WORKBOOKS else "tables joined"
    found = []
    for i, cells in enumerate(want):
        if i in first:
            others = {c["n"] for k, at in more.items() if at == first[i] for c in want[k]}
            found += compare(cells, [c for c in have[first[i]] if c["n"] not in others or any(c["n"] == w["n"] for w in cells)])
        elif cells:
            found.append((joined if i in more else "table found as text or not at all", cells, []))
    for at, cells in enumerate(have):
        if cells and at not in first.values():
            split = any(shared(cells, table) * 2 >= len(cells) for table in want)
            found.append(("table split" if split else "table where the truth has a picture or chart" if drawn else
                          "table where the truth has text", [], cells))
    pictures = {common.norm(text) for text in descriptions(path)}
    found = [("description of a picture" if added and not lost and all(c["n"] in pictures for c in added) else cause, lost, added)
             for cause, lost, added in found]
    return [Diff(path.name, form, "cells", cause, len(lost), len(added), cell_example(lost, added))
            for cause, lost, added in found]


def shared(a, b):
    return (collections.Counter(c["n"] for c in a) & collections.Counter(c["n"] for c in b)).total()


def owners(want, have):
    """Which of our tables is which of theirs, one to one; and the rest that is half in one of ours: {theirs: ours} twice."""
    scores = sorted(((shared(a, b), -abs(i - j), i, j) for i, a in enumerate(want) for j, b in enumerate(have)), reverse=True)
    first, more = {}, {}
    for score, _, i, j in scores:
        if i not in first and j not in first.values() and score * 5 >= len(want[i]) and score:
            first[i] = j
    for score, _, i, j in scores:
        if i not in first and i not in more and score * 2 >= len(want[i]) and score:
            more[i] = j
    return first, more


def compare(want, have):
    """The cells of two tables that are one: [(cause, lost, added)]. Equal texts are paired first, then equal addresses."""
    left, right = corner(want), corner(have)
    lost, spare, found = [c for c in left if c not in right], [c for c in right if c not in left], []
    for same in (lambda c: c["n"], lambda c: (c["r"], c["c"])):
        for cell in list(lost):
            other = next((o for o in spare if same(o) == same(cell)), None)
            if other:
                lost.remove(cell)
                spare.remove(other)
                found.append((cell_cause(cell, other), [cell], [other]))
    inside = lambda cell, others: any(cell["n"] in o["n"] and cell["n"] != o["n"] for o in others)
    found += [("cells joined" if inside(cell, right) else "cell not in our table", [cell], []) for cell in lost]
    return found + [("cells parted" if inside(cell, left) else "cell not in their table", [], [cell]) for cell in spare]


def corner(cells):
    """Cells as their text and address, counted from the table's own corner."""
    top, left = min((c["r"] for c in cells), default=0), min((c["c"] for c in cells), default=0)
    return [{"n": c["n"], "r": c["r"] - top, "r2": c["r2"] - top, "c": c["c"] - left, "c2": c["c2"] - left} for c in cells]


def cell_cause(cell, other):
    from rapidfuzz.distance import Indel
    letters = lambda text: "".join(c for c in text if c.isalnum())
    a, b = cell["n"], other["n"]
    if a == b:
        if (cell["r"], cell["c"]) != (other["r"], other["c"]):
            return "cell in another row or column"
        wide = lambda c: c["r2"] - c["r"] + c["c2"] - c["c"]
        return "spans of a cell lost" if wide(other) < wide(cell) else "spans of a cell differ"
    if a == f"{b}00:00:00":
        return "midnight after a date"
    if re.search(r"[\\$]", a):
        return "formula in a cell"
    if letters(a) == letters(b):
        return "only white space or signs differ"
    if letters(b) in letters(a) or letters(a) in letters(b):
        return "cell holds more or less of a list, table or line"
    return "value written otherwise" if Indel.normalized_similarity(a, b) > 0.5 else UNEXPLAINED


def cell_example(lost, added):
    short = lambda cells: " | ".join(c["n"] for c in cells)[:60]
    return " → ".join(part for part in (f"−{short(lost)}" if lost else "", f"+{short(added)}" if added else "") if part)
