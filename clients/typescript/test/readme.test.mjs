// The example of the README is run, and must print what the README shows.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { start } from "../scripts/server.mjs";

/**
 * The first block of a language.
 * @param {string} page
 * @param {string} language
 */
const block = (page, language) => page.split(`\`\`\`${language}\n`)[1]?.split("```")[0] ?? assert.fail(`no ${language}`);

test("the example of the README prints what it shows", async () => {
  const page = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const server = await start();
  try {
    const staff = fileURLToPath(new URL("../../../examples/staff.tsv", import.meta.url));
    await copyFile(staff, join(server.folder, "staff.tsv"));
    // Within the package, its own name leads to it.
    const file = fileURLToPath(new URL("../dist/readme-example.mjs", import.meta.url));
    await writeFile(file, block(page, "js").replace("http://127.0.0.1:7700", server.url));
    const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd: server.folder });
    assert.equal(stdout, block(page, "text"));
  } finally {
    await server.stop();
  }
});
