"""Documents, tables, hits, and what became of files that were added."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Iterator, List, Mapping, Optional, Sequence, Union, overload

from . import display


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    #: ``integer``, ``decimal``, ``boolean``, ``date``, ``datetime`` or ``text``.
    kind: str
    #: The unit that all its values are in.
    unit: Optional[str] = None
    #: Distinct values, where they were counted.
    distinct: Optional[int] = None

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Column:
        """The column that the engine describes."""
        return cls(raw["name"], raw["kind"], raw.get("unit"), (raw.get("stats") or {}).get("distinct"))


@dataclass(frozen=True)
class Table:
    """A table of the library.

    >>> table = library.table("staff")
    >>> table.rows, [column.name for column in table.columns][:3]
    (40, ['employee', 'name', 'role'])
    """

    #: The name that SQL uses.
    name: str
    #: The name of the document it stands in.
    document: str
    title: str
    rows: int
    columns: List[Column]
    #: Where it stands.
    place: str
    id: str
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Table:
        """The table that the engine describes."""
        return cls(
            raw["name"],
            raw["document"],
            raw.get("title", ""),
            raw["rows"],
            [Column.of(c) for c in raw["columns"]],
            (raw.get("place") or {}).get("text", ""),
            raw["id"],
            raw,
        )

    def _repr_html_(self) -> str:
        head = [[c.name, c.kind, c.unit or "", "" if c.distinct is None else str(c.distinct)] for c in self.columns]
        return display.grid(["column", "type", "unit", "distinct"], head, caption=f"{self.name}: {self.rows} rows")


@dataclass(frozen=True)
class Document:
    """A document of the library."""

    name: str
    title: str
    #: Where it was added from.
    source: str
    tables: int
    #: Rows of data in all its tables.
    rows: int
    fields: Mapping[str, Any]
    id: str
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Document:
        """The document that the engine describes."""
        rows = (raw.get("report") or {}).get("rows_indexed", 0)
        return cls(
            raw["name"], raw.get("title", ""), raw["source"], raw["tables"], rows, raw.get("fields", {}), raw["id"], raw
        )


@dataclass(frozen=True)
class Passage:
    """A piece of text of a document."""

    text: str
    document: str
    #: Where it stands.
    place: str
    group: str
    id: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Passage:
        """The passage that the engine describes."""
        place = raw.get("place") or {}
        return cls(raw["text"], place.get("file", ""), place.get("text", ""), raw["group"], raw["id"])


@dataclass(frozen=True)
class Hit:
    """A table, row, cell or passage that a search found.

    >>> hit = library.search("earnings", k=1)[0]
    >>> hit.document, hit.place
    ('sales.xlsx', 'sales.xlsx!Revenue!A3:N26')
    """

    #: The text that was found.
    text: str
    score: float
    document: str
    #: Where it stands.
    place: str
    #: What kind of piece it is, such as ``table`` or ``medium``.
    group: str
    id: str
    #: What it can be filtered by.
    fields: Mapping[str, Any] = field(repr=False)
    #: All of it as the engine gave it, with what each part of the search said.
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Hit:
        """The hit that the engine describes."""
        document = raw.get("document") or {}
        place = raw.get("place") or {}
        return cls(
            raw["text"],
            raw["score"],
            document.get("name", ""),
            place.get("text", ""),
            raw["group"],
            raw["id"],
            raw.get("fields", {}),
            raw,
        )

    def _repr_html_(self) -> str:
        return display.hit(self)


@dataclass(frozen=True)
class Added:
    """What became of a document."""

    name: str
    #: ``added``, ``updated``, ``unchanged``, ``forgotten``, ``failed`` or ``elsewhere``.
    status: str
    tables: int
    rows: int
    #: Rows that could not be taken, each with where it stands and why.
    rejected: List[Mapping[str, Any]]
    warnings: List[str]
    #: Why it could not be read.
    error: Optional[str]
    id: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Added:
        """What the engine says became of it."""
        return cls(
            raw["name"],
            raw["status"],
            raw.get("tables", 0),
            raw.get("rows_indexed", 0),
            raw.get("rows_rejected", []),
            raw.get("warnings", []),
            raw.get("error"),
            raw["id"],
        )


@dataclass(frozen=True)
class Report(Sequence[Added]):
    """What came of adding, one entry a document.

    >>> report = library.add("examples/staff.tsv")
    >>> [(document.name, document.status) for document in report]
    [('staff.tsv', 'unchanged')]
    """

    documents: List[Added]
    #: Whether it was stopped before the end.
    interrupted: bool = False
    #: Folders whose files are gone and were kept all the same, and why.
    kept: List[Mapping[str, Any]] = field(default_factory=list)
    #: Why texts could not be embedded; they are found by their words.
    embedding_error: Optional[str] = None
    seconds: float = 0.0

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Report:
        """The report that the engine gave."""
        return cls(
            [Added.of(d) for d in raw.get("documents", [])],
            raw.get("interrupted", False),
            raw.get("kept", []),
            raw.get("embedding_error"),
            raw.get("seconds", 0.0),
        )

    @property
    def failed(self) -> List[Added]:
        """The documents that could not be read."""
        return [d for d in self.documents if d.status == "failed"]

    @overload
    def __getitem__(self, index: int) -> Added: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Added]: ...
    def __getitem__(self, index: Union[int, slice]) -> Union[Added, Sequence[Added]]:
        return self.documents[index]

    def __len__(self) -> int:
        return len(self.documents)

    def __iter__(self) -> Iterator[Added]:
        return iter(self.documents)

    def _repr_html_(self) -> str:
        rows = [[d.name, d.status, str(d.tables), str(d.rows), d.error or "; ".join(d.warnings)] for d in self]
        return display.grid(["document", "status", "tables", "rows", ""], rows)


@dataclass(frozen=True)
class Tree:
    """What came of building trees of summaries."""

    trees: int
    #: Passages that the trees are over.
    leaves: int
    summaries_new: int
    summaries_kept: int
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Tree:
        """What the engine says came of it."""
        return cls(raw["trees"], raw["leaves"], raw["summaries_new"], raw["summaries_kept"], raw)
