import type { Said, Task } from "./api.js";

/** What more is known of an error. */
export interface ErrorDetails {
  status?: number;
  requestId?: string | null;
  retryAfter?: number | null;
  task?: Task;
  cause?: unknown;
}

/**
 * Anything that went wrong: on the server, on the way, or in a task.
 *
 * @example
 * try {
 *   await client.sql("SELECT nothing FROM staff");
 * } catch (error) {
 *   if (error instanceof TabletalkError && error.kind === "input") console.log(error.message, error.hint);
 * }
 */
export class TabletalkError extends Error {
  override readonly name = "TabletalkError";
  /** Whose fault it is: `input`, `missing`, `limit`, `upstream`, `io`, `bug`, `forbidden`, `key`; here also `connection`. */
  readonly kind: string;
  /** What can be done about it. */
  readonly hint: string | null;
  /** The HTTP status; 0 where there was no reply or the error is that of a task. */
  readonly status: number;
  /** The id by which the server's log names the request. */
  readonly requestId: string | null;
  /** After how many seconds it is worth trying again. */
  readonly retryAfter: number | null;
  /** The task that failed. */
  readonly task: Task | null;

  constructor(said: Said, details: ErrorDetails = {}) {
    super(said.message, "cause" in details ? { cause: details.cause } : undefined);
    this.kind = said.kind;
    this.hint = said.hint ?? null;
    this.status = details.status ?? 0;
    this.requestId = details.requestId ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.task = details.task ?? null;
  }
}

/** What is said of a status whose reply has no error in it, as a proxy would send it. */
function guessed(status: number, text: string): Said {
  const kind = status >= 500 ? "upstream" : "input";
  return { kind, message: text.trim().slice(0, 200) || `the server answered ${status}` };
}

/** The error in a reply. */
export async function errorOf(response: Response): Promise<TabletalkError> {
  const text = await response.text().catch(() => "");
  let said: Said | undefined;
  try {
    said = (JSON.parse(text) as { error?: Said }).error;
  } catch {
    // Not ours: a proxy's page, or nothing.
  }
  const wait = Number(response.headers.get("retry-after") ?? Number.NaN);
  return new TabletalkError(typeof said?.message === "string" ? said : guessed(response.status, text), {
    status: response.status,
    requestId: response.headers.get("x-request-id"),
    retryAfter: Number.isFinite(wait) ? wait : null,
  });
}
