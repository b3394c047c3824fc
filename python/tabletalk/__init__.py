"""Ask questions over piles of tables and documents, cited to the cell.

    >>> import tabletalk
    >>> library = tabletalk.Library("my-library")
    >>> report = library.add("examples/staff.tsv")
    >>> answer = library.ask("What is the average salary of site managers?")
    >>> answer.value
    90100
    >>> answer.citations[0].place
    'staff.tsv!F2:F5'

A :class:`Library` is a folder on disk; :func:`connect` gives the same interface to one behind a server.
"""

from __future__ import annotations

from . import _native
from .answers import Answer, Citation, NearTable, Program, Reading, Step, Usage
from .connection import Client, connect
from .errors import (
    AccessError,
    BugError,
    Error,
    InputError,
    LimitError,
    MissingError,
    StorageError,
    UpstreamError,
)
from .evaluation import Evaluation, Scored, evaluate
from .interface import Interface, Progress
from .library import Library
from .results import Result
from .streams import Stream
from .things import Added, Column, Document, Hit, Passage, Report, Table, Tree

__version__: str = _native.version

__all__ = [
    "AccessError",
    "Added",
    "Answer",
    "BugError",
    "Citation",
    "Client",
    "Column",
    "Document",
    "Error",
    "Evaluation",
    "Hit",
    "InputError",
    "Interface",
    "Library",
    "LimitError",
    "MissingError",
    "NearTable",
    "Passage",
    "Program",
    "Progress",
    "Reading",
    "Report",
    "Result",
    "Scored",
    "Step",
    "StorageError",
    "Stream",
    "Table",
    "Tree",
    "UpstreamError",
    "Usage",
    "connect",
    "evaluate",
]
