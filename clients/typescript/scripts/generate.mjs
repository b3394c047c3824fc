// Makes src/api.ts from the OpenAPI document of the server.
//
//   node scripts/generate.mjs            write it
//   node scripts/generate.mjs --check    fail when it is not what the server describes
//
// TABLETALK_BIN names the program. A generator of our own, because the document repeats operation ids, by which the usual ones
// name things; here everything has the name of its method and path.

import { readFile, writeFile } from "node:fs/promises";
import { start } from "./server.mjs";

const target = new URL("../src/api.ts", import.meta.url);
const head = `// Made by scripts/generate.mjs from the server's /openapi.json: do not edit.\n`;

/** A comment above a line, if there is something to say. */
function remark(text, indent) {
  if (!text) return "";
  const lines = text.trim().replaceAll("*/", "* /").split("\n");
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd() + "\n").join("")}${indent} */\n`;
}

const plain = { string: "string", integer: "number", number: "number", boolean: "boolean", null: "null" };

function named(ref) {
  return ref.split("/").at(-1);
}

/** The properties of an object between braces. */
function fields(schema, indent) {
  const deeper = `${indent}  `;
  const required = new Set(schema.required ?? []);
  const one = ([name, of]) =>
    `${remark(of.description, deeper)}${deeper}${name}${required.has(name) ? "" : "?"}: ${type(of, deeper)};\n`;
  return `{\n${Object.entries(schema.properties).map(one).join("")}${indent}}`;
}

/** A schema as a type. What the document leaves open is \`unknown\`. */
function type(schema, indent = "") {
  if (!schema) return "unknown";
  if (schema.$ref) return named(schema.$ref);
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return several.map((of) => type(of, indent)).join(" | ");
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (Array.isArray(schema.type)) return schema.type.map((one) => type({ ...schema, type: one }, indent)).join(" | ");
  if (schema.type === "array") {
    const item = type(schema.items, indent);
    return item.includes(" | ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
  }
  if (schema.type === "object") return schema.properties ? fields(schema, indent) : "Record<string, unknown>";
  return plain[schema.type] ?? "unknown";
}

/** A schema with a name. */
function definition([name, schema]) {
  const body = type(schema);
  const is = body.startsWith("{") && !schema.oneOf ? `export interface ${name} ${body}` : `export type ${name} = ${body};`;
  return `${remark(schema.description, "")}${is}\n`;
}

/** The parameters that stand in the path or after the question mark. */
function parameters(operation, where) {
  const own = (operation.parameters ?? []).filter((p) => p.in === where);
  if (own.length === 0) return "{}";
  const one = (p) =>
    `${remark(p.description, "      ")}      ${p.name}${p.required ? "" : "?"}: ${type(p.schema, "      ")};\n`;
  return `{\n${own.map(one).join("")}    }`;
}

function body(operation) {
  const content = operation.requestBody?.content;
  if (!content) return "undefined";
  return content["application/json"] ? type(content["application/json"].schema, "    ") : "Binary";
}

/** What a call gives that went well. */
function reply(operation) {
  const good = Object.entries(operation.responses).find(([status]) => status.startsWith("2"));
  const [media, content] = Object.entries(good?.[1].content ?? {})[0] ?? [];
  if (!media) return "undefined";
  if (media === "application/json") return type(content.schema, "    ");
  if (media === "text/event-stream") return "Response";
  return media.startsWith("text/") || media.includes("-text") ? "string" : "Blob";
}

function endpoint(path, method, operation) {
  const parts = { path: parameters(operation, "path"), query: parameters(operation, "query") };
  const lines = Object.entries({ ...parts, body: body(operation), reply: reply(operation) });
  const inner = lines.map(([name, of]) => `    ${name}: ${of};\n`).join("");
  const about = operation.summary ?? operation.description;
  return `${remark(about, "  ")}  "${method.toUpperCase()} ${path}": {\n${inner}  };\n`;
}

/** The whole file. */
export function generate(document) {
  const schemas = Object.entries(document.components.schemas).map(definition);
  const paths = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => endpoint(path, method, operation)),
  );
  return [
    head,
    `/** The version of the server that described this. */\nexport const version = ${JSON.stringify(document.info.version)};\n`,
    `/** Bytes, text or a form of files, as they are sent. */\nexport type Binary = Blob | ArrayBuffer | Uint8Array | string | FormData;\n`,
    ...schemas,
    `/** Everything that can be called, by method and path. */\nexport interface Endpoints {\n${paths.join("")}}\n`,
  ].join("\n");
}

const server = await start();
try {
  const made = generate(await (await fetch(`${server.url}/openapi.json`)).json());
  if (!process.argv.includes("--check")) {
    await writeFile(target, made);
  } else if (made !== (await readFile(target, "utf8"))) {
    console.error("src/api.ts is not what the server describes: run `npm run generate` with TABLETALK_BIN set, and commit it");
    process.exitCode = 1;
  }
} finally {
  await server.stop();
}
