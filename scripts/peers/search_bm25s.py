#!/usr/bin/env python3
"""Searches by words for tables with bm25s, for comparison.

    .peers/bin/python scripts/peers/search_bm25s.py TABLES.jsonl[.zst] QUERIES.txt [--seconds 10] [-k 10]

Reads one table a line ({id, title, header, rows}), indexes title, header and
cells of each as one text, stemmed and without stop words, and searches for one
query after the other, on one thread, for some seconds. Reading a query is
counted, as it is for ours; bm25s gives numbers of tables and their scores.
Prints {tables, queries, seconds, per_second, p50_ms, p99_ms, ...} as JSON.
"""

import argparse
import io
import itertools
import json
import resource
import time

import bm25s
import Stemmer
import zstandard


def read_lines(path):
    if path.endswith(".zst"):
        with open(path, "rb") as file:
            yield from io.TextIOWrapper(zstandard.ZstdDecompressor().stream_reader(file), encoding="utf-8")
    else:
        with open(path, encoding="utf-8") as file:
            yield from file


def text_of(table):
    cells = (str(cell) for row in table["rows"] for cell in row if cell is not None)
    return " ".join([table.get("title") or "", *map(str, table["header"]), *cells])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", help="tables as JSON lines, plain or .zst")
    parser.add_argument("queries", help="queries, one a line")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("-k", type=int, default=10)
    given = parser.parse_args()

    stemmer = Stemmer.Stemmer("english")
    read = lambda texts: bm25s.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)
    begun = time.perf_counter()
    texts = [text_of(json.loads(line)) for line in read_lines(given.tables)]
    index = bm25s.BM25()
    index.index(read(texts), show_progress=False)
    indexed = time.perf_counter() - begun
    queries = [line.strip() for line in read_lines(given.queries) if line.strip()]
    k = min(given.k, len(texts))

    times, begun = [], time.perf_counter()
    for query in itertools.cycle(queries):
        asked = time.perf_counter()
        if asked - begun >= given.seconds:
            break
        index.retrieve(read([query]), k=k, show_progress=False, n_threads=0)
        times.append((time.perf_counter() - asked) * 1000)
    seconds = time.perf_counter() - begun
    times.sort()
    print(json.dumps({
        "version": bm25s.__version__,
        "tables": len(texts),
        "index_seconds": round(indexed, 3),
        "queries": len(times),
        "seconds": round(seconds, 3),
        "per_second": round(len(times) / seconds, 2),
        "p50_ms": times[len(times) // 2],
        "p99_ms": times[len(times) * 99 // 100],
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }))


if __name__ == "__main__":
    main()
