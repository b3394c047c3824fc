// What the server sends where its description leaves the shape open. The test `types` holds real replies against this file.

import type { Endpoints, LibraryBody, Role } from "./api.js";

/** Where something stands in a file. Rows and columns count from 1 and include both ends. */
export interface Place {
  /** The name of the file. */
  file?: string;
  /** The page, from 1. */
  page?: number;
  /** Left, top, right and bottom in points from the top left of the page. */
  bbox?: [number, number, number, number];
  /** The sheet, or the name of a table in a document. */
  sheet?: string;
  rows?: [number, number];
  cols?: [number, number];
  lines?: [number, number];
  bytes?: [number, number];
  /** The short form: `sales.xlsx!Revenue!C4`. */
  text: string;
}

/** Something an answer rests on. */
export interface Citation {
  /** The name of the document. */
  document: string;
  /** The id of the table or node. */
  id: string;
  place: Place;
  /** What stands there, or the beginning of it. */
  text: string;
}

/** What a program gave, as text. */
export interface Grid {
  columns: string[];
  rows: string[][];
  /** Whether there were more rows. */
  truncated: boolean;
  /** What the columns add up to, a cell for each, where a person would want to know. */
  total?: string[];
}

/** The program that computed an answer. */
export interface Program {
  sql: string;
  /** What it says, in words. */
  words?: string;
  result: Grid;
  /** Rows that were looked at. */
  rows_read: number;
  /** Rows in the tables it names. */
  rows_total: number;
  /** Rows that entered the result. */
  rows_used: number;
  /** Rows of the result, of which `result` holds the first. */
  rows_given: number;
  /** Whether the result was cut at a limit. */
  cut: boolean;
  /** The shapes in which the result can be drawn, such as `bar`, the best first; none where there is nothing to draw. */
  chart?: string[];
}

/** One way to read a question. Its number, from 1, goes into `choose`. */
export interface Reading {
  words: string;
  table: string;
  /** What it would give; empty where that was not computed. */
  answer: string;
  sql: string;
}

/** A table that a question may have been about. */
export interface NearTable {
  table: string;
  id: string;
  document: string;
  columns: string[];
  rows: number;
}

/** A step on the way to an answer; what else it has depends on the step. */
export interface Step {
  step: string;
  ms: number;
  [about: string]: unknown;
}

/** What comes of a question. */
export interface Answer {
  /** `clarify`: several readings fit equally well. `unknown`: nothing that was found supports an answer. */
  outcome: "answered" | "clarify" | "unknown";
  /** The answer in words; what to ask back; or why there is none. */
  answer: string;
  values: string[];
  /** An answer in sentences, each with the places of its citations, from 0. */
  sentences?: { text: string; citations: number[] }[];
  /** What is said of a statement; only from `verify`. */
  verdict?: "supported" | "refuted" | "not_enough_info";
  /** How likely it is right, from 0 to 1. */
  confidence: number;
  /** Computed, read off cells or passages, or only passages. */
  basis: "program" | "reading" | "passages";
  citations: Citation[];
  program: Program | null;
  readings?: Reading[];
  /** Where there is no answer: tables that may have been meant, the nearest first. */
  nearest?: NearTable[];
  /** Whether an earlier choice between readings decided. */
  remembered?: boolean;
  /** Send it with the next question to follow up. */
  conversation?: string;
  trace: Step[];
  /** What language models cost. */
  usage: { calls: number; cached: number; prompt_tokens: number; completion_tokens: number; [more: string]: unknown };
}

/** A value of SQL. Dates and texts are strings. */
export type Cell = string | number | boolean | null;

/** What a statement gave. */
export interface Ran {
  columns: { name: string; kind: string; [more: string]: unknown }[];
  rows: Cell[][];
  /** Whether there were more rows than the server sends. */
  truncated: boolean;
  rows_read: number;
  rows_total: number;
  /** Which rows of which tables the result comes from. */
  used: { relation: string; count: number; rows: number[]; columns: string[]; [more: string]: unknown }[];
  ms: number;
}

/** Something that was found. */
export interface Hit {
  rank: number;
  score: number;
  id: string;
  /** What it is: `table`, `row`, `cell`, `column`, a group of text, … */
  group: string;
  document: { id: string; name: string; source_id: string };
  place: Place;
  text: string;
  layer: string | null;
  /** The number of the layer in its strategy, from 1. */
  layer_number: number | null;
  strategy: string | null;
  similarity: string;
  /** What vectors were compared: `dense`, `late` or `sparse`; nothing where words alone were. */
  vector_type: string | null;
  embed_key: string | null;
  /** How near they are, before it was weighed or combined. */
  similarity_score: number | null;
  scores: Record<string, number>;
  keyword: unknown;
  expanded_query: string | null;
  fields: Record<string, unknown>;
  [more: string]: unknown;
}

/** What was found, best first. */
export interface Hits {
  hits: Hit[];
  /** What each layer did. */
  layers: {
    name: string;
    ran: boolean;
    hits: number;
    ms: number;
    number?: number;
    /** The best and the lowest score. */
    range?: [number, number];
    error: string | null;
    [more: string]: unknown;
  }[];
  ms: number;
}

/** A column of a table. */
export interface Column {
  name: string;
  kind: string;
  /** Which column of the sheet it is, from 1. */
  col: number;
  unit?: string;
  stats?: Record<string, unknown>;
  [more: string]: unknown;
}

/** A table without its rows. */
export interface Table {
  id: string;
  /** The name it has in SQL. */
  name: string;
  /** The name of its document. */
  document: string;
  source_id: string;
  rows: number;
  columns: Column[];
  title: string;
  place: Place;
  header_rows: number;
  row_headers: number;
  [more: string]: unknown;
}

/** Some rows of a table, as they are written in the file. */
export interface TableRows {
  offset: number;
  total: number;
  rows: {
    /** The row of the source. */
    row: number;
    mark: "data" | "subtotal" | "total" | "section" | "hidden" | "derived";
    cells: (string | null)[];
    [more: string]: unknown;
  }[];
}

/** A document without what is in it. */
export interface DocumentRecord {
  id: string;
  name: string;
  source: string;
  source_id: string;
  title: string;
  hash: string;
  tables: number;
  fields: Record<string, unknown>;
  report: Record<string, unknown>;
}

/** What came of a file that was added. */
export interface DocumentReport {
  id: string;
  name: string;
  status: string;
  tables: number;
  rows_in: number;
  rows_indexed: number;
  rows_rejected: { place: Place | Record<string, unknown>; reason: string }[];
  warnings: unknown[];
  error: unknown;
  [more: string]: unknown;
}

/** What came of an upload. */
export interface Added {
  documents: DocumentReport[];
  interrupted: boolean;
  kept: unknown[];
  embedding_error: string | null;
  seconds: number;
  [more: string]: unknown;
}

/** The server, as it tells everybody who can connect. */
export interface Server {
  version: string;
  needs_key: boolean;
  /** The role of the key that was sent; `null` without one where one is needed. */
  role: Role | null;
  has_model: boolean;
  libraries: (Pick<LibraryBody, "name" | "default"> & Partial<LibraryBody>)[];
  limits: { upload_bytes: number; [more: string]: unknown };
}

/** Replies whose shape the description leaves open. */
export interface Replies {
  "POST /api/v1/ask": Answer;
  "POST /api/v1/verify": Answer;
  "POST /api/v1/sql": Ran;
  "GET /api/v1/search": Hits;
  "POST /api/v1/search": Hits;
  "GET /api/v1/tables": { tables: Table[]; next?: number | null; total: number };
  "GET /api/v1/tables/{id}": Table;
  "GET /api/v1/tables/{id}/rows": TableRows;
  "GET /api/v1/documents": { documents: DocumentRecord[]; next?: number | null; total: number };
  "GET /api/v1/server": Server;
}

/** What a call gives. */
export type Reply<E extends keyof Endpoints> = E extends keyof Replies ? Replies[E] : Endpoints[E]["reply"];
