"""The result of a statement."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Dict, Iterator, List, Mapping, Optional, Tuple

from . import _native, display

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_SHOWN = 20


class Result:
    """What a statement gave: rows of Python values, and a table for pandas, polars and everything that reads Arrow.

    >>> result = library.sql("SELECT site, count(*) AS people FROM staff GROUP BY site ORDER BY people DESC LIMIT 2")
    >>> result.columns
    ['site', 'people']
    >>> result.rows[0]
    ('Rotterdam', 12)
    >>> result.to_dicts()[0]["people"]
    12
    """

    def __init__(self, given: _native.Result) -> None:
        self._given = given
        self._about: Mapping[str, Any] = json.loads(given.about())
        self._rows: Optional[List[Tuple[Any, ...]]] = None

    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
        return [column["name"] for column in self._about["columns"]]

    @property
    def kinds(self) -> List[str]:
        """The type of each column: ``integer``, ``decimal``, ``boolean``, ``date``, ``datetime`` or ``text``."""
        return [column["kind"] for column in self._about["columns"]]

    @property
    def rows(self) -> List[Tuple[Any, ...]]:
        """The rows as tuples."""
        if self._rows is None:
            self._rows = self._given.rows()
        return self._rows

    @property
    def truncated(self) -> bool:
        """Whether rows were left out because a limit was reached: ``rows`` and ``bytes`` under ``[sql]``."""
        return bool(self._about["truncated"])

    @property
    def rows_read(self) -> int:
        """How many rows were looked at."""
        return int(self._about["rows_read"])

    @property
    def used(self) -> List[Mapping[str, Any]]:
        """The rows of each table that the result rests on."""
        return list(self._about["used"])

    @property
    def ms(self) -> float:
        """Milliseconds that it took."""
        return float(self._about["ms"])

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The rows as an Arrow stream, for every library that reads the Arrow PyCapsule interface."""
        return self._given.__arrow_c_stream__(requested_schema)

    def to_arrow(self) -> pyarrow.Table:
        """The rows as a table of pyarrow."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """The rows as a frame of pandas, with pyarrow where it is installed."""
        import pandas

        try:
            return self.to_arrow().to_pandas()
        except ImportError:
            return pandas.DataFrame(self.rows, columns=self.columns)

    def to_polars(self) -> polars.DataFrame:
        """The rows as a frame of polars."""
        import polars

        return polars.DataFrame(self)

    def to_dicts(self) -> List[Dict[str, Any]]:
        """The rows as dictionaries."""
        return [dict(zip(self.columns, row)) for row in self.rows]

    def scalar(self) -> Any:
        """The first value of the first row; nothing when there are no rows."""
        return self.rows[0][0] if self.rows and self.rows[0] else None

    def __len__(self) -> int:
        return len(self._given)

    def __iter__(self) -> Iterator[Tuple[Any, ...]]:
        return iter(self.rows)

    def __repr__(self) -> str:
        return f"tabletalk.Result({len(self)} rows of {', '.join(self.columns)})"

    def _repr_html_(self) -> str:
        more = self.truncated or len(self.rows) > _SHOWN
        return display.grid(self.columns, self.rows[:_SHOWN], more=more)
