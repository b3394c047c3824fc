/** An event of a stream. */
export interface ServerEvent {
  name: string;
  data: string;
}

/** An event from its lines, unless they are only remarks that keep the connection open. */
function eventOf(lines: string[]): ServerEvent | undefined {
  let name = "message";
  const data: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") name = value;
    if (field === "data") data.push(value);
  }
  return data.length > 0 ? { name, data: data.join("\n") } : undefined;
}

/**
 * The events of a stream, as they come. Whoever stops reading closes the connection, and the server stops the work.
 */
export async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void, void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let left = "";
  let lines: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      left += done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A lone CR at the end may be the first half of CR LF.
      const complete = left.split(/\r\n|\n|\r(?!$)/);
      left = complete.pop() ?? "";
      for (const line of complete) {
        if (line !== "") {
          lines.push(line);
          continue;
        }
        const event = eventOf(lines);
        lines = [];
        if (event) yield event;
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}
