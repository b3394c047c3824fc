"""How good the answers to one's own questions are."""

from __future__ import annotations

import json
import math
import os
import time
from dataclasses import dataclass
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

from . import display
from .answers import Answer, value_of
from .interface import Interface

#: A question with what is right: a pair, or a dictionary with ``question`` and ``answer``.
Question = Union[Tuple[str, Any], Mapping[str, Any]]


@dataclass(frozen=True)
class Scored:
    """A question, what is right, what was answered, and whether that is right."""

    question: str
    expected: Any
    answer: Answer
    #: ``right``, ``wrong`` or ``silent`` (there was no answer).
    verdict: str
    seconds: float


@dataclass(frozen=True)
class Evaluation:
    """What came of :func:`evaluate`."""

    results: List[Scored]

    def count(self, verdict: str) -> int:
        """How many questions came out so: ``right``, ``wrong`` or ``silent``."""
        return sum(result.verdict == verdict for result in self.results)

    @property
    def accuracy(self) -> float:
        """The share of all questions that were answered right."""
        return self.count("right") / len(self.results) if self.results else math.nan

    @property
    def precision(self) -> float:
        """The share of the answers that are right: what was not answered does not count."""
        answered = self.count("right") + self.count("wrong")
        return self.count("right") / answered if answered else math.nan

    @property
    def seconds(self) -> float:
        """How long all questions took."""
        return sum(result.seconds for result in self.results)

    def to_dicts(self) -> List[Dict[str, Any]]:
        """One dictionary a question, for a frame."""
        return [
            {
                "question": r.question,
                "expected": r.expected,
                "answer": r.answer.text,
                "verdict": r.verdict,
                "confidence": r.answer.confidence,
                "seconds": r.seconds,
            }
            for r in self.results
        ]

    def __str__(self) -> str:
        counts = ", ".join(f"{self.count(verdict)} {verdict}" for verdict in ("right", "wrong", "silent"))
        return f"{len(self.results)} questions: {counts}; {self.seconds:.2f} s"

    def _repr_html_(self) -> str:
        rows = [[r.question, r.expected, r.answer.text, r.verdict] for r in self.results]
        return f"<p>{self}</p>" + display.grid(["question", "expected", "answer", ""], rows)


def evaluate(
    library: Interface,
    questions: Union[str, "os.PathLike[str]", Iterable[Question]],
    *,
    tolerance: float = 1e-6,
    **options: Any,
) -> Evaluation:
    """Asks questions whose answers are known, and compares.

    ``questions`` are pairs of a question and its answer, dictionaries with ``question`` and ``answer``, or a file of JSON
    lines with such dictionaries. An answer may be a value or a list of values, whose order does not matter; ``None`` says
    that it is right not to answer. Numbers are compared with a relative ``tolerance``, texts without regard to case.
    ``options`` go to :meth:`Interface.ask`.

    >>> result = tabletalk.evaluate(library, [
    ...     ("How many people work in Rotterdam?", 12),
    ...     {"question": "What is the salary of Zorro?", "answer": None},
    ... ])
    >>> result.accuracy
    1.0
    """
    results = []
    for question, expected in map(_pair, _read(questions)):
        begun = time.perf_counter()
        answer = library.ask(question, **options)
        seconds = time.perf_counter() - begun
        results.append(Scored(question, expected, answer, _verdict(answer, expected, tolerance), seconds))
    return Evaluation(results)


def _read(questions: Union[str, "os.PathLike[str]", Iterable[Question]]) -> Iterable[Question]:
    if isinstance(questions, (str, os.PathLike)):
        with open(questions, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.strip()]
    return questions


def _pair(question: Question) -> Tuple[str, Any]:
    if isinstance(question, Mapping):
        return question["question"], question["answer"] if "answer" in question else question["answers"]
    text, expected = question
    return text, expected


def _verdict(answer: Answer, expected: Any, tolerance: float) -> str:
    if not answer.values:
        return "right" if expected is None else "silent"
    wanted = list(expected) if isinstance(expected, (list, tuple, set)) else [expected]
    return "right" if expected is not None and _same(answer.values, wanted, tolerance) else "wrong"


def _same(values: Sequence[Any], wanted: Sequence[Any], tolerance: float) -> bool:
    """Whether two lists have the same values, in whatever order."""
    left = list(values)
    for want in wanted:
        found = next((i for i, value in enumerate(left) if _equal(value, want, tolerance)), None)
        if found is None:
            return False
        del left[found]
    return not left


def _equal(value: Any, want: Any, tolerance: float) -> bool:
    if isinstance(want, str):
        want = value_of(want.strip())
    numbers: Optional[bool] = isinstance(value, (int, float)) and isinstance(want, (int, float))
    if numbers:
        return math.isclose(value, want, rel_tol=tolerance, abs_tol=1e-9)
    return str(value).strip().casefold() == str(want).strip().casefold()
