"""What goes wrong, sorted by whose fault it is.

    >>> import tabletalk
    >>> try:
    ...     tabletalk.Library("/nowhere/at/all", create=False)
    ... except tabletalk.MissingError as error:
    ...     print(error.kind, error.hint is not None)
    missing True
"""

from __future__ import annotations

from typing import Dict, Optional, Type


class Error(Exception):
    """Anything that tabletalk says went wrong. ``str(error)`` is the message and what to do about it."""

    #: Whose fault it is: ``input``, ``missing``, ``limit``, ``upstream``, ``io``, ``bug``, ``key`` or ``forbidden``.
    kind = "bug"

    def __init__(self, message: str, hint: Optional[str] = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message}; {self.hint}" if self.hint else self.message


class InputError(Error, ValueError):
    """Your file, question or setting cannot be used as it is."""

    kind = "input"


class MissingError(Error, LookupError):
    """Something that you named does not exist."""

    kind = "missing"


class LimitError(Error):
    """A limit of the configuration was reached, or the work was stopped."""

    kind = "limit"


class UpstreamError(Error):
    """A model or another service failed."""

    kind = "upstream"


class StorageError(Error, OSError):
    """The disk or the operating system failed."""

    kind = "io"

    def __str__(self) -> str:
        return Error.__str__(self)


class BugError(Error):
    """Our own mistake. Please report it."""

    kind = "bug"


class AccessError(Error, PermissionError):
    """A server does not know the key, or the key may not do this."""

    kind = "key"

    def __str__(self) -> str:
        return Error.__str__(self)


_CLASSES: Dict[str, Type[Error]] = {
    "input": InputError,
    "missing": MissingError,
    "limit": LimitError,
    "upstream": UpstreamError,
    "io": StorageError,
    "bug": BugError,
    "key": AccessError,
    "forbidden": AccessError,
}


def of(kind: str, message: str, hint: Optional[str] = None) -> Error:
    """The exception for an error of this kind."""
    return _CLASSES.get(kind, BugError)(message, hint)
