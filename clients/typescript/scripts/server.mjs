// A server of one's own for tests and for making the types: started over an empty folder, ended when it is no longer needed.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

/** The program, as TABLETALK_BIN names it. */
export function program() {
  const named = process.env.TABLETALK_BIN;
  if (!named) throw new Error("TABLETALK_BIN must name the program, such as ../../target/debug/tabletalk");
  return resolve(named);
}

// Variables that begin so are settings of the program: those of whoever runs the tests are none of the tests' business.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("TABLETALK_")));

/**
 * Runs a command of the program in a folder and gives what it prints.
 * @param {string} folder
 * @param {string[]} args
 * @returns {Promise<string>}
 */
export async function run(folder, args) {
  const child = spawn(program(), args, { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  let printed = "";
  child.stdout.on("data", (piece) => (printed += piece));
  const [code] = await once(child, "close");
  if (code !== 0) throw new Error(`tabletalk ${args.join(" ")} ended with ${code}`);
  return printed;
}

/**
 * Starts a server on a free port over a new library.
 * @returns {Promise<{ url: string, folder: string, stop: () => Promise<void> }>}
 */
export async function start() {
  const folder = await mkdtemp(join(tmpdir(), "tabletalk-"));
  const args = ["serve", "--listen", "127.0.0.1:0", "--library", "library"];
  const child = spawn(program(), args, { cwd: folder, env, stdio: ["ignore", "pipe", "pipe"] });
  let log = "";
  child.stderr.on("data", (piece) => (log += piece));
  const ended = once(child, "exit");
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([once(lines, "line").then(([line]) => line), ended.then(() => "")]);
  const url = /^listening on (\S+)$/.exec(first)?.[1];
  if (!url) throw new Error(`the server did not start: ${first} ${log}`);
  const stop = async () => {
    child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  return { url, folder, stop };
}
