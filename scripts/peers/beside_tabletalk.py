"""tabletalk beside other ways: the program, as somebody would use it on the command line."""

import json
import os
import pathlib
import subprocess
import tempfile

from beside_common import PASSAGES, work


class Tabletalk:
    def __init__(self, model):
        self.model = model
        self.program = os.environ["BESIDE_PROGRAM"]

    def run(self, folder, *words):
        done = subprocess.run([self.program, *words, "--json"], cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 1, 3, 4) or not done.stdout.strip():
            raise RuntimeError(done.stderr.strip()[-300:])
        return json.loads(done.stdout)

    def open(self, files):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="beside-"))
        if self.model:
            chat = f'[chat]\nprovider = "openai"\nurl = "{self.model}"\nmodel = "local"\n'
            (folder / "tabletalk.toml").write_text(chat)
        said = self.run(folder, "add", *map(str, files))
        unread = [[d["name"], d.get("message", "")] for d in said["documents"] if d["status"] == "failed"]
        return folder, unread

    def ask(self, folder, question):
        answer = self.run(folder, "ask", question)
        hits = self.run(folder, "search", question, "-k", str(PASSAGES))["hits"]
        return {"answer": text(answer), "passages": [hit["text"] for hit in hits]}


def text(answer):
    """The values of an answer, and the rows of its result."""
    if answer["outcome"] != "answered":
        return ""
    rows = ((answer.get("program") or {}).get("result") or {}).get("rows") or []
    values = answer.get("values") or []
    said = [str(value) for value in values] + [str(cell) for row in rows for cell in row]
    return "; ".join(dict.fromkeys(said)) or answer.get("text", "")


work(Tabletalk)
