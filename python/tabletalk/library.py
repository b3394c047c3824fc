"""A library in a folder, with the engine in this process."""

from __future__ import annotations

import json
import os
import queue
import threading
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Union

from . import _native, frames
from .answers import Answer
from .interface import Interface, Names, OnProgress, Progress, asking, names_of, searching
from .results import Result
from .streams import Pieces, Stream
from .things import Document, Hit, Passage, Report, Table, Tree


def _request(said: Mapping[str, Any]) -> str:
    """What is asked for, as the engine takes it: what is not said is as configured."""
    return json.dumps({name: value for name, value in said.items() if value is not None})


def _listener(on_progress: OnProgress) -> Optional[Callable[[int, int, int, int, str], None]]:
    if on_progress is None:
        return None
    return lambda *news: on_progress(Progress(*news))


class Library(Interface):
    """A library: a folder of documents and tables that can be asked.

    ``path`` is the folder; without one it is the nearest ``.tabletalk``, here or in a folder above, or a new one here.
    ``config`` is the path of a ``tabletalk.toml``, or a dictionary of what is to be different from the one that is found:

    >>> small = tabletalk.Library("small", config={"sql": {"rows": 2}})
    >>> _ = small.add("examples/staff.tsv")
    >>> len(small.sql("SELECT * FROM staff")), small.sql("SELECT * FROM staff").truncated
    (2, True)
    >>> small.close()

    Calls may come from several threads; the interpreter is free while the engine works, and Ctrl-C stops it.
    """

    def __init__(
        self,
        path: Union[str, "os.PathLike[str]", None] = None,
        *,
        create: bool = True,
        config: Union[str, "os.PathLike[str]", Mapping[str, Any], None] = None,
    ) -> None:
        changes = json.dumps(config) if isinstance(config, Mapping) else None
        file = None if config is None or isinstance(config, Mapping) else Path(config)
        self._engine = _native.Engine(None if path is None else Path(path), create, file, changes)

    @property
    def path(self) -> Path:
        """The folder."""
        return Path(self._engine.dir())

    def __repr__(self) -> str:
        try:
            return f"tabletalk.Library({str(self.path)!r})"
        except Exception:  # it is closed
            return "tabletalk.Library(closed)"

    # ── adding ──────────────────────────────────────────────────────────────────────────────────────────────

    def _adding(self, options: Mapping[str, Any]) -> Dict[str, Any]:
        return {
            "include": options.get("include", []),
            "exclude": options.get("exclude", []),
            "fields": options.get("fields", []),
            "embed": options.get("embed", True),
            "forget_missing": options.get("forget_missing", False),
            "forget_most": options.get("forget_most", False),
            "progress": _listener(options.get("on_progress")),
            "stopper": None,
        }

    def _add_paths(self, paths: List[Any], options: Dict[str, Any]) -> Report:
        return Report.of(json.loads(self._engine.add([Path(p) for p in paths], self._adding(options))))

    def _add_bytes(self, name: str, data: bytes, options: Dict[str, Any]) -> Report:
        return Report.of(json.loads(self._engine.add_bytes(name, data, self._adding(options))))

    def _add_stream(self, name: str, stream: object, rows: Optional[int], options: Dict[str, Any]) -> Report:
        return Report.of(json.loads(self._engine.add_stream(name, stream, rows, self._adding(options))))

    def sync(self, paths: Any = (), *, forget_most: bool = False, on_progress: OnProgress = None) -> Report:
        options = {"forget_missing": True, "forget_most": forget_most, "on_progress": on_progress}
        return self._add_paths([paths] if frames.is_path(paths) else list(paths), options)

    def forget(self, names: Names) -> List[str]:
        return self._engine.forget(names_of(names))

    # ── asking ──────────────────────────────────────────────────────────────────────────────────────────────

    def _answer(self, by: str, text: str, options: Dict[str, Any]) -> Answer:
        on_text = options.pop("on_text", None)
        request = _request({**asking(options), "question": text})
        call = self._engine.ask if by == "ask" else self._engine.verify
        return Answer.of(text, json.loads(call(request, on_text, None)))

    def stream(self, question: str, **options: Any) -> Stream:
        stopper = _native.Stopper()
        pieces: queue.SimpleQueue[Union[str, Answer, BaseException]] = queue.SimpleQueue()
        request = _request({**asking(options), "question": question})

        def work() -> None:
            try:
                pieces.put(Answer.of(question, json.loads(self._engine.ask(request, pieces.put, stopper))))
            except BaseException as error:  # it is raised where the stream is read
                pieces.put(error)

        def read() -> Pieces:
            threading.Thread(target=work, name="tabletalk answer", daemon=True).start()
            while True:
                piece = pieces.get()
                if isinstance(piece, BaseException):
                    raise piece
                yield piece

        return Stream(read(), stopper.stop)

    def search(self, query: str, k: Optional[int] = None, **options: Any) -> List[Hit]:
        request = _request({**searching(options), "query": query, "topk": k})
        return [Hit.of(hit) for hit in json.loads(self._engine.search(request))["hits"]]

    def sql(self, statement: str) -> Result:
        return Result(self._engine.sql(statement, None))

    # ── looking ─────────────────────────────────────────────────────────────────────────────────────────────

    def tables(self) -> List[Table]:
        return [Table.of(table) for table in json.loads(self._engine.tables())]

    def documents(self) -> List[Document]:
        return [Document.of(document) for document in json.loads(self._engine.documents())]

    def text(self, name: str, rows: int = 50) -> str:
        return self._engine.text(name, rows)

    def passages(self, group: str = "medium") -> List[Passage]:
        """The pieces of text of a group, in the order of the documents.

        >>> library.passages()[0].document != ""
        True
        """
        return [Passage.of(passage) for passage in json.loads(self._engine.passages(group))]

    def rows(self, table: str, offset: int = 0, limit: int = 100) -> List[List[str]]:
        """Some rows of a table as they are written in its file.

        >>> library.rows("staff", limit=1)[0][:2]
        ['E001', 'Þóra Ibáñez']
        """
        return [row["cells"] for row in json.loads(self._engine.rows(table, offset, limit))["rows"]]

    def raptor(
        self,
        *,
        per_document: Optional[bool] = None,
        rebuild: bool = False,
        no_model: bool = False,
        on_progress: OnProgress = None,
    ) -> Tree:
        built = self._engine.raptor(per_document, rebuild, no_model, _listener(on_progress))
        return Tree.of(json.loads(built))

    def close(self) -> None:
        self._engine.close()
