"""What a library does, whether it is a folder here or behind a server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Union

from . import frames
from .answers import Answer
from .errors import InputError, MissingError
from .results import Result
from .streams import Stream
from .things import Document, Hit, Report, Table, Tree

#: One name or several.
Names = Union[str, Iterable[str]]


@dataclass(frozen=True)
class Progress:
    """How far adding is."""

    #: Files and rows that were read.
    files: int
    rows: int
    #: Documents that have their vectors, of so many.
    embedded: int
    documents: int
    #: What goes on besides.
    note: str


#: Called with how far the work is. What it raises stops the work.
OnProgress = Optional[Callable[[Progress], None]]


def names_of(names: Names) -> List[str]:
    """One name or several, as a list."""
    return [names] if isinstance(names, str) else list(names)


class Interface(ABC):
    """What :class:`Library` and :class:`Client` have in common."""

    # ── adding ──────────────────────────────────────────────────────────────────────────────────────────────

    def add(
        self,
        data: Any,
        *,
        name: Optional[str] = None,
        include: Names = (),
        exclude: Names = (),
        fields: Optional[Mapping[str, Any]] = None,
        embed: bool = True,
        on_progress: OnProgress = None,
    ) -> Report:
        """Adds files, folders, frames, rows or bytes.

        ``data`` is a path or a list of them; a frame of pandas or polars, a table of pyarrow or anything else with
        ``__arrow_c_stream__``; a list of dictionaries; or the bytes of a file. All but paths need a ``name``, or come
        in a dictionary under their names. Frames are taken piece by piece and never copied as a whole. What was added
        under the same path or name before is replaced where it changed. Files that cannot be read are named by the
        report's ``failed``; anything else that cannot be read raises.

        >>> rows = [{"city": "Oslo", "sold": 5}, {"city": "Paris", "sold": 7}]
        >>> library.add(rows, name="bikes")[0].rows
        2
        >>> library.sql("SELECT sum(sold) FROM bikes").scalar()
        12
        """
        options = {
            "include": names_of(include),
            "exclude": names_of(exclude),
            "fields": [f"{key}={value}" for key, value in (fields or {}).items()],
            "embed": embed,
            "on_progress": on_progress,
        }
        if isinstance(data, Mapping):
            return together([self._add_one(one, key, options) for key, one in data.items()])
        return self._add_one(data, name, options)

    def _add_one(self, data: Any, name: Optional[str], options: Dict[str, Any]) -> Report:
        if frames.is_path(data):
            return self._add_paths([data], options)
        if isinstance(data, (list, tuple)) and data and all(map(frames.is_path, data)):
            return self._add_paths(list(data), options)
        if isinstance(data, (bytes, bytearray, memoryview)):
            return _taken(self._add_bytes(_named(name, "bytes", "sales.xlsx"), bytes(data), options))
        if frames.is_rows(data):
            given = _named(name, "rows", "sales")
            given = given if given.endswith((".jsonl", ".ndjson")) else f"{given}.jsonl"
            return _taken(self._add_bytes(given, frames.json_lines(data), options))
        rows = frames.length(data)
        stream = frames.stream_of(data)
        if stream is None:
            raise InputError(
                f"{type(data).__name__} cannot be added",
                "add paths, frames, Arrow tables, bytes, or a list of dictionaries that is not empty",
            )
        return _taken(self._add_stream(_named(name, "a frame", "sales"), stream, rows, options))

    @abstractmethod
    def _add_paths(self, paths: List[Any], options: Dict[str, Any]) -> Report: ...

    @abstractmethod
    def _add_bytes(self, name: str, data: bytes, options: Dict[str, Any]) -> Report: ...

    @abstractmethod
    def _add_stream(self, name: str, stream: object, rows: Optional[int], options: Dict[str, Any]) -> Report: ...

    @abstractmethod
    def sync(self, paths: Any = (), *, forget_most: bool = False, on_progress: OnProgress = None) -> Report:
        """Adds what changed below the paths and forgets documents whose files are gone. Where most files of a folder are
        gone, they are only forgotten with ``forget_most``."""

    @abstractmethod
    def forget(self, names: Names) -> List[str]:
        """Forgets documents by name or id, and gives the ids of those that are gone.

        >>> _ = library.add([{"a": 1}], name="short")
        >>> len(library.forget("short.jsonl"))
        1
        """

    # ── asking ──────────────────────────────────────────────────────────────────────────────────────────────

    def ask(self, question: str, **options: Any) -> Answer:
        """Answers a question.

        Options: ``tables`` (ask only of these), ``filters`` (``field=value``), ``conversation`` (``"new"`` begins one; give
        the answer's ``conversation`` with the next question), ``choose`` (which of the ``readings`` is meant, from 1), and
        ``strategy`` (recall strategies by name), with a language model ``mode``, ``samples``, ``passages``, ``no_model`` and ``on_text``, a function that is called
        with what the model writes.

        >>> answer = library.ask("total freight by carrier")
        >>> answer.rows[0]
        ('DB Schenker', 21254.65)
        >>> library.ask("average salary of site managers", tables="staff").value
        90100
        """
        return self._answer("ask", question, options)

    def verify(self, statement: str, **options: Any) -> Answer:
        """Says whether a statement is supported or refuted; options as for :meth:`ask`.

        >>> library.verify("Suzhou has more staff than Rotterdam").verdict
        'refuted'
        """
        return self._answer("verify", statement, options)

    @abstractmethod
    def _answer(self, by: str, text: str, options: Dict[str, Any]) -> Answer: ...

    @abstractmethod
    def stream(self, question: str, **options: Any) -> Stream:
        """Answers a question, with the text of a language model as it is written."""

    @abstractmethod
    def search(self, query: str, k: Optional[int] = None, **options: Any) -> List[Hit]:
        """Finds tables and passages by words and by meaning.

        Options: ``group`` (such as ``table``, ``row``, ``cell``, ``medium``), ``target``, ``similarity`` (``bm25``,
        ``cosine``, ``hybrid``, …), ``strategy``, ``rerank``, ``embed_keys``, ``filters``, ``tokens``, ``traversal``,
        ``cut_off``.

        >>> [hit.place for hit in library.search("earnings", k=1)]
        ['sales.xlsx!Revenue!A3:N26']
        """

    @abstractmethod
    def sql(self, statement: str) -> Result:
        """Runs a read-only statement over the tables.

        >>> library.sql("SELECT count(*) FROM staff").scalar()
        40
        """

    # ── looking ─────────────────────────────────────────────────────────────────────────────────────────────

    @abstractmethod
    def tables(self) -> List[Table]:
        """Every table.

        >>> "staff" in [table.name for table in library.tables()]
        True
        """

    def table(self, name: str) -> Table:
        """The table of this name or id."""
        for table in self.tables():
            if name in (table.name, table.id):
                return table
        raise MissingError(f"there is no table `{name}`", "`library.tables()` lists what there is")

    @abstractmethod
    def documents(self) -> List[Document]:
        """Every document."""

    @abstractmethod
    def text(self, name: str, rows: int = 50) -> str:
        """A document as Markdown, its tables with at most so many rows.

        >>> print(library.text("notes.txt")[:7].strip() != "")
        True
        """

    @abstractmethod
    def raptor(
        self,
        *,
        per_document: Optional[bool] = None,
        rebuild: bool = False,
        no_model: bool = False,
        on_progress: OnProgress = None,
    ) -> Tree:
        """Builds the tree of summaries over passages of text, or brings it up to date; ``search(…, group="raptor")``
        searches it."""

    @abstractmethod
    def close(self) -> None:
        """Closes the library."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _taken(report: Report) -> Report:
    """The report; an error where what was given could not be read. Of files, one that fails must not hide the others."""
    for failed in report.failed:
        raise InputError(failed.error or f"{failed.name} cannot be read")
    return report


def _named(name: Optional[str], what: str, example: str) -> str:
    if not name:
        raise InputError(f"{what} need a name" if what != "a frame" else "a frame needs a name", f"add(…, name={example!r})")
    return name


def together(reports: Sequence[Report]) -> Report:
    """Several reports as one."""
    return Report(
        [d for report in reports for d in report.documents],
        any(r.interrupted for r in reports),
        [kept for report in reports for kept in report.kept],
        next((r.embedding_error for r in reports if r.embedding_error), None),
        sum(r.seconds for r in reports),
    )


_ASKING = ("mode", "conversation", "tables", "filters", "samples", "passages", "strategy", "no_model", "choose")
_SEARCHING = (
    "group",
    "target",
    "similarity",
    "strategy",
    "rerank",
    "embed_keys",
    "tokens",
    "traversal",
    "filters",
    "cut_off",
)
_LISTS = ("tables", "filters", "rerank", "embed_keys")


def checked(options: Mapping[str, Any], known: Sequence[str], call: str) -> Dict[str, Any]:
    """Options by their names, those that are lists as lists; an error names one that is not known."""
    unknown = [name for name in options if name not in known]
    if unknown:
        raise TypeError(f"{call}() has no option {unknown[0]!r}; it has {', '.join(known)}")
    return {name: names_of(value) if name in _LISTS and value is not None else value for name, value in options.items()}


def asking(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options of a question."""
    asked = checked(options, _ASKING, "ask")
    if asked.get("strategy") is not None:
        asked["strategy"] = names_of(asked["strategy"])
    return asked


def searching(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options of a search."""
    return checked(options, _SEARCHING, "search")
