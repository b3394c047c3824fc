"""The command ``tabletalk``: the same command line as that of the program."""

from __future__ import annotations

import signal
import sys

from . import _native


def main() -> int:
    """Does what was typed, and gives the exit code."""
    # Python only notes that Ctrl-C was pressed; the command line ends, or stops its work, by itself.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return _native.command(["tabletalk", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
