#!/usr/bin/env python3
"""Compare how well, and how fast, pages are read: ours, RapidOCR and Tesseract.

    scripts/fetch-models --ocr
    scripts/peers/ocr_reference.py [--pdf FOLDER] [--pages 20] [--dpi 150,200,300]
                                   [--threads 2] [--only ours,rapidocr,tesseract]

Pages are English and Chinese texts drawn here, and the first page of each PDF in
FOLDER, which have to be born digital: their own text is the truth. Both are
rendered in every resolution. It prints, by kind and resolution, the character
error rate without blanks (ours may part lines elsewhere), the one with blanks
between words, the share of the truth's words that were found, and seconds a page:
by the clock, and of all processors together, which says more on a busy machine
(onnxruntime's threads spin while they wait, and that is counted).

Lines come in another order from every program, and a page may have columns: each
line found is laid where it fits best, so that only letters count, not their order.
For the PDFs that is by place: what is found is compared with the text that the
PDF has inside the same box, and text that no box covers counts as missing.

All programs run one after the other on each page; ours and RapidOCR on the same
number of threads, Tesseract on one, which is its fastest.
Needs Python packages pillow, pypdfium2, numpy and rapidocr-onnxruntime==1.4.4, the program
tesseract where it is to be compared, and the example built:
cargo build --release -p tabletalk-model --example ocr_page
"""

import argparse
import collections
import json
import pathlib
import re
import resource
import statistics
import subprocess
import tempfile
import time

import numpy as np
import pypdfium2
from PIL import Image, ImageDraw, ImageFont

ROOT = pathlib.Path(__file__).resolve().parents[2]
ENGLISH = """Quarterly report of the harbour office
Cargo handled in the third quarter rose by 4.7% to 1,284,300 tonnes.
Grain and timber made up 38.2 per cent; containers fell to 91,455 units.
The dredging of the north channel (contract 17-B) cost $2,315,000.
Berth Vessels Tonnes Fees
A1 212 318,440 $1,102,300
A2 187 290,115 $987,655
B7 96 104,020 $401,230
Total 495 712,575 $2,491,185
Complaints: write to office@harbour.example before 31 March 2024.
Winds above 60 km/h closed the outer berths on nine days, twice at night.
See also: "Rules for pilots", pages 12-19; the tide tables; appendix C."""
CHINESE = """港务局第三季度报告
本季度货物吞吐量比上年同期增长百分之四点七，达到一百二十八万吨。
粮食和木材占总量的38.2%，集装箱减少到91455个。
北航道疏浚工程（合同编号：17-B）费用为231.5万元。
泊位 船舶 吨位 收费
甲一 212 318440 110.23
甲二 187 290115 98.77
乙七 96 104020 40.12
合计 495 712575 249.12
投诉请于2024年3月31日以前寄到办公室。
风力超过八级时，外港泊位关闭九天，其中两次在夜间。
另见《引航员守则》第十二页至第十九页、潮汐表和附录三。"""
FONTS = {
    "English": ("/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf", ENGLISH),
    "Chinese": ("/usr/share/fonts/truetype/wqy/wqy-zenhei.ttc", CHINESE),
}


def drawn(text, font, dpi):
    """A page of 6.5 by 5 inches with the text in 11 points, and its lines with their boxes."""
    page = Image.new("RGB", (int(6.5 * dpi), 5 * dpi), "white")
    draw = ImageDraw.Draw(page)
    face = ImageFont.truetype(font, round(11 * dpi / 72))
    truth = []
    for number, line in enumerate(text.splitlines()):
        left, top = dpi // 2, dpi // 2 + int(number * 0.33 * dpi)
        draw.text((left, top), line, fill=(20, 20, 20), font=face)
        truth.append((line, draw.textbbox((left, top), line, font=face)))
    return page, truth


def printed(path, dpi):
    """The first page of a PDF, and its characters with their boxes in pixels."""
    page = pypdfium2.PdfDocument(path)[0]
    picture = page.render(scale=dpi / 72).to_pil().convert("RGB")
    text, height = page.get_textpage(), page.get_height()
    whole = text.get_text_range()
    truth = []
    for at in range(text.count_chars()):
        letter = text.get_text_range(at, 1)
        left, bottom, right, top = text.get_charbox(at)
        if letter.strip() and right > left:
            truth.append((letter, tuple(v * dpi / 72 for v in (left, height - top, right, height - bottom))))
    return picture, truth, whole


def distance(a, b):
    """How many letters have to be changed to turn `a` into `b`."""
    if not a or not b:
        return len(a) + len(b)
    b = np.array([ord(c) for c in b])
    row = np.arange(len(b) + 1)
    steps = np.arange(len(b) + 1)
    for number, letter in enumerate(a, 1):
        new = np.empty_like(row)
        new[0] = number
        new[1:] = np.minimum(row[1:] + 1, row[:-1] + (b != ord(letter)))
        row = np.minimum.accumulate(new - steps) + steps
    return int(row[-1])


FOLD = str.maketrans("，（）：；！？％“”‘’–—−‐", ",():;!?%\"\"''----")


def plain(text):
    """Without blanks, and with one form of each sign: that is a matter of taste, not of reading."""
    return re.sub(r"\s+", "", text).translate(FOLD)


def words(text):
    return collections.Counter(re.findall(r"[^\W_]+", text.lower()))


def home(letters, found):
    """For each letter the line found whose box has its middle, or none."""
    inside = collections.defaultdict(list)
    for letter, (left, top, right, bottom) in letters:
        x, y = (left + right) / 2, (top + bottom) / 2
        fits = [(abs((box[1] + box[3]) / 2 - y), at) for at, (_, box) in enumerate(found)
                if box[0] - 2 <= x <= box[2] + 2 and box[1] - 2 <= y <= box[3] + 2]
        inside[min(fits)[1] if fits else None].append((letter, (left, top, right, bottom)))
    return inside


def judge_letters(found, letters):
    """Errors and letters, by place."""
    inside = home(letters, found)
    wrong = len(inside.pop(None, []))
    for at, (text, _) in enumerate(found):
        truth = "".join(letter for letter, _ in sorted(inside.get(at, []), key=lambda one: one[1][0]))
        wrong += distance(plain(text), plain(truth))
    return wrong, sum(len(plain(letter)) for letter, _ in letters)


def judge_lines(found, lines):
    """Errors and letters, without and with blanks: found texts are put together by the line they lie on."""
    rows = [[] for _ in lines]
    wrong = 0
    for text, box in found:
        middle = (box[1] + box[3]) / 2
        row = min(range(len(lines)), key=lambda at: abs((lines[at][1][1] + lines[at][1][3]) / 2 - middle))
        rows[row].append((box[0], text))
    rows = [" ".join(text for _, text in sorted(row)) for row in rows]
    pairs = [(row, line) for row, (line, _) in zip(rows, lines)]
    wrong += sum(distance(plain(row), plain(line)) for row, line in pairs)
    blank = sum(distance(" ".join(row.translate(FOLD).split()), line.translate(FOLD)) for row, line in pairs)
    return wrong, blank, sum(len(plain(line)) for line, _ in lines), sum(len(line) for line, _ in lines)


def children(command):
    """What a command prints, and the processor seconds it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return out, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def example(*arguments):
    """Our example, and the lines it prints for one picture. What it takes to load the models does not count."""
    command = [ROOT / "target/release/examples/ocr_page", *arguments]
    _, load = children(command)

    def read(path):
        out, processor = children([*command, path])
        answer = json.loads(out)
        return [(line["text"], line["bbox"]) for line in answer["lines"]], answer["seconds"], max(processor - load, 0)
    return read


def rapid(threads):
    """RapidOCR as it comes."""
    from rapidocr_onnxruntime import RapidOCR
    engine = RapidOCR(intra_op_num_threads=threads, inter_op_num_threads=1)

    def read(path):
        pixels = np.asarray(Image.open(path))[:, :, ::-1]
        start, processor = time.perf_counter(), time.process_time()
        found, _ = engine(pixels)
        seconds, processor = time.perf_counter() - start, time.process_time() - processor
        box = lambda points: (*np.min(points, axis=0), *np.max(points, axis=0))
        return [(text, box(points)) for points, text, _ in found or []], seconds, processor
    return read


def pages(given):
    """Kind, resolution, picture and truth of every page."""
    for dpi in given.dpi:
        for kind, (font, text) in FONTS.items():
            if pathlib.Path(font).exists():
                yield kind, dpi, *drawn(text, font, dpi), text
    for path in sorted(given.pdf.glob("*.pdf"))[:given.pages] if given.pdf else []:
        for dpi in given.dpi:
            if dpi < 300:
                picture, letters, whole = printed(path, dpi)
                if len(letters) > 200:
                    yield "PDF", dpi, picture, letters, whole


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pdf", type=pathlib.Path)
    options.add_argument("--pages", type=int, default=20)
    options.add_argument("--dpi", type=lambda v: [int(n) for n in v.split(",")], default=[150, 200, 300])
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--models", default=str(ROOT / "models/fetched/ppocr-v4"))
    options.add_argument("--only", default="ours,rapidocr,tesseract")
    options.add_argument("--worst", action="store_true", help="print the error rate of every page")
    given = options.parse_args()
    engines = {"ours": lambda: example("--threads", str(given.threads), given.models), "rapidocr": lambda: rapid(given.threads),
               "tesseract": lambda: example("tesseract")}
    engines = {name: engines[name]() for name in given.only.split(",")}
    scores = collections.defaultdict(list)
    with tempfile.TemporaryDirectory() as folder:
        for number, (kind, dpi, picture, truth, whole) in enumerate(pages(given)):
            path = pathlib.Path(folder) / "page.ppm"
            picture.save(path)
            for name, read in engines.items():
                found, seconds, processor = read(path)
                if kind == "PDF":
                    wrong, letters = judge_letters(found, truth)
                    blank, long = 0, 0
                else:
                    wrong, blank, letters, long = judge_lines(found, truth)
                wanted = words(whole)
                hits = sum((wanted & words(" ".join(text for text, _ in found))).values())
                scores[kind, dpi, name].append((wrong, letters, blank, long, hits, sum(wanted.values()), seconds, processor))
                if given.worst:
                    print(f"{number} {kind} {dpi} {name} {wrong / letters:.3f} {seconds:.2f}s", flush=True)
    print(f"{'pages':8} {'dpi':>4} {'':10} {'count':>5} {'errors':>8} {'with blanks':>12} {'words':>7} {'s a page':>9} {'processor':>10}")
    for (kind, dpi, name), rows in sorted(scores.items(), key=lambda item: item[0][:2]):
        wrong, letters, blank, long, hits, wanted, _, _ = (sum(column) for column in zip(*rows))
        seconds, processor = (statistics.median(row[at] for row in rows) for at in (-2, -1))
        with_blanks = f"{blank / long:11.2%}" if long else " " * 11
        print(f"{kind:8} {dpi:4} {name:10} {len(rows):5} {wrong / letters:8.2%} {with_blanks:>12} {hits / max(wanted, 1):7.1%} {seconds:9.2f} {processor:10.2f}")


if __name__ == "__main__":
    main()
