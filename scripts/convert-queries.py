#!/usr/bin/env python3
"""Convert a public benchmark's question file to tabletalk's evaluation queries.

    scripts/convert-queries.py tabfact < val.jsonl > queries.jsonl
    scripts/convert-queries.py wtq train.jsonl.zst > queries.jsonl

The input is JSON lines, plain or (as a path ending in .zst or .gz) compressed.
Each output line is {"id", "question", "relevant": [source ids], "answers": [...]}
and, for statements, "label" (1 supported, 0 refuted): what
`tabletalk eval retrieval --queries` and `tabletalk eval answers --queries` read.

Needs only the Python standard library (and the `zstd` program for .zst paths).
"""

import argparse
import contextlib
import gzip
import json
import subprocess
import sys


def statement(line):
    # Some splits carry the lemmatised wording only.
    text = line.get("statement") or line["statement_lemma"]
    return query(line, text, [line["table"]], label=line["label"])


def table_question(line):
    answers = line["answers"] if "answers" in line else [line.get("answer")]
    return query(line, line["question"], [line["table"]], answers)


def tables_question(line):
    rows = line.get("sql_result") or []
    answers = [value for row in rows for value in row] or [line.get("answer")]
    return query(line, line["question"], line["tables"], answers)


def passage_question(line):
    return query(line, line["question"], [line["passage"]], line.get("answers"))


def judged_question(line):
    # A grade of zero or less means that a judge looked and found it useless.
    relevant = [doc for doc, grade in line["qrels"].items() if grade > 0]
    return query(line, line["question"], relevant)


def query(line, question, relevant, answers=None, label=None):
    relevant = list(dict.fromkeys(str(source) for source in relevant))
    out = {"id": str(line["id"]), "question": question, "relevant": relevant}
    if answers is not None:
        out["answers"] = [as_text(a) for a in answers if a is not None]
    if label is not None:
        out["label"] = label
    return out


def as_text(value):
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


CONVERTERS = {
    "tabfact": statement,
    "wtq": table_question,
    "sqa": table_question,
    "wikisql": table_question,
    "hybridqa": table_question,
    "ottqa": table_question,
    "retqa": tables_question,
    "cranfield": judged_question,
    "scifact": judged_question,
    "cmrc": passage_question,
    "drcd": passage_question,
    "xquad": passage_question,
}


@contextlib.contextmanager
def lines_of(path):
    """Open plain, .gz or .zst text; standard input when there is no path."""
    if path is None:
        yield sys.stdin
    elif path.endswith(".zst"):
        with subprocess.Popen(["zstd", "-dc", path], stdout=subprocess.PIPE, encoding="utf-8") as unzip:
            yield unzip.stdout
        if unzip.returncode:
            sys.exit(f"{path}: zstd failed with exit code {unzip.returncode}")
    elif path.endswith(".gz"):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield file
    else:
        with open(path, encoding="utf-8") as file:
            yield file


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("benchmark", choices=sorted(CONVERTERS))
    parser.add_argument("path", nargs="?", help="input file; standard input if left out")
    args = parser.parse_args()
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8")
    convert = CONVERTERS[args.benchmark]
    skipped = 0
    with lines_of(args.path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                converted = convert(json.loads(line))
            except (KeyError, ValueError) as error:
                sys.exit(f"line {number} is not a {args.benchmark} query: {error!r}")
            if not converted["relevant"]:
                skipped += 1
                continue
            print(json.dumps(converted, ensure_ascii=False))
    if skipped:
        print(f"skipped {skipped} queries without a relevant source", file=sys.stderr)


if __name__ == "__main__":
    main()
