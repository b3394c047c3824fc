#!/usr/bin/env python3
"""Search by vectors with faiss and with numpy, for comparison.

    tabletalk-lab bench dense --python .peers/bin/python

starts this program with two files of 32-bit floats: vectors and queries. Both
are brought to length one, so that the largest product is the largest cosine.
numpy compares each query with every vector; faiss searches a graph (HNSW with
the links and candidates of ours) and is given one width after the other. One
query at a time on one thread, after a round that does not count; the graph is
built on all threads. Without faiss only numpy's figures are printed. Prints
{exact, hnsw} as JSON.
"""

import argparse
import json
import os
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # read when numpy is loaded
import numpy as np

try:
    import faiss
except ImportError:
    faiss = None


def vectors(path, dim):
    read = np.fromfile(path, np.float32).reshape(-1, dim)
    return read / np.linalg.norm(read, axis=1, keepdims=True)


def timed(search, queries):
    """The answers, and how long each took, of the second of two rounds."""
    for query in queries:
        search(query)
    found, times = [], []
    for query in queries:
        begun = time.perf_counter()
        found.append(search(query))
        times.append((time.perf_counter() - begun) * 1000)
    times.sort()
    return found, {"per_second": 1000 * len(times) / sum(times), "p50_ms": times[len(times) // 2],
                   "p99_ms": times[len(times) * 99 // 100]}


def exact(rows, queries, k):
    def search(query):
        products = rows @ query
        nearest = np.argpartition(-products, k - 1)[:k]
        return nearest[np.argsort(-products[nearest])]
    return timed(search, queries)


def graph(rows, queries, k, truth, given):
    begun = time.perf_counter()
    index = faiss.IndexHNSWFlat(given.dim, given.connectivity, faiss.METRIC_INNER_PRODUCT)
    index.hnsw.efConstruction = given.expansion_add
    index.add(rows)
    built = time.perf_counter() - begun
    faiss.omp_set_num_threads(1)
    searches = []
    for wide in given.expansion_search:
        index.hnsw.efSearch = wide
        found, figures = timed(lambda query: index.search(query[None], k)[1][0], queries)
        hits = sum(len(np.intersect1d(a, b)) for a, b in zip(found, truth))
        searches.append({"expansion_search": wide, "recall": hits / (k * len(queries)), **figures})
    return {"version": faiss.__version__, "built_seconds": built, "searches": searches}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("vectors")
    parser.add_argument("queries")
    parser.add_argument("--dim", type=int, required=True)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--connectivity", type=int, default=12)
    parser.add_argument("--expansion-add", type=int, default=128)
    parser.add_argument("--expansion-search", type=lambda text: [int(n) for n in text.split(",")], default=[96])
    given = parser.parse_args()
    rows, queries = vectors(given.vectors, given.dim), vectors(given.queries, given.dim)
    truth, figures = exact(rows, queries, given.k)
    said = {"vectors": len(rows), "exact": {"version": np.__version__, **figures}, "hnsw": None}
    if faiss:
        said["hnsw"] = graph(rows, queries, given.k, truth, given)
    print(json.dumps(said))


if __name__ == "__main__":
    main()
