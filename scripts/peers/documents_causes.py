"""Why our text and tables differ from docling's ground truth: every differing word and cell gets one cause.

A cause says whose it is: "ours" (we lost or invented something), "theirs" (the truth lacks it, or writes it
so by design), "either" (a matter of taste, or the evidence does not tell). Rules look at what both sides say
of a word: its line in the Markdown, its label in the truth's JSON, our block. What no rule takes is "unexplained".
"""

import collections
import re

import documents_common as common
from documents_cells import cell_causes
from documents_evidence import UNEXPLAINED, WORKBOOKS, Diff, Evidence, our_side, truth_items, truth_lines, truth_side

WHOSE = {
    # words
    "XML read as plain text, tags and all": "ours",
    "letters of right-to-left text in another order": "ours",
    "letters of right-to-left text read otherwise": "either",
    "words run together": "ours",
    "words parted that the truth runs together": "either",
    "raised or lowered signs set apart": "theirs",
    "formula as LaTeX, ours as a line of text": "either",
    "check box as [x], ours as a sign": "either",
    "`image` for a picture without a description": "ours",
    "description of a picture": "theirs",
    "text inside a picture or drawing": "theirs",
    "text beside a picture of the truth, perhaps in it": "either",
    "kind of a picture or chart, put in by the truth": "theirs",
    "chart of a workbook": "ours",
    "chart without its values": "ours",
    "comment of a workbook": "ours",
    "who wrote a comment and when": "either",
    "note or comment that the Markdown leaves out": "theirs",
    "running head, foot or page number kept": "ours",
    "running head, foot or page number dropped": "either",
    "head, foot and menus of a web page": "theirs",
    "text the web page hides": "ours",
    "words parted at a tag of the file": "theirs",
    "text the truth keeps apart from the page": "theirs",
    "address of a link": "theirs",
    "name of a sheet": "either",
    "title of a table, not counted as text": "either",
    "midnight after a date": "theirs",
    "spanning cell, not at all of its places": "ours",
    "spanning cell, at more places than in the truth": "either",
    "number or sign of a list item lost": "ours",
    "number or sign of a list item, put in by the truth": "theirs",
    "number or sign of a list item, only ours": "either",
    "marks of another program in the file, read as text": "either",
    "markup read as text": "ours",
    "entity in code, decoded in the truth alone": "theirs",
    "text outside the marks of another program": "theirs",
    "order: cells of a table": "either",
    "order: captions and notes": "either",
    "order: right-to-left text": "ours",
    "order: text": "either",
    "cell text of a table lost": "ours",
    # cells
    "table found as text or not at all": "ours",
    "table where the truth has a picture or chart": "theirs",
    "table where the truth has text": "ours",
    "tables of one sheet joined": "either",
    "tables joined": "ours",
    "table split": "ours",
    "cells joined": "ours",
    "cells parted": "either",
    "only white space or signs differ": "either",
    "cell holds more or less of a list, table or line": "either",
    "formula in a cell": "either",
    "spans of a cell lost": "ours",
    "spans of a cell differ": "either",
    "cell in another row or column": "either",
    "cell not in our table": "ours",
    "cell not in their table": "either",
    "value written otherwise": "either",
    UNEXPLAINED: "ours",
}


# ---- rules for words

RIGHT_TO_LEFT = re.compile(r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def gap_cause(lost, added, seen):
    """The cause of a gap between equal words, where both sides of it tell it together."""
    have, want = "".join(w.text for w in added), "".join(w.text for w in lost)
    if any(w.label == "formula" or re.search(r"\\[a-z]+", w.line) and "$" in w.line for w in lost):
        return "formula as LaTeX, ours as a line of text"
    if not (have and want):
        return None
    if seen.format == "xml" and any(w.label == "markup" for w in added):
        return "XML read as plain text, tags and all"
    if have == want and len(added) < len(lost):
        script = any(w.text in seen.raised for w in lost)
        at_tag = all(w.text in seen.source for w in added)
        return ("raised or lowered signs set apart" if script else "words parted at a tag of the file" if at_tag else
                "words run together")
    if have == want:
        return "words parted that the truth runs together"
    return right_to_left(want, have)


def right_to_left(want, have):
    from rapidfuzz.distance import Indel
    if not (RIGHT_TO_LEFT.search(want) and RIGHT_TO_LEFT.search(have)):
        return None
    if sorted(have) == sorted(want):
        return "letters of right-to-left text in another order"
    return "letters of right-to-left text read otherwise" if Indel.normalized_similarity(want, have) > 0.6 else None


def lost_early(run, seen):
    word, texts = run[0], [w.text for w in run]
    if word.label == "sheet" or seen.format in WORKBOOKS and word.label == "title":
        return "name of a sheet"
    if word.label == "kind":
        return "kind of a picture or chart, put in by the truth"
    if word.label == "chart" or word.label == "caption" and seen.format in WORKBOOKS:
        return "chart of a workbook" if seen.format in WORKBOOKS else "chart without its values"
    if word.label == "comment":
        whole = len(run) >= 0.9 * len(seen.words(word.line))
        return "comment of a workbook" if whole else "who wrote a comment and when"
    if set(texts) == {"x"} and re.search(r"\[x\]", word.line):
        return "check box as [x], ours as a sign"
    if set(texts) == {"00"} and re.search(r"\d{4}-\d\d-\d\d 00:00:00", word.line):
        return "midnight after a date"
    if all(any(t in seen.words(a) for a in re.findall(r"\]\((\S*)", word.line)) for t in texts) and "](" in word.line:
        return "address of a link"
    if seen.has(seen.titles, run):
        return "title of a table, not counted as text"
    return None


def added_early(run, seen):
    word = run[0]
    if word.label == "image" and word.line.strip().casefold() == "image":
        return "`image` for a picture without a description"
    if word.label == "markup":
        return ("XML read as plain text, tags and all" if seen.format == "xml" else
                "marks of another program in the file, read as text" if "<|" in word.line else
                "entity in code, decoded in the truth alone" if f"&{word.text};" in word.line or "&#" in word.line else
                "markup read as text")
    if word.label == "note" and seen.has(seen.notes, run):
        return "note or comment that the Markdown leaves out"
    if seen.has(seen.apart, run):
        return "running head, foot or page number kept" if seen.format == "pdf" else "text the truth keeps apart from the page"
    return None


LIST_SIGN = re.compile(r"(\d{1,3}|[a-z]|[ivx]{1,5})")


def lost_late(run, seen):
    word, texts = run[0], [w.text for w in run]
    item = (word.block or {}).get("item", {})
    if seen.format == "xml" and all(t in seen.stripped for t in texts):
        return "XML read as plain text, tags and all"
    if word.label == "cell":
        spans = max(item.get("row_span", 1), item.get("col_span", 1)) > 1
        return "spanning cell, not at all of its places" if spans else "cell text of a table lost"
    if word.label in ("page_header", "page_footer") or seen.format == "pdf" and seen.lines[word.line] > 1:
        return "running head, foot or page number dropped"
    if len(run) == 1 and LIST_SIGN.fullmatch(texts[0]) and re.match(rf"\s*([-*] )?{texts[0]}\W", word.line, re.I):
        ours = texts[0] in seen.words(item.get("marker") or item.get("orig") or "")
        return "number or sign of a list item lost" if ours else "number or sign of a list item, put in by the truth"
    return None


def added_late(run, seen):
    word = run[0]
    if seen.format == "xml":
        return "XML read as plain text, tags and all"
    if word.label == "image" or len(run) > 1 and seen.has(seen.pictures, run):
        return "description of a picture"
    if word.label == "note":
        return "note or comment that the Markdown leaves out"
    if seen.has(seen.page_rim, run):
        return "head, foot and menus of a web page"
    if seen.has(seen.hidden, run):
        return "text the web page hides"
    if word.label == "cell" and max(word.block["r2"] - word.block["r"], word.block["c2"] - word.block["c"]):
        return "spanning cell, at more places than in the truth"
    if "<|ref|>" in seen.whole and "<|ref|>" not in word.line:
        return "text outside the marks of another program"
    if inside_picture(word.block, seen.boxes):
        return "text inside a picture or drawing"
    if word.pictures and seen.format in ("pdf", "md"):
        return "text beside a picture of the truth, perhaps in it"
    if id(word.block) in seen.edges:
        return "running head, foot or page number kept"
    if len(run) == 1 and word.label == "item" and LIST_SIGN.fullmatch(word.text):
        return "number or sign of a list item, only ours"
    return None


def inside_picture(block, boxes):
    box = (block or {}).get("bbox")
    if not box:
        return False
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return any(page == block["page"] and b[0] <= x <= b[2] and b[1] <= y <= b[3] for page, b in boxes)


def order_cause(word):
    kinds = {"cell": "order: cells of a table", "caption": "order: captions and notes", "footnote": "order: captions and notes"}
    return "order: right-to-left text" if RIGHT_TO_LEFT.search(word.line) else kinds.get(word.label, "order: text")


# ---- the words of a file

def word_causes(path, md, truth, line, judge):
    """Every differing word of a file as [Diff]."""
    from rapidfuzz.distance import Indel
    items, apart = truth_items(truth)
    want, have = truth_side(md, items, judge), our_side(line, judge)
    seen = Evidence(path, truth, line, items, apart, judge)
    seen.lines = collections.Counter(line for line, *_ in truth_lines(md))
    found, left = [], ([], [])
    for lost, added in gaps(Indel.opcodes([w.text for w in want], [w.text for w in have]), want, have):
        cause = gap_cause(lost, added, seen)
        if cause:
            found.append((cause, lost, added))
            continue
        for side, run, rule in ((0, lost, lost_early), (1, added, added_early)):
            for piece in pieces(run):
                cause = rule(piece, seen)
                if cause:
                    found.append((cause, *((piece, []) if side == 0 else ([], piece))))
                else:
                    left[side].append(piece)
    found += moved(*left)
    for side, rule in ((0, lost_late), (1, added_late)):
        for piece in left[side]:
            if piece:
                found.append((rule(piece, seen) or UNEXPLAINED, *((piece, []) if side == 0 else ([], piece))))
    return [Diff(path.name, seen.format, "words", cause, len(lost), len(added), example(lost, added))
            for cause, lost, added in found]


NEAR = 10  # words within which a picture of the truth is beside a gap


def gaps(opcodes, want, have):
    """What stands between equal words: [(lost, added)]. Our words learn whether the truth has a picture there."""
    lost, added, before = [], [], 0
    for op in [*opcodes, None]:
        if op is None or op.tag == "equal":
            after = want[min(op.src_start + NEAR, len(want) - 1)].pictures if op else 10**6
            for word in added:
                word.pictures = int(after > before)
            if lost or added:
                yield from one_by_one(lost, added)
            lost, added, before = [], [], want[max(op.src_end - 1 - NEAR, 0)].pictures if op else 0
        else:
            lost, added = lost + want[op.src_start:op.src_end], added + have[op.dest_start:op.dest_end]


def one_by_one(lost, added):
    """A gap of words in right-to-left letters is compared word by word."""
    if len(lost) == len(added) and all(right_to_left(a.text, b.text) for a, b in zip(lost, added)):
        return [([a], [b]) for a, b in zip(lost, added)]
    return [(lost, added)]


def pieces(run):
    """A run cut where line, label or block changes."""
    cut = []
    for word in run:
        last = cut[-1][-1] if cut else None
        if last and last.line == word.line and last.label == word.label and last.block is word.block:
            cut[-1].append(word)
        else:
            cut.append([word])
    return cut


def moved(lost, added):
    """Takes out words that are on both sides, elsewhere: they differ in order alone."""
    spare = collections.Counter(w.text for piece in added for w in piece)
    spare &= collections.Counter(w.text for piece in lost for w in piece)
    found, again = [], collections.Counter(spare)
    for side, bag in ((lost, spare), (added, again)):
        for i, piece in enumerate(side):
            take = []
            for word in piece:
                if bag[word.text] > 0:
                    bag[word.text] -= 1
                    take.append(word)
            if take:
                side[i] = [w for w in piece if all(w is not t for t in take)]
                found.append((order_cause(take[0]), *((take, []) if side is lost else ([], take))))
    return found


def example(lost, added):
    short = lambda run: " ".join(w.text for w in run)[:60]
    return " → ".join(part for part in (f"−{short(lost)}" if lost else "", f"+{short(added)}" if added else "") if part)


# ---- what is printed

def table(diffs, unit):
    """Rows by cause and format, the most costly cause first."""
    rows = collections.defaultdict(list)
    for diff in diffs:
        if diff.unit == unit:
            rows[diff.cause, diff.format].append(diff)
    cost = lambda group: sum(d.lost + d.added for d in group)
    by_cause = collections.Counter()
    for (cause, _), group in rows.items():
        by_cause[cause] += cost(group)
    total = sum(by_cause.values()) or 1
    formats = collections.Counter()
    for (_, form), group in rows.items():
        formats[form] += cost(group)
    rows = sorted(rows.items(), key=lambda r: (-by_cause[r[0][0]], r[0][0], -cost(r[1])))
    return [{"cause": cause, "whose": WHOSE[cause], "format": form, "files": len({d.file for d in group}),
             "lost": sum(d.lost for d in group), "added": sum(d.added for d in group), "share": round(cost(group) / total, 4),
             "in_format": round(cost(group) / formats[form], 4),
             "examples": [f"{d.file}: {d.example}" for d in sorted(group, key=lambda d: -d.lost - d.added)]}
            for (cause, form), group in rows]


def show(diffs, limit, wanted):
    for unit in ("words", "cells"):
        rows = table(diffs, unit)
        lines = [[r["cause"], r["whose"], r["format"], r["files"], r["lost"], r["added"], f"{r['share']:.1%}",
                  f"{r['in_format']:.1%}"] for r in rows]
        lines = common.table_of(lines, ["cause", "whose", "format", "files", "lost", "added", "of all", "of format"]).splitlines()
        print(f"\n{unit} that differ, by cause")
        print("\n".join(f"{a}  {b}" for a, b in zip(lines, ["example", "-------", *(r["examples"][0][:90] for r in rows)])))
        print(whose_line(rows))
        for name in sorted({r["cause"] for r in rows if any(w in r["cause"] for w in wanted or [UNEXPLAINED])}):
            print(f"\n{name}, {unit}:")
            examples = [e for r in rows if r["cause"] == name for e in r["examples"]]
            print("\n".join(f"  {e}" for e in examples[:limit]))


def whose_line(rows):
    """How much is whose, over all formats and without XML, which alone outweighs the rest."""
    parts = []
    for text, group in (("all", rows), ("without xml", [r for r in rows if r["format"] != "xml"])):
        cost = collections.Counter()
        for row in group:
            cost[UNEXPLAINED if row["cause"] == UNEXPLAINED else row["whose"]] += row["lost"] + row["added"]
        total = cost.total() or 1
        parts.append(f"{text} ({total}): " + ", ".join(f"{k} {v / total:.1%}" for k, v in cost.most_common()))
    return "\n".join(parts)
