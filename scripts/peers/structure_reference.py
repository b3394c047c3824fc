#!/usr/bin/env python3
"""How often the number of rows and columns of a table is seen right, and how fast.

    scripts/fetch-models --structure
    scripts/peers/structure_reference.py --tables FOLDER [--dpi 150] [--rapid-table]

FOLDER has tables.jsonl, one table a line: `pdf`, `page` (from 1), `cells` with
`r`, `c`, `r2`, `c2` (from 0, both ends included) and `bbox` (left, bottom, right, top
in points from the bottom left). Each table is cut out of its page with a small
margin. It prints how often the number of rows, of columns and of both is right, the
same for tables of up to 20 rows, and the seconds a table takes; with --rapid-table
also for rapid-table==1.0.3 on onnxruntime, and how often both see the same grid.

Needs the Python packages pillow and pypdfium2, and the example built:
cargo build --release -p tabletalk-model --example structure_table
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import unittest.mock

import pypdfium2

ROOT = pathlib.Path(__file__).resolve().parents[2]
MARGIN = 6


def cut(folder, table, dpi):
    """The picture of a table."""
    page = pypdfium2.PdfDocument(folder / table["pdf"])[table["page"] - 1]
    boxes = [cell["bbox"] for cell in table["cells"]]
    left, bottom = (min(box[at] for box in boxes) - MARGIN for at in (0, 1))
    right, top = (max(box[at] for box in boxes) + MARGIN for at in (2, 3))
    width, height = page.get_size()
    scale = dpi / 72
    picture = page.render(scale=scale).to_pil().convert("RGB")
    return picture.crop(tuple(int(v * scale) for v in (max(left, 0), max(height - top, 0), min(right, width), min(height - bottom, height))))


def spans(cells):
    """The grid as a set of (first row, last row, first column, last column)."""
    return {(*cell["rows"], *cell["cols"]) for cell in cells}


def size(grid):
    return (max((c[1] for c in grid), default=-1) + 1, max((c[3] for c in grid), default=-1) + 1)


def ours(paths):
    command = [ROOT / "target/release/examples/structure_table", ROOT / "models/fetched/slanet-plus", *paths]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return [(spans(answer["cells"]), answer["seconds"]) for answer in map(json.loads, lines)]


def rapid(paths):
    """rapid-table without reading text: only the structure."""
    import cv2
    import onnxruntime
    # The package also has a model on torch, which is imported with it and not used here.
    sys.modules["rapid_table.table_structure.table_structure_unitable"] = unittest.mock.MagicMock()
    from rapid_table.table_matcher import TableMatch
    from rapid_table.table_structure import TableStructurer
    onnxruntime.set_default_logger_severity(4)
    model = TableStructurer({"model_path": str(ROOT / "models/fetched/slanet-plus/slanet-plus.onnx"), "use_cuda": False})
    for path in paths:
        picture = cv2.imread(str(path))
        start = time.perf_counter()
        tokens, _, _ = model(picture)
        grid = TableMatch().decode_logic_points(tokens)
        yield {tuple(int(v) for v in cell) for cell in grid}, time.perf_counter() - start


def report(name, tables, seen):
    for label, most in (("all", 10**6), ("up to 20 rows", 20)):
        rows = [(size(gold), gold, size(grid), grid) for gold, (grid, _) in zip(tables, seen) if size(gold)[0] <= most]
        right = lambda test: f"{sum(test(*row) for row in rows) / len(rows):6.1%}"
        print(f"{name:12} {label:14} {len(rows):4} tables: rows {right(lambda a, _, b, __: a[0] == b[0])}"
              f"  columns {right(lambda a, _, b, __: a[1] == b[1])}  both {right(lambda a, _, b, __: a == b)}"
              f"  nothing seen {right(lambda _, __, b, ___: b == (0, 0))}")
    print(f"{name:12} {statistics.median(s for _, s in seen):.2f} s a table, at most {max(s for _, s in seen):.2f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--tables", type=pathlib.Path, required=True)
    options.add_argument("--dpi", type=int, default=150)
    options.add_argument("--rapid-table", action="store_true")
    given = options.parse_args()
    tables = [json.loads(line) for line in (given.tables / "tables.jsonl").read_text().splitlines()]
    gold = [{(c["r"], c["r2"], c["c"], c["c2"]) for c in table["cells"]} for table in tables]
    with tempfile.TemporaryDirectory() as folder:
        paths = [pathlib.Path(folder) / f"{at}.ppm" for at in range(len(tables))]
        for table, path in zip(tables, paths):
            cut(given.tables, table, given.dpi).save(path)
        seen = ours(paths)
        report("ours", gold, seen)
        if given.rapid_table:
            other = list(rapid(paths))
            report("rapid-table", gold, other)
            print(f"the same: {sum(a == b for (a, _), (b, _) in zip(seen, other))} of {len(seen)}")


if __name__ == "__main__":
    main()
