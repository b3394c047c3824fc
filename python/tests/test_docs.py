"""What the documentation shows is true: docstrings run, and so does the Python of the guide and of the README."""

import doctest
import importlib
import os
import pkgutil
import re
from pathlib import Path

import pytest

import tabletalk

ROOT = Path(__file__).resolve().parents[2]
INTEGRATIONS = ("langchain", "llama_index", "haystack")
MODULES = [m.name for m in pkgutil.iter_modules(tabletalk.__path__) if m.name not in (*INTEGRATIONS, "__main__", "_native")]


@pytest.mark.parametrize("name", ["", *MODULES])
def test_examples_of_docstrings(name, library, world, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.symlink(world / "examples", tmp_path / "examples")
    module = importlib.import_module(f"tabletalk.{name}" if name else "tabletalk")
    # The package itself and every module of it; names that are imported are tested where they are defined.
    failed, _ = doctest.testmod(module, extraglobs={"library": library, "tabletalk": tabletalk})
    assert failed == 0


def blocks(page):
    """The Python blocks of a page, with what is printed as comments `# → …`."""
    return re.findall(r"```python\n(.*?)```", page, re.S)


def run(block, names):
    """Runs a block; a line that ends in `# → text` must give that text."""
    lines = block.splitlines()
    pending = []

    def flush():
        exec("\n".join(pending), names)
        pending.clear()

    for line in lines:
        shown = re.match(r"(.*?)\s+# → (.*)", line)
        if not shown or line.startswith((" ", "\t")):
            pending.append(line)
            continue
        flush()
        code, expected = shown.groups()
        got = str(eval(code, names))
        is_right = got.startswith(expected[:-1]) if expected.endswith("…") else got == expected
        assert is_right, f"{code}\nshown: {expected}\ngot:   {got}"
    flush()


@pytest.mark.parametrize("page", ["README.md", "docs/use/python.md"])
def test_the_python_of_a_page_runs(page, world, server, tmp_path, monkeypatch):
    for package in ("pandas", "pyarrow", "polars"):
        pytest.importorskip(package, reason=f"skipped, because {package} is not installed")
    monkeypatch.chdir(tmp_path)
    os.symlink(world / "examples", tmp_path / "examples")
    text = (ROOT / page).read_text(encoding="utf-8")
    found = blocks(text)
    assert found, f"{page} has no Python"
    names = {}
    for block in found:
        needs = [i for i in INTEGRATIONS if f"tabletalk.{i}" in block]
        if "not run" in block.splitlines()[0] or needs:
            compile(block, page, "exec")
            continue
        run(block.replace("http://127.0.0.1:7700", server), names)
