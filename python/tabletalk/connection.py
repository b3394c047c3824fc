"""A library behind a server, with the same interface as one in a folder."""

from __future__ import annotations

import fnmatch
import http.client
import json
import os
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path
from typing import IO, Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from . import _native, errors
from .answers import Answer
from .errors import InputError, UpstreamError
from .interface import Interface, Names, OnProgress, Progress, asking, names_of, searching, together
from .results import Result
from .streams import Pieces, Stream
from .things import Document, Hit, Report, Table, Tree

#: How long to wait between two looks at a task: at first, and at most.
_FIRST_LOOK, _LAST_LOOK = 0.02, 0.5
_PAGE = 500


def connect(url: str, key: Optional[str] = None, *, library: Optional[str] = None, timeout: float = 300.0) -> Client:
    """A library behind ``tabletalk serve`` at ``url``: its default one, or the one of this name.

    ``key`` is one of those that ``tabletalk key add`` makes, where the server asks for one.

        library = tabletalk.connect("http://127.0.0.1:7700", key="tt_…")
        library.ask("How many people work in Rotterdam?").value
    """
    return Client(url, key, library=library, timeout=timeout)


class Client(Interface):
    """A library behind a server; see :func:`connect`."""

    def __init__(self, url: str, key: Optional[str] = None, *, library: Optional[str] = None, timeout: float = 300.0) -> None:
        parts = urllib.parse.urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise InputError(f"`{url}` is not the address of a server", "write it like http://127.0.0.1:7700")
        self.url = url.rstrip("/")
        self.library = library
        self._key = key
        self._timeout = timeout

    def __repr__(self) -> str:
        return f"tabletalk.connect({self.url!r})"

    # ── requests ────────────────────────────────────────────────────────────────────────────────────────────

    def _open(
        self,
        method: str,
        path: str,
        query: Optional[Mapping[str, Any]] = None,
        body: Union[bytes, IO[bytes], None] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> http.client.HTTPResponse:
        given = {**(query or {}), **({"library": self.library} if self.library else {})}
        address = f"{self.url}/api/v1/{path}" + (f"?{urllib.parse.urlencode(given)}" if given else "")
        request = urllib.request.Request(address, data=body, method=method, headers=dict(headers or {}))
        if self._key:
            request.add_header("Authorization", f"Bearer {self._key}")
        try:
            return urllib.request.urlopen(request, timeout=self._timeout)  # type: ignore[no-any-return]
        except urllib.error.HTTPError as error:
            raise _problem(error) from None
        except (urllib.error.URLError, OSError, http.client.HTTPException) as error:
            reason = getattr(error, "reason", error)
            raise UpstreamError(f"{self.url} cannot be reached: {reason}", "is `tabletalk serve` running there?") from None

    def _json(self, method: str, path: str, body: Any = None, query: Optional[Mapping[str, Any]] = None) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {} if body is None else {"Content-Type": "application/json"}
        with self._open(method, path, query, data, headers) as response:
            return json.load(response)

    def _pages(self, path: str, of: str) -> Iterator[Mapping[str, Any]]:
        after: Optional[int] = None
        while True:
            page = self._json("GET", path, query={"limit": _PAGE, **({} if after is None else {"after": after})})
            yield from page[of]
            after = page["next"]
            if after is None:
                return

    # ── adding ──────────────────────────────────────────────────────────────────────────────────────────────

    def _add_paths(self, paths: List[Any], options: Dict[str, Any]) -> Report:
        _no_fields(options)
        files = [file for path in paths for file in _files(Path(path), options)]
        reports = [self._upload_file(file, file.name, options) for file in files]
        return together(reports)

    def _add_bytes(self, name: str, data: bytes, options: Dict[str, Any]) -> Report:
        _no_fields(options)
        return self._upload(name, data, len(data), options)

    def _add_stream(self, name: str, stream: object, rows: Optional[int], options: Dict[str, Any]) -> Report:
        # The wire takes files: the rows are written to one, batch by batch.
        _no_fields(options)
        with tempfile.TemporaryDirectory(prefix="tabletalk") as folder:
            path = Path(folder) / "rows.parquet"
            _native.write_parquet(stream, path)
            return self._upload_file(path, name if name.endswith(".parquet") else f"{name}.parquet", options)

    def _upload_file(self, path: Path, name: str, options: Mapping[str, Any]) -> Report:
        try:
            with open(path, "rb") as file:
                return self._upload(name, file, os.fstat(file.fileno()).st_size, options)
        except OSError as error:
            raise errors.of("missing" if isinstance(error, FileNotFoundError) else "io", str(error)) from None

    def _upload(self, name: str, body: Union[bytes, IO[bytes]], size: int, options: Mapping[str, Any]) -> Report:
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(size)}
        with self._open("POST", "documents", {"name": name}, body, headers) as response:
            task = json.load(response)["task"]
        return Report.of(self._wait(task, options.get("on_progress")))

    def _wait(self, task: Mapping[str, Any], on_progress: OnProgress) -> Mapping[str, Any]:
        """What came of a task. When waiting is interrupted, the task is stopped."""
        pause = _FIRST_LOOK
        try:
            while task["state"] in ("queued", "running"):
                time.sleep(pause)
                pause = min(pause * 1.5, _LAST_LOOK)
                task = self._json("GET", f"tasks/{task['id']}")["task"]
                if on_progress:
                    on_progress(_progress(task["progress"]))
        except BaseException:
            self._json("DELETE", f"tasks/{task['id']}")
            raise
        if task["state"] == "failed":
            said = task.get("error") or {}
            raise errors.of(said.get("kind", "bug"), said.get("message", "the task failed"), said.get("hint"))
        return task.get("result") or {"interrupted": True}

    def sync(self, paths: Any = (), *, forget_most: bool = False, on_progress: OnProgress = None) -> Report:
        """Brings the folders that the server watches, and uploads, in step."""
        if paths or forget_most:
            raise InputError("a server keeps its own folders in step", "name them under [[watch]] in its configuration")
        started = self._json("POST", "tasks", {"kind": "sync"})
        return Report.of(self._wait(started["task"], on_progress))

    def forget(self, names: Names) -> List[str]:
        gone: List[str] = []
        for name in names_of(names):
            gone += self._json("DELETE", f"documents/{urllib.parse.quote(name, safe='')}")["forgotten"]
        return gone

    # ── asking ──────────────────────────────────────────────────────────────────────────────────────────────

    def _answer(self, by: str, text: str, options: Dict[str, Any]) -> Answer:
        on_text = options.pop("on_text", None)
        if on_text is None:
            return Answer.of(text, self._json("POST", by, {"question": text, **asking(options)}))
        stream = self._stream(by, text, options)
        for piece in stream:
            on_text(piece)
        return stream.answer

    def stream(self, question: str, **options: Any) -> Stream:
        return self._stream("ask", question, options)

    def _stream(self, by: str, question: str, options: Mapping[str, Any]) -> Stream:
        body = json.dumps({"question": question, **asking(options)}).encode()
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}

        def read() -> Pieces:
            with self._open("POST", by, None, body, headers) as response:
                for event, said in _events(response):
                    if event == "text":
                        yield said["text"]
                    elif event == "answer":
                        yield Answer.of(question, said)
                        return
                    elif event == "error":
                        raise errors.of(said["error"]["kind"], said["error"]["message"], said["error"].get("hint"))
            raise UpstreamError("the server ended before it had answered")

        return Stream(read())

    def search(self, query: str, k: Optional[int] = None, **options: Any) -> List[Hit]:
        found = self._json("POST", "search", {"query": query, "topk": k, **searching(options)})
        return [Hit.of(hit) for hit in found["hits"]]

    def sql(self, statement: str) -> Result:
        body = json.dumps({"statement": statement}).encode()
        with self._open("POST", "sql", None, body, {"Content-Type": "application/json"}) as response:
            return Result(_native.Result.of_json(response.read().decode()))

    # ── looking ─────────────────────────────────────────────────────────────────────────────────────────────

    def tables(self) -> List[Table]:
        return [Table.of(table) for table in self._pages("tables", "tables")]

    def documents(self) -> List[Document]:
        return [Document.of(document) for document in self._pages("documents", "documents")]

    def text(self, name: str, rows: int = 50) -> str:
        path = f"documents/{urllib.parse.quote(name, safe='')}/text"
        with self._open("GET", path, {"rows": rows}) as response:
            return response.read().decode()

    def raptor(
        self,
        *,
        per_document: Optional[bool] = None,
        rebuild: bool = False,
        no_model: bool = False,
        on_progress: OnProgress = None,
    ) -> Tree:
        scope = None if per_document is None else "document" if per_document else "library"
        task = {"kind": "raptor", "scope": scope, "rebuild": rebuild, "no_model": no_model}
        return Tree.of(self._wait(self._json("POST", "tasks", task)["task"], on_progress))

    def close(self) -> None:
        """Nothing is kept open between calls."""


def _problem(error: urllib.error.HTTPError) -> errors.Error:
    """The exception for an answer that is an error."""
    try:
        said = json.load(error)["error"]
        return errors.of(said["kind"], said["message"], said.get("hint"))
    except (ValueError, KeyError, TypeError):
        return UpstreamError(f"{error.url} answered {error.code} {error.reason}", "is this the address of `tabletalk serve`?")


def _events(response: IO[bytes]) -> Iterator[Tuple[str, Any]]:
    """Server-sent events with JSON in them."""
    event = ""
    data: List[str] = []
    for raw in response:
        line = raw.decode().rstrip("\r\n")
        if not line and data:
            yield event, json.loads("\n".join(data))
            event, data = "", []
        elif line.startswith("event:"):
            event = line[6:].strip()
        elif line.startswith("data:"):
            data.append(line[5:].lstrip())


def _progress(at: Mapping[str, Any]) -> Progress:
    """The progress of a task, in the words of adding."""
    is_embedding = at["phase"] == "embed"
    done, total = at["done"], at.get("total") or 0
    return Progress(0 if is_embedding else done, 0, done if is_embedding else 0, total, at["message"])


def _no_fields(options: Mapping[str, Any]) -> None:
    if options.get("fields") or not options.get("embed", True):
        raise InputError("a server takes files without `fields`, and embeds them", "open the folder with tabletalk.Library")


def _files(path: Path, options: Mapping[str, Any]) -> Iterator[Path]:
    """A file, or those below a folder that the patterns let through; hidden ones are left out, as by ``tabletalk add``."""
    if path.is_file():
        yield path
        return
    if not path.is_dir():
        raise errors.MissingError(f"{path}: No such file or directory")
    for file in sorted(path.rglob("*")):
        name = file.relative_to(path)
        is_hidden = any(part.startswith(".") for part in name.parts)
        wanted = not options.get("include") or any(fnmatch.fnmatch(str(name), p) for p in options["include"])
        unwanted = any(fnmatch.fnmatch(str(name), p) for p in options.get("exclude", ()))
        if file.is_file() and not is_hidden and wanted and not unwanted:
            yield file
