"""When the page of the server is first seen, and how many bytes that takes."""

import fcntl
import json
import os
import pathlib
import select
import subprocess
import tempfile
import time

from server_common import ROOT, Failed, Server, binary_of, median, needs, run, tell, work_folder

# Resolves when the browser has painted; entries of earlier paints are given too.
PAINTED = """new Promise(done => {
  const look = list => { for (const e of list.getEntries()) if (e.name === 'first-contentful-paint') done(e.startTime); };
  new PerformanceObserver(look).observe({ type: 'paint', buffered: true });
})"""


class Browser:
    """Headless Chromium, spoken to over a pair of pipes, so that nothing but Python is needed."""

    def __init__(self, program):
        self.profile = tempfile.TemporaryDirectory(prefix="tabletalk-paint-", ignore_cleanup_errors=True)
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()

        def pipes():
            # Chromium reads from 3 and writes to 4; copies above keep them from covering each other.
            high = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (to_read, to_write)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-extensions",
             "--disable-background-networking", "--no-first-run", "--remote-debugging-pipe",
             f"--user-data-dir={self.profile.name}", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=pipes)
        os.close(to_read)
        os.close(to_write)
        self.rest, self.number, self.events = b"", 0, []

    def receive(self, until):
        """The next message, or None when `until` has passed."""
        while b"\0" not in self.rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.into], [], [], left)[0]:
                return None
            data = os.read(self.into, 1 << 20)
            if not data:
                raise Failed("chromium ended")
            self.rest += data
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, session=None, patience=30.0, **params):
        self.number += 1
        asked = {"id": self.number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        os.write(self.out, json.dumps(asked).encode() + b"\0")
        until = time.monotonic() + patience
        while (message := self.receive(until)) is not None:
            if message.get("id") == self.number:
                if "error" in message:
                    raise Failed(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)
        raise Failed(f"{method}: no reply from chromium after {patience:.0f} s")

    def quiet(self, seconds, patience=30.0):
        """Collects events until none of the network came for some time."""
        end = time.monotonic() + patience
        until = time.monotonic() + seconds
        while (message := self.receive(min(until, end))) is not None:
            self.events.append(message)
            if message.get("method", "").startswith("Network."):
                until = time.monotonic() + seconds

    def close(self):
        try:
            self.call("Browser.close")
            self.process.wait(10)
        except (Failed, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.profile.cleanup()


def one_view(browser, url, width, height):
    """Opens the page in a profile of its own, without anything kept from before."""
    context = browser.call("Target.createBrowserContext")["browserContextId"]
    try:
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=context, width=width, height=height)
        session = browser.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            browser.call(f"{domain}.enable", session)
        browser.call("Network.setCacheDisabled", session, cacheDisabled=True)
        browser.events.clear()
        went = browser.call("Page.navigate", session, url=url)
        if went.get("errorText"):
            raise Failed(f"{url}: {went['errorText']}")
        painted = browser.call("Runtime.evaluate", session, expression=PAINTED, awaitPromise=True, returnByValue=True)
        browser.quiet(0.5)
        return view(painted, browser.events)
    finally:
        browser.call("Target.disposeBrowserContext", browserContextId=context)


def view(painted, events):
    if "value" not in painted.get("result", {}):
        raise Failed(f"no paint was seen: {painted}")
    requests, problems = {}, []
    for event in events:
        about = event.get("params", {})
        if event.get("method") == "Network.responseReceived":
            response = about["response"]
            requests[about["requestId"]] = {"url": response["url"], "status": response["status"], "bytes": 0}
        elif event.get("method") == "Network.loadingFinished" and about["requestId"] in requests:
            requests[about["requestId"]]["bytes"] = about["encodedDataLength"]
        elif event.get("method") == "Network.loadingFailed":
            problems.append(f"not loaded: {requests.get(about['requestId'], {}).get('url', '?')}: {about['errorText']}")
        elif event.get("method") == "Runtime.exceptionThrown":
            problems.append(f"exception: {about['exceptionDetails'].get('text')}")
        elif event.get("method") == "Log.entryAdded" and about["entry"]["level"] == "error":
            problems.append(f"log: {about['entry']['text']}")
    requests = [r for r in requests.values() if not r["url"].startswith("data:")]
    problems += [f"{r['status']}: {r['url']}" for r in requests if r["status"] >= 400]
    return {"ms": painted["result"]["value"], "bytes": sum(r["bytes"] for r in requests), "requests": requests, "problems": problems}


def measure(args):
    chromium = args.chromium or needs("chromium", "chromium")
    with work_folder(args) as folder:
        if args.url:
            return report(args, views(args, chromium, args.url))
        binary = binary_of(args)
        library = pathlib.Path(args.library) if args.library else folder / "library"
        if not library.exists():
            run(binary, "--library", library, "add", ROOT / "examples", config=args.config)
        with Server(binary, library, folder / "serve.log", args.config) as server:
            return report(args, views(args, chromium, f"{server.url}/"))


def views(args, chromium, url):
    browser = Browser(chromium)
    try:
        # The first one starts the processes of the browser.
        one_view(browser, url, args.width, args.height)
        seen = []
        for number in range(args.rounds):
            seen.append(one_view(browser, url, args.width, args.height))
            tell(f"view {number + 1} of {args.rounds}: {seen[-1]['ms']:.0f} ms")
        return seen
    finally:
        browser.close()


def report(args, seen):
    times = sorted(v["ms"] for v in seen)
    last = seen[-1]
    hosts = sorted({r["url"].split("/")[2] for r in last["requests"]})
    problems = sorted({p for v in seen for p in v["problems"]})
    result = {"first_contentful_paint_ms": {"median": median(times), "least": times[0], "most": times[-1]},
              "bytes": median([v["bytes"] for v in seen]), "requests": last["requests"], "hosts": hosts, "problems": problems}
    if args.json:
        print(json.dumps(result, indent=1))
    else:
        print(f"first contentful paint: {median(times):.0f} ms (median of {len(times)}, {times[0]:.0f} to {times[-1]:.0f}), cold cache")
        print(f"transferred for the first view: {result['bytes'] / 1024:.1f} KiB in {len(last['requests'])} requests, headers counted")
        for r in sorted(last["requests"], key=lambda r: -r["bytes"]):
            print(f"  {r['bytes']:8}  {r['status']}  {r['url'].split('/', 3)[-1] or '/'}")
        if len(hosts) > 1:
            print(f"  from several hosts: {', '.join(hosts)}")
        for problem in problems:
            print(f"  {problem}")
    return 1 if problems or len(hosts) > 1 else 0


def arguments(add, _):
    add.add_argument("--url", help="a page that is already served, instead of starting a server")
    add.add_argument("--library", help="a library to take instead of one made of examples/")
    add.add_argument("--chromium", help="the program, where it is not `chromium`")
    add.add_argument("--rounds", type=int, default=10)
    add.add_argument("--width", type=int, default=1280)
    add.add_argument("--height", type=int, default=800)
