// Types that are written by hand say what the server sends: real replies are compiled as literals of these types, so that a field
// that is missing, of another type or not declared is an error.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { connect } from "../dist/index.js";
import { start } from "../scripts/server.mjs";

const examples = new URL("../../../examples/", import.meta.url);

/** @param {string} url */
async function replies(url) {
  const client = connect(url);
  const names = ["staff.tsv", "sales.xlsx", "energy.html", "warranty.pdf"];
  const files = names.map(async (name) => ({ name, content: new Uint8Array(await readFile(new URL(name, examples))) }));
  const added = await client.add(await Promise.all(files));
  const questions = ["What is the average salary of site managers?", "salary by role", "What is the salary of Zorro?"];
  /** @type {[string, unknown][]} */
  const all = [["Added", added], ["Server", await client.server()]];
  for (const question of questions) all.push(["Answer", await client.ask(question, { conversation: "new" })]);
  all.push(["Answer", await client.verify("Suzhou has more staff than Rotterdam")]);
  all.push(["Ran", await client.sql("SELECT *, \"salary (EUR)\" > 50000 AS well FROM staff LIMIT 3")]);
  for (const group of ["table", "row", "cell"]) all.push(["Hits", await client.search("Rotterdam", { group })]);
  all.push(["Hits", await client.search("warranty claims")]);
  for (const table of await client.tables()) all.push(["Table", table]);
  all.push(["Table", await client.table("staff")], ["TableRows", await client.rows("sales.Revenue")]);
  for (const document of await client.documents()) all.push(["DocumentRecord", document]);
  return all;
}

test("the types are what the server sends", async () => {
  const server = await start();
  try {
    const all = await replies(server.url);
    const lines = all.map(([type, value], i) => `export const r${i}: api.${type} = ${JSON.stringify(value)};\n`);
    const file = fileURLToPath(new URL("../dist/replies-check.ts", import.meta.url));
    await writeFile(file, `import type * as api from "./index.js";\n${lines.join("")}`);
    const tsc = fileURLToPath(new URL("../node_modules/typescript/bin/tsc", import.meta.url));
    const options = ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--target", "es2022", file];
    const said = await promisify(execFile)(process.execPath, [tsc, ...options]).then(() => "", (error) => error.stdout);
    assert.equal(said, "");
  } finally {
    await server.stop();
  }
});
