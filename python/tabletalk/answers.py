"""What comes of a question."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Tuple, Union

from . import display

#: A value of an answer: a number where it is one, else the text.
Value = Union[int, float, str]

_INTEGER = re.compile(r"-?(0|[1-9][0-9]{0,17})\Z")
_DECIMAL = re.compile(r"-?(0|[1-9][0-9]*)\.[0-9]+\Z")


def value_of(text: str) -> Value:
    """A value as it is written: numbers become numbers, all else (``007`` too) stays text.

    >>> value_of("90100"), value_of("-1.5"), value_of("007"), value_of("Oslo")
    (90100, -1.5, '007', 'Oslo')
    """
    if _INTEGER.match(text):
        return int(text)
    return float(text) if _DECIMAL.match(text) else text


@dataclass(frozen=True)
class Citation:
    """Cells or a passage that an answer rests on."""

    #: The name of the document.
    document: str
    #: Where it stands, such as ``staff.tsv!F2:F5``.
    place: str
    #: What stands there, or the beginning of it.
    text: str
    #: The id of the table or passage.
    id: str
    #: All that is known of the place: file, sheet, page, rows, columns.
    at: Mapping[str, Any] = field(repr=False)

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Citation:
        """The citation that the engine describes."""
        at = raw.get("place") or {}
        return cls(raw["document"], at.get("text", ""), raw.get("text", ""), raw.get("id", ""), at)

    def _repr_html_(self) -> str:
        return display.citations([self])


@dataclass(frozen=True)
class Program:
    """The statement that computed an answer, and what it gave."""

    sql: str
    #: What it computes, in words.
    words: str
    columns: List[str]
    #: The first rows of the result, as they are written.
    rows: List[List[str]]
    #: What the columns add up to, where one would want to know.
    total: List[str]
    #: Whether there are more rows than ``rows`` has.
    truncated: bool
    rows_read: int
    rows_total: int
    rows_used: int

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Program:
        """The program that the engine describes."""
        grid = raw.get("result") or {}
        return cls(
            raw["sql"],
            raw.get("words", ""),
            grid.get("columns", []),
            grid.get("rows", []),
            grid.get("total", []),
            bool(grid.get("truncated") or raw.get("cut")),
            raw.get("rows_read", 0),
            raw.get("rows_total", 0),
            raw.get("rows_used", 0),
        )

    def records(self) -> List[Dict[str, Value]]:
        """The rows as dictionaries, numbers as numbers."""
        return [dict(zip(self.columns, map(value_of, row))) for row in self.rows]


@dataclass(frozen=True)
class Reading:
    """One way to read a question; ``ask(question, choose=1)`` takes the first."""

    words: str
    table: str
    answer: str
    sql: str

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Reading:
        """The reading that the engine describes."""
        return cls(raw["words"], raw["table"], raw.get("answer", ""), raw["sql"])


@dataclass(frozen=True)
class NearTable:
    """A table that a question without an answer may have been about."""

    table: str
    document: str
    columns: List[str]
    rows: int

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> NearTable:
        """The table that the engine describes."""
        return cls(raw["table"], raw["document"], raw.get("columns", []), raw.get("rows", 0))


@dataclass(frozen=True)
class Step:
    """One stage on the way to an answer."""

    step: str
    ms: float
    #: What it did.
    about: Mapping[str, Any]

    @classmethod
    def of(cls, raw: Mapping[str, Any]) -> Step:
        """The step that the engine describes."""
        return cls(raw["step"], raw["ms"], {k: v for k, v in raw.items() if k not in ("step", "ms")})


@dataclass(frozen=True)
class Usage:
    """What language models cost."""

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True)
class Answer:
    """What comes of a question.

    >>> answer = library.ask("What is the average salary of site managers?")
    >>> bool(answer), answer.value, answer.outcome
    (True, 90100, 'answered')
    >>> answer.sql
    'SELECT avg("salary (EUR)") AS "average" FROM "staff" WHERE "role" = \\'Site manager\\''
    >>> unknown = library.ask("What is the salary of Zorro?")
    >>> bool(unknown), unknown.value, unknown.outcome
    (False, None, 'unknown')
    """

    #: The question or statement.
    question: str
    #: ``answered``, ``clarify`` (several readings fit equally well) or ``unknown`` (nothing supports an answer).
    outcome: str
    #: The answer in words; what to ask back; or why there is none.
    text: str
    #: The answer as values, row by row; empty when there is none.
    values: List[Value]
    #: How likely it is right, from 0 to 1.
    confidence: float
    #: ``program`` (computed), ``reading`` (read off cells or passages) or ``passages`` (no answer, the best passages).
    basis: str
    citations: List[Citation]
    #: The program that computed it.
    program: Optional[Program]
    #: Of a statement: ``supported``, ``refuted`` or ``not_enough_info``.
    verdict: Optional[str]
    #: Ways to read the question, when there are several or none is sure.
    readings: List[Reading]
    #: Where there is no answer: tables that the question may have been about.
    nearest: List[NearTable]
    #: The conversation it belongs to.
    conversation: Optional[str]
    #: What was done, step by step.
    trace: List[Step] = field(repr=False)
    usage: Usage = field(repr=False)
    #: All of it as the engine gave it.
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls, question: str, raw: Mapping[str, Any]) -> Answer:
        """The answer that the engine describes."""
        program = raw.get("program")
        return cls(
            question=question,
            outcome=raw["outcome"],
            text=raw["answer"],
            values=[value_of(v) for v in raw["values"]] if raw["outcome"] == "answered" else [],
            confidence=raw["confidence"],
            basis=raw["basis"],
            citations=[Citation.of(c) for c in raw["citations"]],
            program=Program.of(program) if program else None,
            verdict=raw.get("verdict"),
            readings=[Reading.of(r) for r in raw.get("readings", [])],
            nearest=[NearTable.of(t) for t in raw.get("nearest", [])],
            conversation=raw.get("conversation"),
            trace=[Step.of(s) for s in raw.get("trace", [])],
            usage=Usage(**{k: v for k, v in raw.get("usage", {}).items() if k in Usage.__dataclass_fields__}),
            raw=raw,
        )

    @property
    def value(self) -> Optional[Value]:
        """The one value that was asked for: the first, or nothing."""
        return self.values[0] if self.values else None

    @property
    def sql(self) -> Optional[str]:
        """The statement that computed it."""
        return self.program.sql if self.program else None

    @property
    def supported(self) -> Optional[bool]:
        """Of a statement: true, false, or nothing where it is not decided."""
        return {"supported": True, "refuted": False}.get(self.verdict or "")

    @property
    def rows(self) -> List[Tuple[Value, ...]]:
        """What the program gave, row by row, numbers as numbers."""
        return [tuple(map(value_of, row)) for row in self.program.rows] if self.program else []

    def __bool__(self) -> bool:
        return self.outcome == "answered" and self.supported is not False

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return display.answer(self)
