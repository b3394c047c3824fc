#!/usr/bin/env python3
"""A bare scan and parse of a CSV file by DataFusion, for comparison.

    .peers/bin/python scripts/peers/scan_datafusion.py FILE.csv

Runs one query that must read and parse every column: the count of each, and
the sum of numbers or the maximum of anything else. Prints {rows, columns,
seconds, bytes, peak_mb} as JSON.
"""

import json
import os
import resource
import sys
import time

import pyarrow as pa
from datafusion import SessionContext


def touch_all(schema):
    """The aggregates that need every value of every column."""
    parts = ["count(*) AS rows"]
    for number, field in enumerate(schema):
        name = '"' + field.name.replace('"', '""') + '"'
        numeric = pa.types.is_integer(field.type) or pa.types.is_floating(field.type)
        # Summed as a double: a column of large ids would overflow an integer sum.
        value = f"sum(CAST({name} AS DOUBLE))" if numeric else f"max({name})"
        parts += [f"count({name}) AS n{number}", f"{value} AS v{number}"]
    return "SELECT " + ", ".join(parts) + " FROM scanned"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    start = time.perf_counter()
    context = SessionContext()
    context.register_csv("scanned", path)
    schema = context.table("scanned").schema()
    batch = context.sql(touch_all(schema)).collect()[0]
    seconds = time.perf_counter() - start
    print(json.dumps({
        "rows": batch.column(0)[0].as_py(),
        "columns": len(schema),
        "seconds": round(seconds, 4),
        "bytes": os.path.getsize(path),
        "peak_mb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024),
    }))


if __name__ == "__main__":
    main()
