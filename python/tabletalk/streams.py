"""Answers as a language model writes them."""

from __future__ import annotations

from typing import Callable, Generator, Iterator, Optional, Union

from .answers import Answer

#: What a stream is made of: pieces of text, and the answer at the end.
Pieces = Generator[Union[str, Answer], None, None]


class Stream(Iterator[str]):
    """The pieces of text that a language model writes, as it writes them, and then the answer.

    >>> stream = library.stream("How many people work in Rotterdam?")
    >>> for piece in stream:                # nothing without a language model
    ...     print(piece, end="")
    >>> stream.answer.value
    12

    It stops the work when it is closed, or left as a context manager, before the end.
    """

    def __init__(self, pieces: Pieces, stop: Optional[Callable[[], None]] = None) -> None:
        self._pieces = pieces
        self._stop = stop
        self._answer: Optional[Answer] = None

    def __iter__(self) -> Stream:
        return self

    def __next__(self) -> str:
        piece = next(self._pieces)
        if isinstance(piece, Answer):
            self._answer = piece
            self._pieces.close()
            raise StopIteration
        return piece

    @property
    def answer(self) -> Answer:
        """The answer, once the text before it has come."""
        for _ in self:
            pass
        if self._answer is None:
            raise ValueError("the stream was closed before there was an answer")
        return self._answer

    def close(self) -> None:
        """Stops the work."""
        if self._stop and self._answer is None:
            self._stop()
        self._pieces.close()

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
