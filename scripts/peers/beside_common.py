"""What the ways of asking tables share when they are measured beside each other: a job read from standard input, the same
encoder, the same language model, and one JSON object a question on standard output.

A way is an object with `open(files)`, which gives what questions are asked of and the files it could not read, and
`ask(opened, question)`, which gives `{"answer": …, "passages": […]}`, either of which may be missing.
"""

import json
import os
import pathlib
import resource
import sys
import time
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[2]
#: How many passages are looked at, and shown to a language model.
PASSAGES = 4
PROMPT = (
    "Answer the question from the context alone. If the context does not say, answer: I don't know.\n\n"
    "Context:\n{context}\n\nQuestion: {question}\nAnswer:"
)


class Encoder:
    """The English encoder that tabletalk bundles, run by onnxruntime: no hub has to be reached for it."""

    def __init__(self):
        import onnxruntime
        from tokenizers import Tokenizer

        folder = ROOT / "models" / "bge-small-en-v1.5"
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(512)
        self.session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
        self.inputs = {i.name for i in self.session.get_inputs()}

    def encode(self, text):
        import numpy

        ids = self.tokenizer.encode(text or " ").ids
        said = {"input_ids": [ids], "attention_mask": [[1] * len(ids)], "token_type_ids": [[0] * len(ids)]}
        given = {name: numpy.array(value, dtype=numpy.int64) for name, value in said.items() if name in self.inputs}
        vector = self.session.run(None, given)[0][0]
        vector = vector[0] if vector.ndim == 2 else vector
        return (vector / (numpy.linalg.norm(vector) or 1)).astype(float).tolist()


def frames(path):
    """What pandas reads of a file by itself, as pairs of a name and a frame."""
    import pandas

    kind, name = path.suffix.lower(), path.stem
    if kind in (".csv", ".tsv"):
        return [(name, pandas.read_csv(path, sep="\t" if kind == ".tsv" else ","))]
    if kind in (".xlsx", ".xls"):
        return [(f"{name} {sheet}", frame) for sheet, frame in pandas.read_excel(path, sheet_name=None).items()]
    if kind == ".html":
        return [(f"{name} {i}", frame) for i, frame in enumerate(pandas.read_html(path), 1)]
    if kind in (".json", ".jsonl"):
        return [(name, pandas.read_json(path, lines=kind == ".jsonl"))]
    if kind == ".parquet":
        return [(name, pandas.read_parquet(path))]
    if kind in (".db", ".sqlite"):
        return list(of_sqlite(path))
    raise ValueError(f"pandas does not read {kind} files")


def of_sqlite(path):
    import sqlite3

    import pandas

    with sqlite3.connect(path) as base:
        names = base.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
        for (name,) in names:
            yield name, pandas.read_sql_query(f'SELECT * FROM "{name}"', base)


def readable(files, read):
    """What `read` makes of each file, and the files it could not read with the reason."""
    made, unread = [], []
    for path in files:
        try:
            made.extend(read(path))
        except Exception as error:  # another program may fail in any way: that is a result
            unread.append([path.name, f"{type(error).__name__}: {error}"[:200]])
    return made, unread


def said(error):
    lines = traceback.format_exception_only(type(error), error)
    return " ".join("".join(lines).split())[:400]


def memory():
    """The most memory this process or one it started has had, in MiB."""
    both = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return max(resource.getrusage(who).ru_maxrss for who in both) / 1024


def work(make):
    """Does the job that stands on standard input. What other programs print goes to standard error."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    job = json.load(sys.stdin)
    tell = lambda **what: print(json.dumps(what, default=str), file=out, flush=True)
    way = make(job.get("model"))
    for task in job["tasks"]:
        begun = time.perf_counter()
        try:
            opened, unread = way.open([pathlib.Path(f) for f in task["files"]])
            failed = None
        except Exception as error:
            opened, unread, failed = None, [], said(error)
        tell(opened=time.perf_counter() - begun, unread=unread, failed=failed)
        for question in task["questions"]:
            begun = time.perf_counter()
            try:
                found = {"error": failed} if failed else way.ask(opened, question["question"])
            except Exception as error:
                found = {"error": said(error)}
            tell(id=question["id"], seconds=time.perf_counter() - begun, since=time.time() - job["begun"], **found)
    tell(memory=memory())
