"""What the tests share: the examples in a folder of their own, a library over them, and a server."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tabletalk

ROOT = Path(__file__).resolve().parents[2]


def command():
    """The command ``tabletalk`` that was installed with the package."""
    return [str(Path(sys.executable).parent / "tabletalk")]


@pytest.fixture(autouse=True)
def no_configuration_of_the_user(monkeypatch):
    for name in [n for n in os.environ if n.startswith("TABLETALK_")]:
        monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def world(tmp_path_factory):
    """A folder with a copy of the examples."""
    folder = tmp_path_factory.mktemp("world")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


@pytest.fixture(scope="session")
def library(world):
    with tabletalk.Library(world / "library") as library:
        report = library.add(world / "examples")
        assert not report.failed
        yield library


@pytest.fixture(scope="session")
def server(world):
    """The address of a server over a library of its own, started by the command of the wheel."""
    words = [*command(), "--library", str(world / "served"), "serve", "--listen", "127.0.0.1:0"]
    subprocess.run([*command(), "--library", str(world / "served"), "add", str(world / "examples")], check=True, capture_output=True)
    log = world / "server.log"
    with open(log, "wb") as out:
        process = subprocess.Popen(words, stdout=out, stderr=out, cwd=world)
    try:
        for _ in range(600):
            found = re.search(r"http://127\.0\.0\.1:\d+", log.read_text())
            if found:
                break
            assert process.poll() is None, log.read_text()
            time.sleep(0.1)
        else:
            raise AssertionError(log.read_text())
        yield found.group()
    finally:
        process.terminate()
        process.wait(30)
