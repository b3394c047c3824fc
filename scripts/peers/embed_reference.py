#!/usr/bin/env python3
"""Compare our embeddings, and how fast they come, with onnxruntime's on the same model.

    scripts/fetch-models
    embed_reference.py --model models/bge-small-en-v1.5 --text FILE [--text FILE...]
                       [--full] [--cpu] [--rounds 3] [--threads 2] [--count 1000]

FILE is any text, or JSON lines, perhaps with .zst; its sentences are cut into
short passages (about 12 words) and joined to long ones (about 200 words). For
each kind it prints the cosine between the two vectors of a passage (smallest
and mean) and the ratio of our throughput to onnxruntime's: both sort by length,
onnxruntime with the best of several batch sizes, both with the same number of
threads, in turns, best round of each. onnxruntime runs the model as published,
from models/fetched. --full first turns the int8 weights back into 32-bit ones,
so that both run the same model in full precision. --cpu compares processor
seconds, with onnxruntime's threads not spinning, for a machine that is busy.

Ours is what `tabletalk-lab bench embed` does, of the program named by --binary.
--json prints the figures of both kinds as JSON, with those of all texts.
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper
from tokenizers import Tokenizer

ROOT = pathlib.Path(__file__).resolve().parents[2]
HAN = re.compile(r"[\u3400-\u9fff]")


def strings(path):
    """All longer texts in a file."""
    data = path.read_bytes()
    if path.suffix == ".zst":
        import zstandard
        data = zstandard.ZstdDecompressor().stream_reader(data).read()
        path = path.with_suffix("")
    if path.suffix not in (".jsonl", ".json"):
        return data.decode("utf-8", "replace").splitlines()
    found = []

    def walk(value):
        if isinstance(value, str) and len(value) > 20:
            found.append(value)
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            walk(inner)

    for line in data.decode().splitlines():
        walk(json.loads(line))
        if len(found) > 5000:
            break
    return found


def size(text):
    """Words, counting two Han characters as one."""
    return len(HAN.findall(text)) / 2 + len(HAN.sub(" ", text).split())


def passages(paths, count):
    """`count` short and `count` long passages."""
    sentences = []
    for path in paths:
        for text in strings(path):
            sentences += [s.strip() for s in re.split(r"(?<=[.!?。！？])\s*", " ".join(text.split())) if len(s.strip()) > 5]
    short = list(dict.fromkeys(s for s in sentences if 8 <= size(s) <= 17))
    long, pending = [], []
    for sentence in sentences:
        pending.append(sentence)
        if sum(map(size, pending)) >= 200:
            long.append(" ".join(" ".join(pending).split()[:220]))
            pending = []
    return {"short": short[:count], "long": long[:count]}


def full_precision(source, target):
    """Write the model of folder `source` into `target` with 32-bit weights instead of int8."""
    model = onnx.load(source / "model.onnx")
    graph = model.graph
    constants = {t.name: t for t in graph.initializer}
    array = lambda name: numpy_helper.to_array(constants[name]).astype(np.float32)
    made_by = {out: node for node in graph.node for out in node.output}
    used_by = {}
    for node in graph.node:
        for name in node.input:
            used_by.setdefault(name, []).append(node)
    nodes, dropped = {}, set()
    for node in graph.node:
        if node.op_type == "MatMulInteger":
            weight = node.input[1]
            base = weight.removesuffix("_quantized")
            plain = (array(weight) - array(base + "_zero_point")) * array(base + "_scale")
            cast = used_by[node.output[0]][0]
            scaled = used_by[cast.output[0]][0]
            graph.initializer.append(numpy_helper.from_array(plain.astype(np.float32), base + "_full"))
            nodes[id(scaled)] = helper.make_node(
                "MatMul", [made_by[node.input[0]].input[0], base + "_full"], list(scaled.output), name=node.name + "_full")
            dropped |= {id(node), id(cast)}
    kept = [nodes.get(id(n), n) for n in graph.node if id(n) not in dropped]
    while True:  # what only fed the dropped nodes goes too
        needed = {name for n in kept for name in n.input} | {o.name for o in graph.output}
        fewer = [n for n in kept if any(out in needed for out in n.output)]
        if len(fewer) == len(kept):
            break
        kept = fewer
    del graph.node[:]
    graph.node.extend(kept)
    unused = [t for t in graph.initializer if t.name not in needed]
    for tensor in unused:
        graph.initializer.remove(tensor)
    target.mkdir(parents=True, exist_ok=True)
    onnx.save(model, target / "model.onnx")
    for name in ("tokenizer.json", "config.json", "1_Pooling/config.json", "sentence_bert_config.json"):
        if (source / name).exists():
            (target / name).parent.mkdir(exist_ok=True)
            (target / name).write_bytes((source / name).read_bytes())


class Reference:
    """onnxruntime with the model's own tokenizer, batches sorted by length, CLS or mean pooling."""

    def __init__(self, folder, threads, spinning):
        options = onnxruntime.SessionOptions()
        options.add_session_config_entry("session.intra_op.allow_spinning", str(int(spinning)))
        options.intra_op_num_threads = threads
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        limit = folder / "sentence_bert_config.json"
        self.tokenizer.enable_truncation(json.loads(limit.read_text())["max_seq_length"] if limit.exists() else 512)
        self.tokenizer.no_padding()
        self.mean = "bge" not in folder.name
        self.inputs = [i.name for i in self.session.get_inputs()]

    def embed(self, texts, batch):
        encodings = self.tokenizer.encode_batch_fast(texts)
        order = sorted(range(len(texts)), key=lambda i: -len(encodings[i].ids))
        vectors = [None] * len(texts)
        for start in range(0, len(order), batch):
            part = order[start:start + batch]
            self.run(part, [encodings[i] for i in part], vectors)
        return np.stack(vectors)

    def run(self, part, encodings, vectors):
        shape = (len(part), max(len(e.ids) for e in encodings))
        fed = {name: np.zeros(shape, np.int64) for name in ("input_ids", "attention_mask", "token_type_ids")}
        for row, e in enumerate(encodings):
            fed["input_ids"][row, :len(e.ids)] = e.ids
            fed["attention_mask"][row, :len(e.ids)] = 1
            fed["token_type_ids"][row, :len(e.ids)] = e.type_ids
        states = self.session.run(None, {name: fed[name] for name in self.inputs})[0]
        mask = fed["attention_mask"][:, :, None]
        pooled = (states * mask).sum(1) / mask.sum(1) if self.mean else states[:, 0]
        for i, vector in zip(part, pooled / np.linalg.norm(pooled, axis=1, keepdims=True)):
            vectors[i] = vector


def timed(work, clock=time.perf_counter):
    start = clock()
    result = work()
    return clock() - start, result


def ours(binary, model, texts, folder, threads, extra):
    listing, out = folder / "texts.txt", folder / "vectors.f32"
    listing.write_text("\n".join(texts))
    more = [f"--batch-tokens={extra[0]}"] if extra else []
    done = subprocess.run([binary, "--json", "bench", "embed", str(listing), "--model", str(model), "--out", str(out),
                           f"--threads={threads}", *more], check=True, capture_output=True, text=True)
    said = json.loads(done.stdout)
    return said, np.fromfile(out, np.float32).reshape(-1, said["dim"])


def compare(kind, texts, reference, given, model, folder):
    """The figures of one kind of passage; a line for people unless JSON is wanted."""
    clock, key = (time.process_time, "cpu_seconds") if given.cpu else (time.perf_counter, "seconds")
    reference.embed(texts[:16], 8)
    best = {}
    for batch in given.batches:
        best[batch], _ = timed(lambda: reference.embed(texts, batch), clock)
    batch = min(best, key=best.get)
    their_seconds, our_seconds = best[batch], None
    for _ in range(given.rounds):
        said, mine = ours(given.binary, model, texts, folder, given.threads, given.extra)
        our_seconds = min(said[key], our_seconds or said[key])
        their_seconds = min(their_seconds, timed(lambda: reference.embed(texts, batch), clock)[0])
    alone = [timed(lambda t=t: reference.embed([t], 1))[0] * 1000 for t in texts[:50]]
    lone = np.stack([reference.embed([t], 1)[0] for t in texts[:200]])
    theirs = reference.embed(texts, batch)
    # A budget of one token: each of ours alone, too.
    _, single = ours(given.binary, model, texts[:200], folder, given.threads, ["1"])
    cosine, own, both = (mine * theirs).sum(1), (lone * theirs[:200]).sum(1), (lone * single).sum(1)
    if given.json:
        return {"texts": len(texts), "seconds": our_seconds, "peer_seconds": their_seconds,
                "per_second": len(texts) / our_seconds, "peer_per_second": len(texts) / their_seconds,
                "ratio": their_seconds / our_seconds, "peer_batch": batch, "single_ms": said["single_ms"],
                "peer_single_ms": float(np.median(alone)), "load_ms": said["load_ms"],
                "cosine": {"least": float(cosine.min()), "mean": float(cosine.mean()), "each_alone": float(both.min())}}
    print(f"{kind:6} {len(texts)} passages: cosine min {cosine.min():.5f} mean {cosine.mean():.5f}"
          f", each alone in both min {both.min():.5f}"
          f" | onnxruntime alone against in batches: min {own.min():.5f}"
          f" | ours {len(texts) / our_seconds:.0f}/s, onnxruntime {len(texts) / their_seconds:.0f}/s (best batch {batch}):"
          f" ratio {their_seconds / our_seconds:.2f}, with batch {given.batches[-1]} {best[given.batches[-1]] / our_seconds:.2f}"
          f" | one text {said['single_ms']:.2f} ms against {np.median(alone):.2f} ms | load {said['load_ms']:.0f} ms", flush=True)


def together(kinds):
    """The figures of all texts."""
    of = lambda key: sum(kind[key] for kind in kinds.values())
    return {"per_second": of("texts") / of("seconds"), "peer_per_second": of("texts") / of("peer_seconds")}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--model", type=pathlib.Path, required=True)
    options.add_argument("--text", type=pathlib.Path, action="append", required=True)
    options.add_argument("--full", action="store_true", help="in full precision")
    options.add_argument("--cpu", action="store_true", help="compare processor seconds")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--threads", type=int, default=2)
    options.add_argument("--count", type=int, default=1000)
    options.add_argument("--batches", type=int, nargs="+", default=[1, 4, 8, 32], help="batch sizes onnxruntime may choose from")
    options.add_argument("--binary", default=str(ROOT / "target/release/tabletalk-lab"))
    options.add_argument("--json", action="store_true", help="print JSON")
    options.add_argument("extra", nargs="*", help="the tokens of one of our batches")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder, model = pathlib.Path(folder), given.model.resolve()
        published = ROOT / "models/fetched" / model.name
        published = published if published.exists() else model
        if given.full:
            full_precision(published, folder / "published" / model.name)
            full_precision(model, folder / model.name)
            model, published = folder / model.name, folder / "published" / model.name
        reference = Reference(published, given.threads, not given.cpu)
        kinds = {kind: compare(kind, texts, reference, given, model, folder)
                 for kind, texts in passages(given.text, given.count).items() if texts}
    if given.json:
        print(json.dumps(together(kinds) | {"version": onnxruntime.__version__, "threads": given.threads, "kinds": kinds}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
