// The client against a real server: TABLETALK_BIN names the program.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { TabletalkError, connect, records } from "../dist/index.js";
import { run, start } from "../scripts/server.mjs";

const examples = new URL("../../../examples/", import.meta.url);

/** @param {string} name */
const example = async (name) => ({ name, content: new Uint8Array(await readFile(new URL(name, examples))) });

/**
 * The error of something that must fail.
 * @param {Promise<unknown>} failing
 */
async function failure(failing) {
  const error = await failing.then(() => assert.fail("it did not fail"), (error) => error);
  assert.ok(error instanceof TabletalkError, String(error));
  return error;
}

/** @type {Awaited<ReturnType<typeof start>>} */
let server;
/** @type {import("../dist/index.js").Client} */
let client;

before(async () => {
  server = await start();
  client = connect(`${server.url}/`);
});
after(() => server?.stop());

describe("a library", () => {
  it("takes files, says how far it is, and reports on each", async () => {
    /** @type {string[]} */
    const states = [];
    const added = await client.add([await example("staff.tsv"), await example("sales.xlsx")], {
      onProgress: (task) => states.push(task.state),
    });
    assert.deepEqual(added.documents.map((d) => [d.name, d.status]).sort(), [["sales.xlsx", "added"], ["staff.tsv", "added"]]);
    assert.equal(states.at(-1), "done");
  });

  it("takes text and blobs under any name", async () => {
    const name = "größe & maße #1.csv";
    await client.add({ name, content: "item,width\nShelf,80\nDesk,160\n" });
    await client.add(new File(["item,price\nLamp,30\n"], "prices.csv"));
    assert.deepEqual((await client.documents({ containing: "maße" })).map((d) => d.name), [name]);
    await client.forget(name);
    await client.forget("prices.csv");
    assert.deepEqual(await client.documents({ containing: "maße" }), []);
  });

  it("answers with the cells", async () => {
    const answer = await client.ask("What is the average salary of site managers?");
    assert.equal(answer.outcome, "answered");
    assert.deepEqual(answer.values, ["90100"]);
    assert.equal(answer.citations[0]?.place.text, "staff.tsv!F2:F5");
    assert.match(answer.program?.sql ?? "", /avg/);
  });

  it("follows up in a conversation", async () => {
    const first = await client.ask("What is the average salary of site managers?", { conversation: "new" });
    const next = await client.ask("and of mechanics?", { conversation: first.conversation });
    assert.match(next.program?.sql ?? "", /Mechanic/);
  });

  it("says so when it does not know", async () => {
    const answer = await client.ask("What is the salary of Zorro?");
    assert.equal(answer.outcome, "unknown");
    assert.equal(answer.program, null);
  });

  it("streams the answer", async () => {
    const events = [];
    for await (const event of client.askStream("What is the average salary of site managers?")) events.push(event);
    const last = events.at(-1);
    assert.ok(last?.type === "answer");
    assert.deepEqual(last.answer.values, ["90100"]);
  });

  it("judges statements, also as a stream", async () => {
    const statement = "Suzhou has more staff than Rotterdam";
    assert.equal((await client.verify(statement)).verdict, "refuted");
    for await (const event of client.verifyStream(statement)) {
      if (event.type === "answer") assert.equal(event.answer.verdict, "refuted");
    }
  });

  it("searches", async () => {
    const found = await client.search("earnings", { topk: 1 });
    assert.equal(found.hits.length, 1);
    assert.equal(found.hits[0]?.place.text, "sales.xlsx!Revenue!A3:N26");
  });

  it("runs SQL, whose rows can be objects", async () => {
    const ran = await client.sql("SELECT site, count(*) AS people FROM staff GROUP BY site ORDER BY people DESC LIMIT 1");
    assert.deepEqual(ran.rows, [["Rotterdam", 12]]);
    assert.deepEqual(records(ran), [{ site: "Rotterdam", people: 12 }]);
  });

  it("lists tables over several pages, and shows one with its rows", async () => {
    const all = await client.tables();
    assert.ok(all.length > 3);
    assert.deepEqual((await client.tables({ limit: 2 })).map((t) => t.id), all.slice(0, 2).map((t) => t.id));
    const staff = await client.table("staff");
    assert.equal(staff.rows, 40);
    // An id has a slash in it.
    const rows = await client.rows(staff.id, { offset: 39, limit: 5 });
    assert.deepEqual([rows.total, rows.rows.length, rows.rows[0]?.row], [40, 1, 41]);
  });

  it("runs a task, and any other endpoint by its name", async () => {
    assert.equal((await client.run({ kind: "doctor" })).state, "done");
    const text = await client.call("GET /api/v1/documents/{id}/text", { path: { id: "staff.tsv" }, query: { rows: 1 } });
    assert.match(text, /Site manager/);
    const file = await client.call("GET /api/v1/documents/{id}/file", { path: { id: "staff.tsv" } });
    assert.equal((await file.text()).split("\n")[0]?.split("\t")[0], "employee");
  });
});

describe("errors", () => {
  it("carry what the server says", async () => {
    const error = await failure(client.sql("SELECT nothing FROM staff"));
    assert.deepEqual([error.status, error.kind], [400, "input"]);
    assert.match(error.message, /no column `nothing`/);
    assert.match(error.hint ?? "", /employee/);
    assert.match(error.requestId ?? "", /^[\w-]+$/);
  });

  it("tell what is missing", async () => {
    const error = await failure(client.library("nowhere").tables());
    assert.deepEqual([error.status, error.kind], [404, "missing"]);
  });

  it("come out of a stream too", async () => {
    const stream = client.askStream("x".repeat(9000));
    const error = await failure(stream.next());
    assert.match(error.message, /longer than 8000/);
  });

  it("name a server that is not there", async () => {
    const error = await failure(connect("http://127.0.0.1:9").server());
    assert.deepEqual([error.status, error.kind], [0, "connection"]);
    assert.match(error.hint ?? "", /tabletalk serve/);
  });

  it("are made of replies that are not the server's", async () => {
    const proxy = connect("http://proxy.example", {
      fetch: async () => new Response("<h1>Bad gateway</h1>", { status: 502, headers: { "retry-after": "3" } }),
    });
    const error = await failure(proxy.server());
    assert.deepEqual([error.status, error.kind, error.retryAfter], [502, "upstream", 3]);
  });

  it("leave an abort what it is", async () => {
    const aborted = client.ask("How many people work in Rotterdam?", { signal: AbortSignal.abort() });
    await assert.rejects(aborted, { name: "AbortError" });
  });
});

describe("a stream", () => {
  /** @param {string[]} pieces */
  const sending = (pieces) => {
    const encoder = new TextEncoder();
    let cancelled = false;
    const body = new ReadableStream({
      pull(controller) {
        const piece = pieces.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(encoder.encode(piece));
      },
      cancel() {
        cancelled = true;
      },
    });
    const fetch = async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
    return { client: connect("http://server.example", { fetch }), isCancelled: () => cancelled };
  };

  it("is put together from pieces cut anywhere", async () => {
    const sent = 'event: text\r\ndata: {"text":"12 %"}\r\n\r\n: still here\n\nevent: answer\ndata: {"values":["12"]}\n\n';
    for (const size of [1, 2, 7, 1000]) {
      const pieces = sent.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
      const events = [];
      for await (const event of sending(pieces).client.askStream("?")) events.push(event);
      assert.deepEqual(events, [{ type: "text", text: "12 %" }, { type: "answer", answer: { values: ["12"] } }]);
    }
  });

  it("is closed by whoever leaves it", async () => {
    const { client, isCancelled } = sending(Array.from({ length: 100 }, () => 'event: text\ndata: {"text":"a"}\n\n'));
    for await (const _ of client.askStream("?")) break;
    assert.ok(isCancelled());
  });

  it("that ends early is an error", async () => {
    const broken = sending(['event: text\ndata: {"text":"a"}\n\n']).client.askStream("?");
    await broken.next();
    assert.equal((await failure(broken.next())).kind, "connection");
  });
});

// Last, because from the first key on every request needs one.
describe("keys", () => {
  it("are needed once there is one, and allow what their role does", async () => {
    const printed = await run(server.folder, ["key", "add", "reader", "--role", "read", "--library", "library", "--json"]);
    const key = JSON.parse(printed).key;
    const without = await failure(client.tables());
    assert.deepEqual([without.status, without.kind], [401, "key"]);
    const reader = connect(server.url, { key });
    assert.equal((await reader.server()).role, "read");
    assert.ok((await reader.tables({ limit: 1 })).length === 1);
    const refused = await failure(reader.forget("staff.tsv"));
    assert.deepEqual([refused.status, refused.kind], [403, "forbidden"]);
  });
});
