#!/usr/bin/env python3
"""An engine's own Python client, beside our store: the same vectors, batches, connections and index.

    store_reference.py wait|search|fill ENGINE URI VECTORS QUERIES --prefix P …

wait: until the collection that begins with P is indexed. search: its times for all queries. fill: seconds for putting all
vectors into a collection of its own, which is removed again. VECTORS and QUERIES are files of 32-bit floats. Prints JSON.
"""

import argparse
import concurrent.futures
import json
import time

import numpy


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("what", choices=["wait", "search", "fill"])
    options.add_argument("engine", choices=["qdrant", "milvus"])
    options.add_argument("uri")
    options.add_argument("vectors")
    options.add_argument("queries")
    options.add_argument("--prefix", required=True)
    for name in ("dim", "batch", "connections", "together", "k", "m", "ef-construction", "ef", "flat-limit"):
        options.add_argument(f"--{name}", type=int, required=True)
    given = options.parse_args()
    engine = {"qdrant": Qdrant, "milvus": Milvus}[given.engine](given)
    print(json.dumps({"wait": wait, "search": search, "fill": fill}[given.what](engine, given)))


def wait(engine, _):
    begun = time.monotonic()
    engine.flush()
    while not engine.is_indexed():
        time.sleep(2)
    return {"seconds": time.monotonic() - begun}


def search(engine, given):
    queries = numpy.fromfile(given.queries, numpy.float32).reshape(-1, given.dim)
    queries /= numpy.linalg.norm(queries, axis=1, keepdims=True)
    times = []
    for counts in (False, True):
        for query in queries:
            begun = time.perf_counter()
            found = engine.search(query)
            if counts:
                times.append((time.perf_counter() - begun) * 1e3)
            assert found == given.k, found
    times.sort()
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))]
    return {"count": len(times), "p50_ms": at(0.5), "p95_ms": at(0.95), "p99_ms": at(0.99)}


def fill(engine, given):
    vectors = numpy.memmap(given.vectors, numpy.float32, "r").reshape(-1, given.dim)
    engine.make()
    slice_size = given.batch * given.connections * 8
    seconds = 0.0
    with concurrent.futures.ThreadPoolExecutor(given.connections) as pool:
        for start in range(0, len(vectors), slice_size):
            part = numpy.array(vectors[start:start + slice_size])
            part /= numpy.linalg.norm(part, axis=1, keepdims=True)
            batches = [(start + at, part[at:at + given.batch]) for at in range(0, len(part), given.batch)]
            begun = time.perf_counter()
            list(pool.map(lambda batch: engine.put(*batch), batches))
            seconds += time.perf_counter() - begun
    count = engine.count()
    engine.drop()
    assert count is None or count == len(vectors), count
    return {"seconds": seconds, "client": engine.version()}


class Qdrant:
    def __init__(self, given):
        import qdrant_client
        from qdrant_client import models
        self.given, self.models, self.own = given, models, f"{given.prefix}-peer"
        self.client = qdrant_client.QdrantClient(url=given.uri, timeout=600, check_compatibility=False)
        named = [c.name for c in self.client.get_collections().collections]
        self.theirs = next((n for n in named if n.startswith(given.prefix) and n != self.own), None)

    def flush(self):
        pass

    def version(self):
        from importlib.metadata import version
        return f"qdrant-client {version('qdrant-client')}"

    def is_indexed(self):
        found = self.client.get_collection(self.theirs)
        return found.status == self.models.CollectionStatus.GREEN

    def search(self, query):
        params = self.models.SearchParams(hnsw_ef=self.given.ef)
        found = self.client.query_points(self.theirs, query=query.tolist(), limit=self.given.k,
                                         search_params=params, with_payload=False)
        return len(found.points)

    def make(self):
        models, given = self.models, self.given
        self.client.create_collection(
            self.own, vectors_config=models.VectorParams(size=given.dim, distance=models.Distance.COSINE),
            hnsw_config=models.HnswConfigDiff(m=given.m, ef_construct=given.ef_construction),
            optimizers_config=models.OptimizersConfigDiff(indexing_threshold=given.flat_limit * given.dim * 4 // 1024))
        self.client.create_payload_index(self.own, "d", models.PayloadSchemaType.INTEGER)

    def put(self, first, vectors):
        keys = range(first, first + len(vectors))
        payloads = [{"d": key // self.given.together + 1, "file_type": "csv"} for key in keys]
        batch = self.models.Batch(ids=list(keys), vectors=vectors.tolist(), payloads=payloads)
        self.client.upsert(self.own, points=batch, wait=True)

    def count(self):
        return self.client.count(self.own, exact=True).count

    def drop(self):
        self.client.delete_collection(self.own)


class Milvus:
    def __init__(self, given):
        import pymilvus
        self.given, self.pymilvus, self.own = given, pymilvus, f"{given.prefix}_peer"
        pymilvus.connections.connect(uri=given.uri)
        begins = given.prefix.replace("-", "_")
        named = [n for n in pymilvus.utility.list_collections() if n.startswith(begins) and n != self.own]
        self.theirs = pymilvus.Collection(named[0]) if named else None
        if self.theirs:
            fields = self.theirs.schema.fields
            vector = self.pymilvus.DataType.FLOAT_VECTOR
            self.field = next(f.name for f in fields if f.dtype == vector)
            self.metric = self.theirs.indexes[0].params["metric_type"]

    def flush(self):
        self.theirs.flush()

    def version(self):
        return f"pymilvus {self.pymilvus.__version__}"

    def is_indexed(self):
        # Rows may be pending and indexed: Milvus indexes them again when it has put segments together.
        progress = self.pymilvus.utility.index_building_progress(self.theirs.name)
        return progress["indexed_rows"] >= progress["total_rows"]

    def search(self, query):
        params = {"metric_type": self.metric, "params": {"ef": self.given.ef}}
        found = self.theirs.search([query.tolist()], self.field, params, self.given.k, consistency_level="Bounded")
        return len(found[0])

    def make(self):
        given, kinds = self.given, self.pymilvus.DataType
        field = self.pymilvus.FieldSchema
        fields = [field("key", kinds.INT64, is_primary=True), field("d", kinds.INT64), field("facets", kinds.JSON),
                  field("vector", kinds.FLOAT_VECTOR, dim=given.dim)]
        self.mine = self.pymilvus.Collection(self.own, self.pymilvus.CollectionSchema(fields))
        params = {"M": given.m, "efConstruction": given.ef_construction}
        self.mine.create_index("vector", {"index_type": "HNSW", "metric_type": "COSINE", "params": params})
        self.mine.load()

    def put(self, first, vectors):
        keys = list(range(first, first + len(vectors)))
        documents = [key // self.given.together + 1 for key in keys]
        self.mine.upsert([keys, documents, [{"file_type": "csv"} for _ in keys], list(vectors)])

    def count(self):
        found = self.mine.query("", output_fields=["count(*)"], consistency_level="Strong")
        return found[0]["count(*)"]

    def drop(self):
        self.pymilvus.utility.drop_collection(self.own)


if __name__ == "__main__":
    main()
