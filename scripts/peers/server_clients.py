"""The clients that check-server tries on the server: plain HTTP, openai, mcp, a rerank request, schemathesis."""

import asyncio
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse

from server_common import API, MIB, Failed, form, send

# Of examples/staff.tsv; README.md and docs/start/examples.md have it too.
QUESTION, ANSWER, SOURCE = "What is the average salary of site managers?", "90100", "staff.tsv"
STATEMENT = "the average salary of site managers is 90100"
TOOLS = ("search", "ask", "verify", "sql", "tables", "show")


def need(truth, message):
    if not truth:
        raise Failed(message)


def expect(reply, *statuses):
    """The JSON of a reply with one of these statuses."""
    need(reply.status in statuses, f"status {reply.status} and not {statuses[0]}: {reply.data[:300].decode(errors='replace')}")
    return json.loads(reply.data) if reply.data else None


def is_error(reply, *statuses):
    """An error says its kind and its message, and every reply its request."""
    error = expect(reply, *statuses)["error"]
    need(error["kind"] in ("input", "missing", "limit", "upstream", "io", "bug", "forbidden", "key"), f"unknown kind {error['kind']}")
    need(isinstance(error["message"], str) and error["message"], "an error without a message")
    need("hint" in error, "an error without a hint")
    need(reply.headers["x-request-id"], "no x-request-id")


class Site:
    """A server, and the key that requests are sent with."""

    def __init__(self, url, key=None):
        self.url, self.key = url, key

    def headers(self, **more):
        return ({"Authorization": f"Bearer {self.key}"} if self.key else {}) | more

    def send(self, method, path, body=None, **more):
        return send(self.url, method, path, body, self.headers(**more))

    def settings(self):
        return expect(self.send("GET", f"{API}/settings"), 200)


# Plain HTTP

def health(site):
    for path in ("/healthz", "/readyz"):
        need(site.send("GET", path).status == 200, f"{path} is not 200")
    metrics = site.send("GET", "/metrics")
    need(metrics.status == 200 and b"# TYPE" in metrics.data, "/metrics is no list of metrics")
    return f"{metrics.data.count(b'# TYPE')} metrics"


def page(site):
    reply = site.send("GET", "/")
    need(reply.status == 200 and b"<!doctype html" in reply.data[:200].lower(), "/ is no page")
    policy = reply.headers["content-security-policy"] or ""
    need("default-src" in policy, "the page has no content-security-policy")
    need(reply.headers["x-content-type-options"] == "nosniff", "the page may be sniffed")
    foreign = [u for u in re.findall(rb'(?:src|href)="(https?://[^"]+)"', reply.data)]
    need(not foreign, f"the page loads from elsewhere: {foreign[:3]}")
    return f"{len(reply.data)} bytes"


def errors(site):
    is_error(site.send("GET", f"{API}/documents/0000000000000000"), 404)
    is_error(site.send("GET", f"{API}/tasks/nothing"), 400, 404)
    is_error(site.send("GET", f"{API}/search"), 400, 422)
    is_error(site.send("POST", f"{API}/search", b'{"query": ', **{"Content-Type": "application/json"}), 400)
    is_error(site.send("POST", f"{API}/sql", {"statement": "DROP TABLE staff"}), 400, 422)
    is_error(site.send("GET", f"{API}/documents?library=there-is-none"), 404)
    return "six kinds of them"


def foreign(site):
    """What a page of another site, or a name that was made to point here, could send."""
    is_error(site.send("GET", f"{API}/documents", Host="tables.example"), 400, 403, 421)
    is_error(site.send("POST", f"{API}/sql", {"statement": "SELECT 1"}, Origin="https://evil.example"), 403)
    reply = site.send("GET", f"{API}/documents", Origin="https://evil.example")
    need(reply.headers["access-control-allow-origin"] in (None, "null") or reply.status == 403, "other sites may read replies")
    return "host and origin"


def keys(site):
    """Makes a key for all that follows; from here on requests without one are refused, where the server wants one."""
    made = expect(site.send("POST", f"{API}/keys", {"name": "check", "role": "admin", "libraries": []}), 201)
    need(made["key"].startswith("tt_"), "a key that does not begin with tt_")
    site.key = made["key"]
    wants = expect(send(site.url, "GET", f"{API}/server"), 200)["needs_key"]
    if wants:
        is_error(send(site.url, "GET", f"{API}/documents"), 401)
    is_error(send(site.url, "GET", f"{API}/documents", None, {"Authorization": "Bearer tt_wrong"}), 401)
    reader = expect(site.send("POST", f"{API}/keys", {"name": "reader", "role": "read", "libraries": []}), 201)["key"]
    is_error(send(site.url, "POST", f"{API}/keys", {"name": "more", "role": "admin", "libraries": []},
                  {"Authorization": f"Bearer {reader}"}), 403)
    is_error(send(site.url, "POST", f"{API}/documents?name=a.csv", b"a,b\n1,2\n", {"Authorization": f"Bearer {reader}"}), 403)
    expect(send(site.url, "GET", f"{API}/documents", None, {"Authorization": f"Bearer {reader}"}), 200)
    listed = expect(site.send("GET", f"{API}/keys"), 200)
    need("tt_" not in json.dumps(listed), "GET /keys shows keys")
    need(site.send("DELETE", f"{API}/keys/reader").status in (200, 204), "a key cannot be removed")
    is_error(send(site.url, "GET", f"{API}/documents", None, {"Authorization": f"Bearer {reader}"}), 401)
    return "roles hold" if wants else "roles hold; requests without any key are still answered"


def finished(site, task, patience=120.0):
    end = time.monotonic() + patience
    while task["state"] in ("queued", "running") and time.monotonic() < end:
        time.sleep(0.1)
        task = expect(site.send("GET", f"{API}/tasks/{task['id']}"), 200)["task"]
    need(task["state"] == "done", f"the task is {task['state']}: {task['error']}")
    return task


def upload(site):
    data = b"moon,planet,km\nPhobos,Mars,22\nDeimos,Mars,12\n"
    taken = expect(site.send("POST", f"{API}/documents?name=moons.csv", data, **{"Content-Type": "text/csv"}), 202)
    need(taken["files"] == ["moons.csv"], f"files are {taken['files']}")
    document = finished(site, taken["task"])["result"]["documents"][0]
    need(document["status"] == "added" and document["rows_in"] == document["rows_indexed"] == 2, f"the report is {document}")
    place = f"{API}/documents/{urllib.parse.quote(document['id'], safe='')}"
    need(site.send("GET", f"{place}/file").data == data, "the file that comes back is another one")
    hits = expect(site.send("GET", f"{API}/search?q=deimos&similarity=bm25"), 200)["hits"]
    need(hits and hits[0]["document"]["name"] == "moons.csv", "the new file is not found")
    rows = expect(site.send("POST", f"{API}/sql", {"statement": "SELECT sum(km) FROM moons"}), 200)["rows"]
    need(float(rows[0][0]) == 34, f"the sum is {rows}")
    need(expect(site.send("DELETE", place), 200)["forgotten"] == [document["id"]], "it is not forgotten")
    is_error(site.send("GET", place), 404)
    return "uploaded, found, summed up, forgotten"


def upload_form(site):
    """Two files in one form, one of them larger than other requests may be."""
    rows = "".join(f"{n},{n * 7919 % 10007},some words to fill the line\n" for n in range(50_000))
    files = [("comets.csv", b"comet,years\nHalley,76\nEncke,3\n"), ("many.csv", f"n,m,words\n{rows}".encode())]
    body, kind = form(files)
    taken = expect(site.send("POST", f"{API}/documents", body, **{"Content-Type": kind}), 202)
    need(sorted(taken["files"]) == ["comets.csv", "many.csv"], f"files are {taken['files']}")
    documents = finished(site, taken["task"])["result"]["documents"]
    need(sorted(d["rows_indexed"] for d in documents) == [2, 50_000], f"the report is {str(documents)[:500]}")
    for document in documents:
        expect(site.send("DELETE", f"{API}/documents/{document['id']}"), 200)
    return f"{len(body) / MIB:.1f} MiB in two files"


def ask(site):
    body = {"question": QUESTION}
    answer = expect(site.send("POST", f"{API}/ask", body), 200)
    need(answer["outcome"] == "answered" and answer["values"] == [ANSWER], f"{answer['outcome']}: {answer['answer']}")
    need(answer["citations"][0]["document"] == SOURCE, f"it cites {answer['citations'][0]['document']}")
    reply = site.send("POST", f"{API}/ask", body, Accept="text/event-stream")
    need(reply.status == 200 and reply.headers["content-type"].startswith("text/event-stream"), "no stream of events")
    events = [dict(line.split(": ", 1) for line in part.splitlines() if ": " in line)
              for part in reply.data.decode().replace("\r\n", "\n").split("\n\n") if part.strip()]
    events = [e for e in events if "event" in e]
    need(events and events[-1]["event"] == "answer", f"the last event is {events[-1:]}")
    need(json.loads(events[-1]["data"])["values"] == [ANSWER], "the answer of the stream is another one")
    return f"{answer['answer']}, cited to {answer['citations'][0]['place']['text']}"


def backup(site):
    reply = site.send("GET", f"{API}/backup")
    need(reply.status == 200 and reply.data[:4] == b"\x28\xb5\x2f\xfd", "no zstd")
    return f"{len(reply.data) / MIB:.1f} MiB"


# openai

def openai_client(site, key=None):
    import openai
    return openai.OpenAI(base_url=f"{site.url}/v1", api_key=key or site.key or "none", max_retries=0, timeout=120)


def openai_models(site):
    models = [model.id for model in openai_client(site).models.list()]
    need(models, "no model is listed")
    return ", ".join(models)


def is_cited(annotations):
    """Annotations as OpenAI's own: citations with an address, a title, and where in the text they stand."""
    need(annotations, "no annotations")
    for one in annotations:
        one = one if isinstance(one, dict) else one.model_dump()
        cited = one.get("url_citation")
        need(one.get("type") == "url_citation" and cited, f"an annotation is {one}")
        need(isinstance(cited.get("url"), str) and isinstance(cited.get("title"), str), f"a citation is {cited}")
        need(0 <= cited["start_index"] <= cited["end_index"], f"a citation is {cited}")
    titles = [(a if isinstance(a, dict) else a.model_dump())["url_citation"]["title"] for a in annotations]
    need(any(SOURCE in title for title in titles), f"{SOURCE} is not cited, but {titles}")
    return titles[0]


def chat_model(site):
    models = [model.id for model in openai_client(site).models.list()]
    return next((name for name in models if "tabletalk" in name), models[0])


def openai_chat(site):
    said = openai_client(site).chat.completions.create(model=chat_model(site), messages=[{"role": "user", "content": QUESTION}])
    choice = said.choices[0]
    need(said.object == "chat.completion" and choice.message.role == "assistant", "no completion")
    need(choice.finish_reason == "stop", f"finish_reason is {choice.finish_reason}")
    need(ANSWER in choice.message.content, f"the answer is {choice.message.content!r}")
    return f"{choice.message.content.splitlines()[0]!r}, cites {is_cited(choice.message.annotations)}"


def openai_stream(site):
    text, annotations, reasons, chunks = "", [], [], 0
    for chunk in openai_client(site).chat.completions.create(
            model=chat_model(site), messages=[{"role": "user", "content": QUESTION}], stream=True):
        chunks += 1
        need(chunk.object == "chat.completion.chunk", f"a chunk is a {chunk.object}")
        for choice in chunk.choices:
            text += choice.delta.content or ""
            annotations += getattr(choice.delta, "annotations", None) or []
            reasons += [choice.finish_reason] if choice.finish_reason else []
    need(ANSWER in text, f"the answer is {text!r}")
    need(reasons == ["stop"], f"finish reasons are {reasons}")
    return f"{chunks} chunks, cites {is_cited(annotations)}"


def openai_refused(site):
    import openai
    client = openai_client(site)
    try:
        client.chat.completions.create(model=chat_model(site), messages=[])
    except openai.APIStatusError as error:
        need(error.status_code in (400, 422), f"a talk without messages gives {error.status_code}")
    else:
        raise Failed("a talk without messages is answered")
    if site.key:
        try:
            openai_client(site, "tt_wrong").models.list()
        except openai.AuthenticationError:
            return "BadRequestError, AuthenticationError"
        raise Failed("a wrong key is taken")
    return "BadRequestError"


def embedding_model(site):
    models = [model.id for model in openai_client(site).models.list()]
    return next((name for name in models if re.search("bge|embed|minilm|e5", name, re.I)), models[0])


def openai_embeddings(site):
    model, client = embedding_model(site), openai_client(site)
    texts = ["The cat sat on the mat.", "A kitten sits on a rug.", "Quarterly tax law for companies."]
    given = client.embeddings.create(model=model, input=texts, encoding_format="float")
    vectors = [one.embedding for one in given.data]
    need([one.index for one in given.data] == [0, 1, 2] and len({len(v) for v in vectors}) == 1, "not three vectors of one length")
    need(all(math.isfinite(x) for v in vectors for x in v), "a number is not finite")
    near = lambda a, b: sum(x * y for x, y in zip(a, b)) / math.sqrt(sum(x * x for x in a) * sum(y * y for y in b))
    need(near(vectors[0], vectors[1]) > near(vectors[0], vectors[2]), "a cat is nearer to tax law than to a kitten")
    # What the package asks for unless told otherwise: base64.
    again = client.embeddings.create(model=model, input=texts[0]).data[0].embedding
    need(len(again) == len(vectors[0]) and near(again, vectors[0]) > 0.99, "base64 gives another vector")
    return f"{model}, {len(again)} numbers"


# Rerank as Jina has it

def rerank(site):
    names = site.settings()["rerank"]
    model = "late" if "late" in names else (names or ["late"])[0]
    documents = ["A recipe for bread.", "Display faults of e-bikes led to most warranty claims.", {"text": "Opening hours of the museum."}]
    body = {"model": model, "query": "which warranty claims did e-bikes have?", "documents": documents, "top_n": 2, "return_documents": True}
    said = expect(site.send("POST", "/v1/rerank", body), 200)
    results = said["results"]
    need(len(results) == 2 and results[0]["index"] == 1, f"results are {results}")
    need(results[0]["relevance_score"] >= results[1]["relevance_score"], "not in order")
    found = results[0]["document"]
    need((found["text"] if isinstance(found, dict) else found) == documents[1], f"the document is {found}")
    need("model" in said and "total_tokens" in said.get("usage", {}), f"model or usage.total_tokens is missing: {list(said)}")
    bare = expect(site.send("POST", "/v1/rerank", {"model": model, "query": "bread", "documents": ["bread", "stone"],
                                                   "return_documents": False}), 200)
    need(len(bare["results"]) == 2 and not any(r.get("document") for r in bare["results"]), "documents though none were wanted")
    is_error(site.send("POST", "/v1/rerank", {"model": model, "query": "bread"}), 400, 422)
    return f"{model}, scores {results[0]['relevance_score']:.3f} and {results[1]['relevance_score']:.3f}"


# mcp

def filled(tool, known):
    """Arguments out of what is known, by the names that the tool's schema has."""
    schema = tool.input_schema
    names = schema.get("properties", {})
    given = {name: known[name] for name in names if name in known}
    missing = [name for name in schema.get("required", []) if name not in given]
    need(not missing, f"{tool.name} wants {missing}, which this check does not know")
    return given


def content_of(result):
    """What a tool gave: its structured content, or its text."""
    text = "\n".join(block.text for block in result.content if block.type == "text")
    need(not result.is_error, f"error: {text[:300]}")
    return result.structured_content, text


async def mcp_talk(server, mode):
    from mcp import Client
    async with Client(server, mode=mode, read_timeout_seconds=120) as client:
        version = client.protocol_version
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        missing = [name for name in TOOLS if name not in tools]
        need(not missing, f"no tools {missing} among {sorted(tools)}")
        need(all(tool.description for tool in tools.values()), "a tool without a description")

        async def call(name, /, **known):
            structured, text = content_of(await client.call_tool(name, filled(tools[name], known)))
            return json.dumps(structured, ensure_ascii=False) if structured is not None else text

        said = await call("tables", limit=100)
        need("staff" in said, f"tables: {said[:300]}")
        found = re.search(r"[0-9a-f]{16}/t\d+", said)
        said = await call("search", query="warranty claims", q="warranty claims")
        need("report.md" in said or "warranty.pdf" in said, f"search: {said[:300]}")
        said = await call("ask", question=QUESTION, query=QUESTION)
        need(ANSWER in said and SOURCE in said, f"ask: {said[:300]}")
        said = await call("verify", statement=STATEMENT, question=STATEMENT, claim=STATEMENT)
        need(re.search("supported|refuted|not_enough_info", said), f"verify: {said[:300]}")
        statement = "SELECT count(*) AS n FROM staff"
        said = await call("sql", statement=statement, sql=statement, query=statement)
        need("40" in said, f"sql: {said[:300]}")
        shown = found.group() if found else "staff"
        said = await call("show", id=shown, what=shown, name=shown, reference=shown)
        need(said.strip(), "show: nothing")
        try:
            refused = await client.call_tool("sql", filled(tools["sql"], dict.fromkeys(("statement", "sql", "query"), "DROP TABLE staff")))
            need(refused.is_error, "sql takes DROP TABLE")
        except Exception as error:
            if isinstance(error, Failed):
                raise
        return f"protocol {version}, {len(tools)} tools, {', '.join(TOOLS)} called"


def mcp_http(site, mode):
    async def talk():
        import httpx2
        from mcp.client.streamable_http import streamable_http_client
        async with httpx2.AsyncClient(headers=site.headers(), timeout=120) as http:
            return await mcp_talk(streamable_http_client(f"{site.url}/mcp", http_client=http), mode)
    return run_talk(talk())


def mcp_stdio(binary, library, config, mode):
    from mcp import StdioServerParameters
    before = ["--config", str(config)] if config else []
    server = StdioServerParameters(command=str(binary), args=[*before, "--library", str(library), "mcp"], env=dict(os.environ))
    return run_talk(mcp_talk(server, mode))


def run_talk(talk):
    """Runs it; the first failure out of a group of exceptions is the one that is told."""
    try:
        return asyncio.run(talk)
    except BaseExceptionGroup as group:
        error = group
        while isinstance(error, BaseExceptionGroup):
            error = error.exceptions[0]
        raise error from None


# schemathesis

def schema(site, args, folder, filters):
    """Requests made up from the description, good ones and bad ones; `filters` choose the paths."""
    tool = pathlib.Path(sys.executable).parent / "schemathesis"
    need(tool.exists(), "needs schemathesis: scripts/peers/setup server")
    report = folder / "schemathesis.json"
    report.unlink(missing_ok=True)
    command = [str(tool), "run", f"{site.url}/openapi.json", "--checks", args.checks, "--max-examples", str(args.examples),
               "--workers", "1", "--request-timeout", "60", "--continue-on-failure", "--generation-database", "none",
               "--no-color", "--seed", str(args.seed), "--report", "json", "--report-json-path", str(report), *filters]
    for name, value in site.headers().items():
        command += ["--header", f"{name}: {value}"]
    command += ["--phases", args.phases] if args.phases else []
    command += ["--max-time", str(args.max_time)] if args.max_time else []
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=folder,
                          env=os.environ | {"COLUMNS": "140"})
    with open(folder / "schemathesis.txt", "a") as log:
        log.write(done.stdout)
    need(done.returncode in (0, 1) and report.exists(), f"exit code {done.returncode}\n{shortened(done.stdout, args.limit)}")
    said = json.loads(report.read_text())
    cases, tested = said["test_cases"], said["operations"]["tested"]
    if done.returncode:
        raise Failed(f"{cases['unique_failures']} failures in {cases['generated']} requests to {tested} operations\n"
                     + shortened(done.stdout, args.limit))
    need(tested, "no operation was tried")
    return f"{cases['generated']} requests to {tested} operations, {args.checks}"


def shortened(text, limit):
    """From the failures on, without what came before."""
    lines = text.splitlines()
    start = next((n for n, line in enumerate(lines) if re.search(r"=+ (FAILURES|ERRORS) =+", line)), max(0, len(lines) - limit))
    part = lines[start:]
    return "\n".join(part if len(part) <= limit else part[:limit - 30] + ["…"] + part[-30:])
