"""What tells the causes of differences: both sides as words that know where they come from, and the file itself."""

import collections
import dataclasses
import html
import json
import re
import zipfile

UNEXPLAINED = "unexplained"
WORKBOOKS = ("xlsx", "xlsm", "xls", "ods")


@dataclasses.dataclass
class Word:
    text: str
    line: str  # the Markdown line, or our block's or cell's text
    label: str  # the truth's label, or our kind of block
    block: object = None  # our block, or the truth's item
    pictures: int = 0  # how many pictures the Markdown has before it


@dataclasses.dataclass
class Diff:
    file: str
    format: str
    unit: str  # "words" or "cells"
    cause: str
    lost: int
    added: int
    example: str


# ---- both sides as words that know where they come from

def truth_side(md, items, truth):
    """The Markdown's words, line by line, with the label of the JSON's word at the same place."""
    from rapidfuzz.distance import Indel
    side = [Word(w, line, label, None, pictures) for line, label, pictures in truth_lines(md)
            for w in truth.plain_words(line)]
    flat = [(w, item) for item in items for w in truth.words(item["text"])]
    for op in Indel.opcodes([w.text for w in side], [w for w, _ in flat]):
        if op.tag == "equal":
            for word, (_, item) in zip(side[op.src_start:op.src_end], flat[op.dest_start:op.dest_end]):
                if word.label not in ("kind", "chart"):
                    word.label, word.block = item["label"], item
    return side


def truth_lines(md):
    """The Markdown's lines with what they alone tell, and how many pictures came before."""
    text = re.sub(r"<!-- image -->", "\ufffc", md.read_text(encoding="utf-8", errors="replace"))
    lines = [line for line in re.sub(r"<!--.*?-->", " ", text, flags=re.S).splitlines() if line.strip()]
    pictures, chart = 0, False
    for line, after in zip(lines, [*lines[1:], ""]):
        pictures += line.count("\ufffc")
        chart = line.endswith(" chart") or chart and line.startswith("|")
        label = label_of_line(line) or ("caption" if after == "\ufffc" else "")
        yield line.replace("\ufffc", " "), ("kind" if label != "cell" else "chart") if chart else label, pictures


def label_of_line(line):
    """What a Markdown line alone tells."""
    for label, pattern in (("cell", r"\s*\|"), ("comment", r"\[author:"), ("title", r"#+ "),
                           ("formula", r".*\$"), ("list_item", r"\s*([-*]|\d+[.)]) ")):
        if re.match(pattern, line):
            return label
    return ""


MARKUP = re.compile(r"(<\|ref\|>.*?<\|/ref\|>|<\|det\|>.*?<\|/det\|>|</?[!?a-zA-Z][^<>]*>?|^[^<>]*/?>|&#?\w+;)")


def our_side(line, truth):
    side, marked = [], line["file"].endswith((".xml", ".md", ".html"))
    for block in line.get("blocks", ()):
        if block["kind"] != "table":
            text = block.get("text") or ""
            for i, part in enumerate(MARKUP.split(text) if marked else [text]):
                side += [Word(w, text, "markup" if i % 2 else block["kind"], block) for w in truth.words(part)]
            continue
        at = {(r, c): cell for cell in block["cells"]
              for r in range(cell["r"], cell["r2"] + 1) for c in range(cell["c"], cell["c2"] + 1)}
        side += [Word(w, at[key]["text"], "cell", at[key]) for key in sorted(at) for w in truth.words(at[key]["text"])]
    return side


def truth_items(truth):
    """The JSON's items in reading order, [{label, text, layer, item}], and those it keeps off the page."""
    body, apart = [], []
    if not truth:
        return body, apart
    whole, seen = json.loads(truth.read_text(encoding="utf-8")), set()

    def put(label, text, item):
        layer = item.get("content_layer", "body")
        (apart if layer == "furniture" else body).append({"label": label, "text": text or "", "layer": layer, "item": item})

    def walk(ref):
        if ref in seen or not ref.startswith("#/"):
            return
        seen.add(ref)
        item = whole
        for key in ref[2:].split("/"):
            item = item[int(key)] if isinstance(item, list) else item.get(key, {})
        for other in item.get("captions", ()):
            walk(other["$ref"])
        own(item)
        for key in ("children", "footnotes", "comments"):
            for other in item.get(key, ()):
                walk(other["$ref"])

    def own(item):
        label = item.get("label", "")
        if label == "sheet":
            put("sheet", item.get("name"), item)
        if "data" in item:
            at = {(r, c): cell for cell in item["data"]["table_cells"]
                  for r in range(cell["start_row_offset_idx"], cell["end_row_offset_idx"])
                  for c in range(cell["start_col_offset_idx"], cell["end_col_offset_idx"])}
            for key in sorted(at):
                put("cell", at[key].get("text"), at[key])
        elif "text" in item:
            put("comment" if item["text"].startswith("[author:") else "note" if item["content_layer"] == "notes" else label,
                " ".join((item.get("marker") or "", item["text"])), item)
        meta = item.get("meta") or {}
        for guess in (meta.get("classification") or {}).get("predictions", ()):
            put("kind", guess["class_name"].replace("_", " "), item)
        for cell in ((meta.get("tabular_chart") or {}).get("chart_data") or {}).get("table_cells", ()):
            put("chart", cell.get("text"), item)

    walk("#/body")
    walk("#/furniture")
    return body, apart


# ---- what else a file tells

HIDDEN = re.compile(r'<(\w+)(?:\s+[\w-]+(?:="[^"]*")?)*?\s+hidden(?:="\w*")?[\s>](.*?)</\1>', re.S)


class Evidence:
    """What the rules may look up about one file."""

    def __init__(self, path, truth, line, items, apart, judge):
        self.format = path.suffix[1:].lower()
        self.words, self.items = judge.words, items
        spaced = lambda text: f" {' '.join(judge.words(text))} "
        self.apart = [spaced(item["text"]) for item in apart if spaced(item["text"]).strip()]
        self.notes = [spaced(item["text"]) for item in items if item["layer"] == "notes"]
        self.pictures = [spaced(text) for text in descriptions(path)]
        self.titles = [spaced(b.get("title") or "") for b in line.get("blocks", ()) if b["kind"] == "table"]
        self.boxes = picture_boxes(truth)
        self.whole = "\n".join(b.get("text") or "" for b in line.get("blocks", ()))
        self.stripped = set(judge.words(html.unescape(re.sub(r"<[^>]*>", "", self.whole)))) if self.format == "xml" else ()
        source = path.read_text(encoding="utf-8", errors="replace") if self.format == "html" else ""
        self.source = set(judge.words(without_tags(source, "")))
        self.page_rim = [spaced(without_tags(text, " ")) for text in page_rim(source)]
        self.hidden = [spaced(without_tags(text, " ")) for _, text in HIDDEN.findall(source)]
        self.edges = page_edges(line) if self.format == "pdf" else set()
        self.raised = {item["text"].strip() for item in items
                       if ((item["item"].get("formatting") or {}).get("script") or "baseline") != "baseline"}

    def has(self, texts, run):
        run = f" {' '.join(w.text for w in run)} "
        return any(run in text for text in texts)


def descriptions(path):
    """The texts that the file itself gives to pictures."""
    pattern = re.compile(r'\b(?:descr|alt)="([^"]+)"|<svg:(?:desc|title)>([^<]+)<')
    if zipfile.is_zipfile(path):
        with zipfile.ZipFile(path) as packed:
            text = " ".join(packed.read(n).decode("utf-8", "replace") for n in packed.namelist() if n.endswith(".xml"))
    else:
        text = path.read_text(encoding="utf-8", errors="replace") if path.suffix == ".html" else ""
    return {html.unescape(a or b) for a, b in pattern.findall(text)}


def page_rim(page):
    """What stands before the first heading of a web page, and in its foot and menus."""
    parts = re.split(r"<h1\b", page, maxsplit=1, flags=re.I)
    return parts[:len(parts) - 1] + re.findall(r"<(?:footer|nav|header)\b.*?</(?:footer|nav|header)>", page, re.S | re.I)


def without_tags(page, instead):
    page = re.sub(r"<(script|style)\b.*?</\1>", " ", page, flags=re.S)
    return html.unescape(re.sub(r"<[^>]*>", instead, page))


def picture_boxes(truth):
    """[(page, box from the top left)] of the pictures that the truth gives places."""
    if not truth:
        return []
    whole, boxes = json.loads(truth.read_text(encoding="utf-8")), []
    for item in whole.get("pictures", ()):
        for place in item.get("prov", ()):
            box, size = place["bbox"], (whole["pages"].get(str(place["page_no"])) or {}).get("size", {})
            up = box.get("coord_origin") == "BOTTOMLEFT"
            top, bottom = (size.get("height", 0) - box["t"], size.get("height", 0) - box["b"]) if up else (box["t"], box["b"])
            boxes.append((place["page_no"], [box["l"], top, box["r"], bottom]))
    return boxes


def page_edges(line):
    """The short blocks that stand first or last on their page, by id."""
    pages = collections.defaultdict(list)
    for block in line.get("blocks", ()):
        if block.get("bbox") and block["kind"] != "image":
            pages[block["page"]].append(block)
    ends = [pick(page, key=lambda b: b["bbox"][i]) for page in pages.values() for pick, i in ((min, 1), (max, 3))]
    return {id(b) for b in ends if len((b.get("text") or "x " * 99).split()) <= 14}
