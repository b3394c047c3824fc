#!/usr/bin/env python3
"""DuckDB over stored tables, for comparison with tabletalk-sql.

    tabletalk-lab bench sql --python .peers/bin/python

starts this program. It reads one JSON object a line and answers with one:
{"table": NAME, "file": PARQUET, "columns": [NAME...]} makes a view of a stored
table, {"sql": STATEMENT} runs a statement and gives {"ms", "rows"}.
"""

import datetime
import json
import sys
import time

import duckdb


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def make_view(connection, table, file, columns):
    """A stored table under the names of its columns."""
    parts = [f"v{i} AS {quoted(name)}" for i, name in enumerate(columns)]
    path = "'" + file.replace("'", "''") + "'"
    connection.execute(
        f"CREATE VIEW {quoted(table)} AS SELECT {', '.join(parts)} FROM read_parquet({path})")


def run(connection, sql):
    start = time.perf_counter()
    rows = connection.execute(sql).fetchall()
    return (time.perf_counter() - start) * 1000, rows


def plain(value):
    """A value as JSON has it."""
    if isinstance(value, (datetime.date, datetime.datetime)):
        return str(value)
    return value if isinstance(value, (str, int, float, bool, type(None))) else float(value)


def main():
    threads = sys.argv[1] if len(sys.argv) > 1 else "2"
    connection = duckdb.connect(config={"threads": threads})
    for line in sys.stdin:
        ask = json.loads(line)
        if "sql" in ask:
            ms, rows = run(connection, ask["sql"])
            answer = {"ms": ms, "rows": [[plain(v) for v in row] for row in rows]}
        else:
            make_view(connection, ask["table"], ask["file"], ask["columns"])
            answer = {"version": duckdb.__version__}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
