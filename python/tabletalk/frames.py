"""Frames of pandas, rows that are dictionaries, and everything else that is added from memory."""

from __future__ import annotations

import json
import os
from typing import Any, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from .errors import InputError

#: Rows of a pandas frame that are made into Arrow at once: some megabytes, whatever the frame has.
CHUNK = 65_536


def is_path(data: object) -> bool:
    """Whether it names a file or folder."""
    return isinstance(data, (str, os.PathLike))


def is_pandas(data: object) -> bool:
    """Whether it is a frame of pandas, without importing pandas."""
    kind = type(data)
    return kind.__name__ == "DataFrame" and kind.__module__.split(".")[0] == "pandas"


def is_rows(data: object) -> bool:
    """Whether it is a list of dictionaries."""
    return isinstance(data, (list, tuple)) and bool(data) and all(isinstance(row, Mapping) for row in data)


def length(data: object) -> Optional[int]:
    """How many rows a frame has, where it says so."""
    rows = getattr(data, "num_rows", None)
    if isinstance(rows, int):
        return rows
    height = getattr(data, "height", None)
    if isinstance(height, int):
        return height
    return len(data) if is_pandas(data) else None  # type: ignore[arg-type]


def stream_of(data: Any) -> Any:
    """The object whose ``__arrow_c_stream__`` gives the rows; nothing where it is no frame."""
    if is_pandas(data):
        return _pandas_reader(data)
    if hasattr(data, "__arrow_c_stream__"):
        return data
    # Frames that are only computed when they are asked for, such as those of polars.
    collect = getattr(data, "collect", None)
    if type(data).__name__ == "LazyFrame" and callable(collect):
        return collect()
    return None


def json_lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    """Dictionaries as JSON lines; what JSON does not have is written as text."""
    return b"".join(json.dumps(row, default=str, ensure_ascii=False).encode() + b"\n" for row in rows)


def _pandas_reader(frame: Any) -> object:
    """A reader that makes Arrow batches of a frame piece by piece, so that there is never a copy of the whole."""
    try:
        import pyarrow
    except ImportError:
        raise InputError("a frame of pandas is read with pyarrow", "pip install pyarrow") from None
    fields = [pyarrow.field(str(name), kind) for name, kind in _columns(frame, pyarrow)]
    schema = pyarrow.schema(fields)

    def batches() -> Iterator[Any]:
        for start in range(0, len(frame), CHUNK):
            piece = _with_index(frame.iloc[start : start + CHUNK])
            arrays = [_array(piece.iloc[:, i], field.type, pyarrow) for i, field in enumerate(schema)]
            yield pyarrow.record_batch(arrays, schema=schema)

    return pyarrow.RecordBatchReader.from_batches(schema, batches())


def _with_index(frame: Any) -> Any:
    """The frame with its index as columns, where the index has a name."""
    return frame.reset_index() if any(name is not None for name in frame.index.names) else frame


def _columns(frame: Any, pyarrow: Any) -> Sequence[Tuple[Any, Any]]:
    """The names and the Arrow types of columns. Columns of objects are looked through, for their first rows do not tell."""
    import pandas

    whole = _with_index(frame)
    empty = pyarrow.Schema.from_pandas(whole.iloc[:0], preserve_index=False)
    kinds = {
        "integer": pyarrow.int64(),
        "floating": pyarrow.float64(),
        "mixed-integer-float": pyarrow.float64(),
        "boolean": pyarrow.bool_(),
        "date": pyarrow.date32(),
        "datetime": pyarrow.timestamp("us"),
        "datetime64": pyarrow.timestamp("us"),
        "decimal": pyarrow.string(),
        "empty": pyarrow.string(),
    }
    columns: List[Tuple[Any, Any]] = []
    for i, field in enumerate(empty):
        kind = field.type
        if whole.dtypes.iloc[i] == object:
            kind = kinds.get(pandas.api.types.infer_dtype(whole.iloc[:, i], skipna=True), pyarrow.string())
        columns.append((whole.columns[i], kind))
    return columns


def _array(values: Any, kind: Any, pyarrow: Any) -> Any:
    """A piece of a column as an array; values of other types than its own are written as text."""
    try:
        return pyarrow.array(values, type=kind, from_pandas=True)
    except (pyarrow.ArrowInvalid, pyarrow.ArrowTypeError):
        if kind != pyarrow.string():
            raise
        is_there = values.notna()
        return pyarrow.array(values.astype(str).where(is_there, None), type=kind, from_pandas=True)
