import type { AskRequest, Binary, Endpoints, NewTask, SearchRequest, Task, Uploaded } from "./api.js";
import { TabletalkError, errorOf } from "./error.js";
import { eventsOf, type ServerEvent } from "./events.js";
import type { Added, Answer, DocumentRecord, Hits, Ran, Reply, Server, Table, TableRows } from "./replies.js";

/** How to reach a server. */
export interface ConnectOptions {
  /** A key of the server: `tt_…`. */
  key?: string;
  /** The library; the default one when it is not named. */
  library?: string;
  /** Used in place of the global `fetch`. */
  fetch?: typeof fetch;
  /** Headers that are sent with every request. */
  headers?: Record<string, string>;
}

/** What every call takes. */
export interface CallOptions {
  /** Stops the call; the server stops its work too. */
  signal?: AbortSignal;
}

/** What can be said with a question. */
export type AskOptions = Omit<AskRequest, "question"> & CallOptions;
/** What can be said with a search. */
export type SearchOptions = Omit<SearchRequest, "query"> & CallOptions;
/** Which part of a list is wanted: all of it, unless a `limit` is given. */
export type ListOptions = { containing?: string; limit?: number } & CallOptions;

/** A file to add; a `File` of a browser is one too. */
export type Upload = { name: string; content: Blob | ArrayBuffer | Uint8Array | string } | (Blob & { name: string });

/** What can be said with an upload. */
export interface UploadOptions extends CallOptions {
  /** Put files in the place of those of the same name that another key uploaded. */
  replace?: boolean;
}

/** What can be said with files to add. */
export interface AddOptions extends UploadOptions {
  /** Called whenever the task has come further. */
  onProgress?: (task: Task) => void;
}

/** A piece of an answer while it is written, then the answer. */
export type AnswerEvent = { type: "text"; text: string } | { type: "answer"; answer: Answer };

/** What an endpoint is called with. */
export interface Arguments<E extends keyof Endpoints> extends CallOptions {
  path?: Endpoints[E]["path"];
  query?: Endpoints[E]["query"];
  body?: Endpoints[E]["body"];
}

/** Tables and documents are listed so many at a time. */
const PAGE = 200;
/** How long to wait before looking at a task again whose events broke off, in milliseconds. */
const AGAIN = 500;

/** The path of an endpoint, with what it names put in. */
function fill(path: string, names: Record<string, unknown>): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(names[name])));
}

function isOver(task: Task): boolean {
  return task.state !== "queued" && task.state !== "running";
}

/** A connection to one library of a server. It holds nothing open: make as many as you like. */
export class Client {
  readonly #url: string;
  readonly #options: ConnectOptions;

  constructor(url: string, options: ConnectOptions = {}) {
    this.#url = url.replace(/\/+$/, "");
    this.#options = options;
  }

  /** The same server and key, another library. */
  library(name: string): Client {
    return new Client(this.#url, { ...this.#options, library: name });
  }

  /**
   * Calls any endpoint of the API.
   *
   * @example
   * const { groups } = await client.call("GET /api/v1/groups") as { groups: unknown[] };
   */
  async call<E extends keyof Endpoints>(endpoint: E, args: Arguments<E> = {}): Promise<Reply<E>> {
    const response = await this.#send(endpoint, args, "application/json");
    const kind = response.headers.get("content-type") ?? "";
    if (kind.includes("json")) return (await response.json()) as Reply<E>;
    if (kind.startsWith("text/event-stream")) return response as Reply<E>;
    return (kind.includes("text") ? await response.text() : await response.blob()) as Reply<E>;
  }

  /** The server, and what this key may do. */
  server(options: CallOptions = {}): Promise<Server> {
    return this.call("GET /api/v1/server", options);
  }

  /** Sends files and waits until they can be asked about. Fails when the task does. */
  async add(files: Upload | Upload[], options: AddOptions = {}): Promise<Added> {
    const { task } = await this.upload(files, options);
    return (await this.#ended(task, options)).result as unknown as Added;
  }

  /** Sends files and returns as soon as the server has them; {@link Client.watch} follows the task. */
  upload(files: Upload | Upload[], options: UploadOptions = {}): Promise<Uploaded> {
    const form = new FormData();
    for (const file of [files].flat()) {
      const content = "content" in file ? file.content : file;
      form.append("file", content instanceof Blob ? content : new Blob([content as BlobPart]), file.name);
    }
    const query = options.replace === undefined ? {} : { replace: options.replace };
    return this.call("POST /api/v1/documents", { query, body: form, signal: options.signal });
  }

  /**
   * Answers a question.
   *
   * @example
   * const answer = await client.ask("What is the average salary of site managers?");
   * for (const citation of answer.citations) console.log(citation.place.text, citation.text);
   */
  ask(question: string, { signal, ...options }: AskOptions = {}): Promise<Answer> {
    return this.call("POST /api/v1/ask", { body: { ...options, question }, signal });
  }

  /**
   * Answers a question and gives what a language model writes while it writes it. Leave the loop to stop the work.
   *
   * @example
   * for await (const event of client.askStream("Why did revenue fall?")) {
   *   if (event.type === "text") process.stdout.write(event.text);
   *   else console.log(event.answer.values);
   * }
   */
  askStream(question: string, options: AskOptions = {}): AsyncGenerator<AnswerEvent, void, void> {
    return this.#answers("POST /api/v1/ask", question, options);
  }

  /** Says whether a statement is supported or refuted: `verdict`. */
  verify(statement: string, { signal, ...options }: AskOptions = {}): Promise<Answer> {
    return this.call("POST /api/v1/verify", { body: { ...options, question: statement }, signal });
  }

  /** Judges a statement as {@link Client.askStream} answers a question. */
  verifyStream(statement: string, options: AskOptions = {}): AsyncGenerator<AnswerEvent, void, void> {
    return this.#answers("POST /api/v1/verify", statement, options);
  }

  /** Finds tables, columns, rows, cells and text. */
  search(query: string, { signal, ...options }: SearchOptions = {}): Promise<Hits> {
    return this.call("POST /api/v1/search", { body: { ...options, query }, signal });
  }

  /** Runs a read-only statement over the tables; {@link records} makes objects of its rows. */
  sql(statement: string, { signal }: CallOptions = {}): Promise<Ran> {
    return this.call("POST /api/v1/sql", { body: { statement }, signal });
  }

  /** The tables, all of them or the first `limit`. */
  tables(options: ListOptions = {}): Promise<Table[]> {
    return this.#listed(options, async (query) => {
      const page = await this.call("GET /api/v1/tables", { query, signal: options.signal });
      return { items: page.tables, next: page.next };
    });
  }

  /** A table by its name or id, with its header and notes. */
  table(id: string, { signal }: CallOptions = {}): Promise<Table> {
    return this.call("GET /api/v1/tables/{id}", { path: { id }, signal });
  }

  /** Rows of a table as they are written, up to 1000 from a position on. */
  rows(id: string, { signal, ...query }: { offset?: number; limit?: number } & CallOptions = {}): Promise<TableRows> {
    return this.call("GET /api/v1/tables/{id}/rows", { path: { id }, query, signal });
  }

  /** The documents, all of them or the first `limit`. */
  documents(options: ListOptions = {}): Promise<DocumentRecord[]> {
    return this.#listed(options, async (query) => {
      const page = await this.call("GET /api/v1/documents", { query, signal: options.signal });
      return { items: page.documents, next: page.next };
    });
  }

  /** Forgets a document, by its name or id. */
  async forget(id: string, { signal }: CallOptions = {}): Promise<void> {
    await this.call("DELETE /api/v1/documents/{id}", { path: { id }, signal });
  }

  /** Starts long work, such as a tree of summaries, and waits for it. Gives what came of it. */
  async run(task: NewTask, options: Omit<AddOptions, "replace"> = {}): Promise<Task> {
    const started = await this.call("POST /api/v1/tasks", { body: task, signal: options.signal });
    return this.#ended(started.task, options);
  }

  /** How far a task is. */
  async task(id: string, { signal }: CallOptions = {}): Promise<Task> {
    return (await this.call("GET /api/v1/tasks/{id}", { path: { id }, signal })).task;
  }

  /** A task at every change, until it is over. */
  async *watch(id: string, { signal }: CallOptions = {}): AsyncGenerator<Task, void, void> {
    for (;;) {
      for await (const event of this.#events("GET /api/v1/tasks/{id}/events", { path: { id }, signal })) {
        if (event.name !== "task") continue;
        const task = JSON.parse(event.data) as Task;
        yield task;
        if (isOver(task)) return;
      }
      // The events broke off, as they do behind some proxies.
      await new Promise((wake) => setTimeout(wake, AGAIN));
    }
  }

  /** Waits for the end of a task, which must be a good one. */
  async #ended(task: Task, options: AddOptions): Promise<Task> {
    let last = task;
    if (!isOver(last)) {
      for await (last of this.watch(task.id, options)) options.onProgress?.(last);
    }
    if (last.state === "done") return last;
    const said = last.error ?? { kind: "input", message: `the task was ${last.state}` };
    throw new TabletalkError(said, { task: last });
  }

  async *#answers(
    endpoint: "POST /api/v1/ask" | "POST /api/v1/verify",
    question: string,
    { signal, ...options }: AskOptions,
  ): AsyncGenerator<AnswerEvent, void, void> {
    for await (const { name, data } of this.#events(endpoint, { body: { ...options, question }, signal })) {
      const said = JSON.parse(data);
      if (name === "text") yield { type: "text", text: said.text };
      if (name === "error") throw new TabletalkError(said.error, { status: 200 });
      if (name === "answer") {
        yield { type: "answer", answer: said };
        return;
      }
    }
    throw new TabletalkError({ kind: "connection", message: "the stream ended before the answer" });
  }

  async *#events<E extends keyof Endpoints>(endpoint: E, args: Arguments<E>): AsyncGenerator<ServerEvent, void, void> {
    const response = await this.#send(endpoint, args, "text/event-stream");
    if (response.body) yield* eventsOf(response.body);
  }

  async #listed<T>(
    options: ListOptions,
    page: (query: { containing?: string; limit: number; after?: number }) => Promise<{ items: T[]; next?: number | null }>,
  ): Promise<T[]> {
    const most = options.limit ?? Number.POSITIVE_INFINITY;
    const containing = options.containing === undefined ? {} : { containing: options.containing };
    const all: T[] = [];
    let after: number | null | undefined;
    do {
      const start = after == null ? {} : { after };
      const got = await page({ ...containing, ...start, limit: Math.min(PAGE, most - all.length) });
      all.push(...got.items);
      after = got.next;
    } while (after != null && all.length < most);
    return all;
  }

  #address(path: string, args: Arguments<keyof Endpoints>): string {
    const address = new URL(this.#url + fill(path, (args.path ?? {}) as Record<string, unknown>));
    const query = { library: this.#options.library, ...args.query } as Record<string, unknown>;
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) address.searchParams.set(name, String(value));
    }
    return address.href;
  }

  async #send<E extends keyof Endpoints>(endpoint: E, args: Arguments<E>, accept: string): Promise<Response> {
    const [method = "GET", path = "/"] = endpoint.split(" ");
    const headers = new Headers({ accept, ...this.#options.headers });
    if (this.#options.key) headers.set("authorization", `Bearer ${this.#options.key}`);
    const { body, type } = packed(args.body);
    if (type) headers.set("content-type", type);
    const fetcher = this.#options.fetch ?? fetch;
    let response: Response;
    try {
      response = await fetcher(this.#address(path, args as Arguments<keyof Endpoints>), {
        method,
        headers,
        body,
        signal: args.signal ?? null,
      });
    } catch (cause) {
      if (args.signal?.aborted) throw cause;
      const message = `no connection to ${this.#url}`;
      throw new TabletalkError({ kind: "connection", message, hint: "is `tabletalk serve` running there?" }, { cause });
    }
    if (!response.ok) throw await errorOf(response);
    return response;
  }
}

/** A body as `fetch` takes it: bytes and forms as they are, everything else as JSON. */
function packed(body: unknown): { body: BodyInit | null; type: string | null } {
  if (body === undefined) return { body: null, type: null };
  if (body instanceof FormData) return { body, type: null };
  const isBytes = body instanceof Blob || body instanceof ArrayBuffer || ArrayBuffer.isView(body) || typeof body === "string";
  if (isBytes) return { body: body as Binary as BodyInit, type: "application/octet-stream" };
  return { body: JSON.stringify(body), type: "application/json" };
}

/**
 * Connects to a server. Nothing is sent yet.
 *
 * @example
 * const client = connect("http://127.0.0.1:7700", { key: "tt_…" });
 */
export function connect(url: string, options: ConnectOptions = {}): Client {
  return new Client(url, options);
}

/** The rows of a result as objects, by the names of the columns. */
export function records(ran: Ran): Record<string, Ran["rows"][number][number]>[] {
  const names = ran.columns.map((column) => column.name);
  return ran.rows.map((row) => Object.fromEntries(names.map((name, i) => [name, row[i] ?? null])));
}
