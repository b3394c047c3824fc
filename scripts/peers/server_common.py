"""What the scripts about the server share: starting and ending it, speaking to it, reading sets of tables."""

import collections
import contextlib
import gzip
import http.client
import json
import os
import pathlib
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = "/api/v1"
LISTENING = re.compile(r"listening on (http://\S+?:\d+)")
MIB = 1 << 20

Reply = collections.namedtuple("Reply", "status headers data")


class Failed(Exception):
    """Something that ends a measurement, said in a sentence."""


class Server:
    """`tabletalk serve` over one library, on a free port of this machine."""

    def __init__(self, binary, library, log, config=None, more=()):
        self.command = [str(binary), *(["--config", str(config)] if config else []), "--library", str(library),
                        "serve", "--listen", "127.0.0.1:0", *more]
        self.log, self.process, self.url, self.begun = pathlib.Path(log), None, None, 0.0

    def start(self, wait=60.0):
        """Starts it and, unless `wait` is 0, waits until it listens; gives the seconds that took."""
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.begun = time.perf_counter()
        while not self.look() and time.perf_counter() - self.begun < wait:
            if self.process.poll() is not None:
                raise Failed(f"the server ended with exit code {self.process.returncode}:\n{self.said()}")
            time.sleep(0.01)
        if wait and not self.url:
            raise Failed(f"the server does not listen after {wait:.0f} s:\n{self.said()}")
        return time.perf_counter() - self.begun

    def look(self):
        """Its address, once it has said one."""
        if self.url is None:
            with open(self.log, "rb") as log:
                found = LISTENING.search(log.read(100_000).decode(errors="replace"))
            self.url = found.group(1) if found else None
        return self.url

    def said(self):
        return "\n".join(self.log.read_text(errors="replace").splitlines()[-20:])

    def end(self, how, patience=60.0):
        """Sends a signal and waits; gives the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        self.url = None
        try:
            return self.process.wait(patience)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failed(f"the server did not end {patience:.0f} s after {signal.Signals(how).name}") from None

    def kill(self):
        return self.end(signal.SIGKILL)

    def stop(self):
        return self.end(signal.SIGTERM)

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        with contextlib.suppress(Failed):
            self.stop()

    def memory(self):
        """Bytes in memory: all, and those that are its own and not pages of mapped files."""
        values = {"VmRSS": 0, "RssAnon": 0}
        with contextlib.suppress(OSError), open(f"/proc/{self.process.pid}/status") as status:
            for line in status:
                name, _, rest = line.partition(":")
                if name in values:
                    values[name] = int(rest.split()[0]) * 1024
        return values["VmRSS"], values["RssAnon"]

    def processor(self):
        """Seconds of processors so far."""
        with open(f"/proc/{self.process.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def send(self, method, path, body=None, headers=None, timeout=120.0):
        return send(self.url, method, path, body, headers, timeout)

    def get(self, path, **query):
        return get(self.url, path, **query)


def send(url, method, path, body=None, headers=None, timeout=120.0):
    """One request on a connection of its own; a body that is no bytes is sent as JSON."""
    headers = dict(headers or {})
    if body is not None and not isinstance(body, bytes):
        body = json.dumps(body).encode()
        headers.setdefault("Content-Type", "application/json")
    connection = http.client.HTTPConnection(urllib.parse.urlsplit(url).netloc, timeout=timeout)
    try:
        connection.request(method, path, body, headers)
        reply = connection.getresponse()
        return Reply(reply.status, reply.headers, reply.read())
    finally:
        connection.close()


def form(files):
    """Files, each a name and its bytes, as multipart/form-data: the body and its type."""
    mark = uuid.uuid4().hex
    parts = [f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n'
             "Content-Type: application/octet-stream\r\n\r\n".encode() + data + b"\r\n" for name, data in files]
    return b"".join(parts) + f"--{mark}--\r\n".encode(), f"multipart/form-data; boundary={mark}"


def get(url, path, **query):
    """The JSON of a path under the API; anything but 200 is a failure."""
    asked = f"{API}{path}" + (f"?{urllib.parse.urlencode(query)}" if query else "")
    reply = send(url, "GET", asked)
    if reply.status != 200:
        raise Failed(f"GET {asked}: {reply.status} {reply.data[:300].decode(errors='replace')}")
    return json.loads(reply.data)


def all_documents(url):
    """Every document, page by page."""
    documents, after = [], {}
    while True:
        page = get(url, "/documents", limit=500, **after)
        documents += page["documents"]
        if not page["next"]:
            return documents
        after = {"after": page["next"]}


def lines(path):
    """The lines of a file, plain or compressed, without reading all of it."""
    path = pathlib.Path(path)
    if path.suffix == ".zst":
        with subprocess.Popen(["zstd", "-dc", str(path)], stdout=subprocess.PIPE) as unpacked:
            yield from unpacked.stdout
    else:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rb") as file:
            yield from file


def run(binary, *command, config=None, good=(0,)):
    """Runs a command of tabletalk with --json, and gives what it printed."""
    before = ["--config", str(config)] if config else []
    done = subprocess.run([str(binary), "--json", *before, *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode not in good:
        why = done.stderr.decode(errors="replace").strip() or done.stdout.decode(errors="replace").strip()
        raise Failed(f"{' '.join(map(str, command))}: exit code {done.returncode}: {why[-2000:]}")
    return json.loads(done.stdout)


def needs(program, package):
    """The path of a program, or a word on where it comes from."""
    found = shutil.which(program)
    if not found:
        raise Failed(f"needs `{program}` (apt-get install {package})")
    return found


def binary_of(args):
    path = pathlib.Path(args.binary).resolve()
    if not path.is_file():
        raise Failed(f"{args.binary} is no file: cargo build --release -p tabletalk-lab")
    return path


@contextlib.contextmanager
def work_folder(args):
    """A folder for libraries and logs, deleted at the end unless it was named."""
    if args.work:
        path = pathlib.Path(args.work).resolve()
        path.mkdir(parents=True, exist_ok=True)
        yield path
    else:
        with tempfile.TemporaryDirectory(prefix="tabletalk-server-") as path:
            yield pathlib.Path(path)


def median(values):
    return statistics.median(values) if values else float("nan")


def tell(text):
    """Progress, apart from the figures."""
    print(text, file=sys.stderr, flush=True)
