#!/usr/bin/env python3
"""The obvious Python way to make tables searchable, for comparison.

    .peers/bin/python scripts/peers/tables_python.py TABLES.jsonl[.zst] [--limit N]

Reads one table a line ({id, title, header, rows}), makes a pandas frame of
each, the four corpora (schema, cell, row, column) of all of them, and a
rank_bm25 index over each corpus. Prints {tables, seconds, tables_per_second,
peak_mb, corpora, stages} as JSON.
"""

import argparse
import io
import json
import re
import resource
import time
from itertools import islice

import pandas as pd
import zstandard
from rank_bm25 import BM25Okapi

WORD = re.compile(r"\w+")


def read_lines(path):
    if path.endswith(".zst"):
        with open(path, "rb") as file:
            yield from io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")
    else:
        with open(path, encoding="utf-8") as file:
            yield from file


def unique_names(header, width):
    """Frames want one name a column: fill what is missing, number what repeats."""
    names, seen = [], {}
    for i in range(width):
        name = (header[i] if i < len(header) else "") or f"column {i + 1}"
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return names


def to_frame(table):
    rows = table["rows"]
    width = max([len(table["header"])] + [len(row) for row in rows])
    rows = [row + [None] * (width - len(row)) for row in rows]
    frame = pd.DataFrame(rows, columns=unique_names(table["header"], width))
    return frame.apply(to_numbers)


def to_numbers(column):
    """A number column where every value reads as one, else text as it was."""
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column


def schema_corpus(frame, counts):
    for name, count in counts.items():
        column = frame[name]
        if pd.api.types.is_numeric_dtype(column):
            yield f"{name} {column.dtype} {column.min()} {column.max()}"
        else:
            yield f"{name} {column.dtype} {' '.join(map(str, count.index[:3]))}"


def cell_corpus(frame, counts):
    """Distinct (column, value) pairs of a table, the most frequent first."""
    pairs = []
    for name, count in counts.items():
        pairs += [(times, name, value) for value, times in count.items()]
    pairs.sort(key=lambda pair: -pair[0])
    return [f"{name} {value}" for _, name, value in pairs]


def row_corpus(frame, counts):
    for row in frame.itertuples(index=False, name=None):
        yield " | ".join(map(str, row))


def column_corpus(frame, counts):
    for name in frame.columns:
        yield " | ".join(map(str, [name, *frame[name]]))


CORPORA = {"schema": schema_corpus, "cell": cell_corpus, "row": row_corpus, "column": column_corpus}


def tokenise(text):
    return WORD.findall(text.lower())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", help="tables as JSON lines, plain or .zst")
    parser.add_argument("--limit", type=int, help="stop after N tables")
    args = parser.parse_args()

    start = time.perf_counter()
    corpora = {name: [] for name in CORPORA}
    tables = 0
    for line in islice(read_lines(args.tables), args.limit):
        frame = to_frame(json.loads(line))
        counts = {name: column.value_counts() for name, column in frame.items()}
        for name, make in CORPORA.items():
            corpora[name] += [tokenise(text) for text in make(frame, counts)]
        tables += 1
    made = time.perf_counter()
    indexes = {name: BM25Okapi(corpus) for name, corpus in corpora.items() if corpus}
    end = time.perf_counter()

    print(json.dumps({
        "tables": tables,
        "seconds": round(end - start, 2),
        "tables_per_second": round(tables / (end - start), 1),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
        "corpora": {name: index.corpus_size for name, index in indexes.items()},
        "stages": {"corpora": round(made - start, 2), "bm25": round(end - made, 2)},
    }))


if __name__ == "__main__":
    main()
