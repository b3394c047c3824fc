// Made by scripts/generate.mjs from the server's /openapi.json: do not edit.

/** The version of the server that described this. */
export const version = "0.1.0";

/** Bytes, text or a form of files, as they are sent. */
export type Binary = Blob | ArrayBuffer | Uint8Array | string | FormData;

/** A question, or a statement to be judged, and of what it is asked. What is not said is as configured. */
export interface AskRequest {
  /**
   * Answer by this reading of those that were offered for this question, 1 for the first. It is remembered. 0 lists the
   * readings there are, also of a question that was answered.
   */
  choose?: number | null;
  /** Go on with this conversation; `new` begins one. */
  conversation?: string | null;
  /** Only documents whose field has this value: `field=a|b`, `field>=5`, `field<=9`. */
  filters?: string[];
  /**
   * What a language model sees: `hybrid`, `table-rag`, `read-table`, `read-schema`, `row-sampling`, `row-column` or
   * `text` [default: `hybrid`, or as configured].
   */
  mode?: string | null;
  /** Use the built-in question parser even when there is a language model. */
  no_model?: boolean;
  /** The group that passages come from: a text group, or a tree of summaries [default: `medium`, or as configured]. */
  passages?: string | null;
  /** The question, or the statement to be judged. */
  question: string;
  /** Ask a language model this often, and take the most frequent answer; a server asks up to 10 times. */
  samples?: number | null;
  /** Find tables or passages layer by layer, by the strategies of these names: `text`, `table`, or one that was configured. */
  strategy?: string[];
  /** Ask only of these tables, by name. */
  tables?: string[];
}

/** What a task is at. */
export interface At {
  /** Files, documents or calls that are done. */
  done: number;
  /** The same in words. */
  message: string;
  /** The stage: `read`, `embed`, `make` or `wait`. */
  phase: string;
  /** Of how many, where that is known. */
  total?: number | null;
}

/** A result to be drawn. */
export interface ChartBody {
  /** In which language numbers are written: `en`, `zh` or `de`. */
  language?: string;
  result: Rows;
  /** `bar` or `line`; what fits best when it is not said. */
  shape?: string | null;
  /** `light` or `dark`. */
  theme?: string;
  /** What stands above it. */
  title?: string;
  /** How many pixels it is wide; 640 when it is not said. */
  width?: number;
}

/** A language model, as in the `[chat]` section; `null` for none. */
export type ChatBody = Record<string, unknown> | null;

/** A message of a talk. */
export interface ChatMessage {
  /** A text, or parts of which those of type `text` are read. */
  content?: Record<string, unknown> | null;
  role: string;
}

/** A chat completion. What is not listed is taken and has no effect. */
export interface ChatRequest {
  messages: ChatMessage[];
  model: string;
  stream?: boolean;
}

/** What a user says of a table that was understood otherwise. */
export type CorrectionBody = Record<string, unknown>;

/** A page of documents. */
export interface Documents {
  documents: Record<string, unknown>[];
  /** Where the next page begins. */
  next?: number | null;
  /** How many there are in all. */
  total: number;
}

/** Texts to be embedded. */
export interface EmbedRequest {
  /** `float` or `base64`. */
  encoding_format?: string | null;
  input: Texts;
  /** `embed:KEY`; any other name embeds each text by the model for its language. */
  model: string;
}

/** The body of every error. */
export interface ErrorBody {
  /** What went wrong. */
  error: Said;
}

/** A result to be taken along. */
export interface ExportBody {
  /** `csv` or `xlsx`. */
  format: Format;
  /** What the file is called. */
  name?: string;
  result: Rows;
}

/** A word on an answer. */
export interface FeedbackBody {
  /** The conversation. */
  conversation: string;
  /** Whether the answer is right; `null` takes back what was said. */
  good?: boolean | null;
  /** Its turn, from 1. */
  turn: number;
}

/** How a file is written. */
export type Format = "csv" | "xlsx" | "md" | "html";

/** What was found. */
export interface Found {
  /** The best first. */
  hits: FoundHit[];
  /** What each layer did. */
  layers: Record<string, unknown>[];
  /** How long it took, in milliseconds. */
  ms: number;
}

/** The document that a hit stands in. */
export interface FoundDocument {
  /** Its id. */
  id: string;
  /** What people call it. */
  name: string;
  /** The id of its record, where its file holds several. */
  source_id: string;
}

/** A hit. */
export interface FoundHit {
  document?: FoundDocument | null;
  /** The embed key of these vectors. */
  embed_key?: string | null;
  /** The query it was found with, when that is not the one that was asked. */
  expanded_query?: string | null;
  /** What can be filtered on. */
  fields: Record<string, unknown>;
  /** What it is: `table`, `row`, `cell`, `column`, a group of text, … */
  group: string;
  /** Its id. */
  id: string;
  /** The word of the query that gave most. */
  keyword?: string | null;
  /** The layer that found it. */
  layer: string;
  /** The number of the layer in its strategy, from 1. */
  layer_number?: number | null;
  /** The library it is from, where several were searched. */
  library?: string | null;
  /** Where it stands, with its short form as `text`. */
  place: Record<string, unknown>;
  /** From 1 for the best. */
  rank: number;
  /** Higher is better. */
  score: number;
  /** What each field, similarity and layer gave. */
  scores: Record<string, unknown>;
  /** How it was compared. */
  similarity: string;
  /** How near they are, before it was weighed or combined. */
  similarity_score?: number | null;
  /** The strategy. */
  strategy?: string | null;
  /** What it says. */
  text: string;
  /** What vectors were compared: `dense`, `late` or `sparse`; nothing where words alone were. */
  vector_type?: string | null;
}

/** A key, without its text. */
export interface KeyBody {
  /** The key itself, told once. */
  key?: string | null;
  libraries: string[];
  name: string;
  role: Role;
}

export interface KeysBody {
  keys: KeyBody[];
}

export interface Libraries {
  libraries: LibraryBody[];
}

/** A library and what is in it. */
export interface LibraryBody {
  default: boolean;
  documents: number;
  name: string;
  rows: number;
  tables: number;
}

/** A model's card. */
export interface ModelCard {
  created: number;
  id: string;
  object: string;
  owned_by: string;
}

export interface Models {
  data: ModelCard[];
  object: string;
}

/** A key to be made. */
export interface NewKey {
  /** The libraries it is for; all when empty. */
  libraries?: string[];
  name: string;
  role: Role;
}

/** A library to be made. */
export interface NewLibrary {
  name: string;
}

/** A task that a caller starts. */
export type NewTask = {
  kind: "embed";
} | {
  kind: "clarify";
} | {
  groups: string[];
  kind: "make";
} | {
  kind: "raptor";
  no_model?: boolean;
  rebuild?: boolean;
  /** `library` or `document`. */
  scope?: string | null;
  /** Keys of `[raptor]` that differ for this build, such as `max_token` or `cluster`. */
  settings?: Record<string, unknown>;
} | {
  kind: "sync";
} | {
  kind: "doctor";
  repair?: boolean;
} | {
  k?: number[];
  kind: "evaluate";
  name: string;
  /** Each `{"question":…,"relevant":[ids]}`. */
  queries: Record<string, unknown>[];
  similarities?: string[];
};

/** A passage: a text, or an object with one. */
export type Passage = string | {
  text: string;
};

/** What a report says in the language of the page. */
export interface ReportBody {
  /** `md` or `html`. */
  format: Format;
  /** In which language charts write numbers: `en`, `zh` or `de`. */
  language?: string;
  /** What stands before the places that an answer rests on. */
  rests_on: string;
  /** What is said of each turn, in their order. */
  turns: Told[];
}

/** Passages to be put in order. */
export interface RerankRequest {
  documents: Passage[];
  /** The name of a reranker; any other name means the first that scores texts. */
  model?: string | null;
  query: string;
  /** Whether the passages are given back too. */
  return_documents?: boolean | null;
  top_n?: number | null;
}

/** What a key may do; each role may do what the ones before it may. */
export type Role = "read" | "write" | "admin";

/** Rows under column names. */
export interface Rows {
  columns: string[];
  rows: string[][];
}

/** What is said of an error. */
export interface Said {
  /** What can be done about it. */
  hint?: string | null;
  /** Whose fault it is: `input`, `missing`, `limit`, `upstream`, `io`, `bug`, `forbidden` or `key`. */
  kind: string;
  /** What went wrong. */
  message: string;
}

/** A search. What is not said is as configured. */
export interface SearchRequest {
  /** Hits under this score are dropped. */
  cut_off?: number | null;
  /** By embed key: vectors that are less near than this do not count. */
  cut_offs?: Record<string, unknown>;
  /** Compare only vectors under these embed keys. */
  embed_keys?: string[];
  /** Only documents whose field has this value: `field=a|b`, `field>=5`, `field<=9`. */
  filters?: string[];
  /** The group to search, such as `table`, `row`, `cell` or `medium`. */
  group?: string | null;
  /** Search these groups together [default: `table` and `medium`]. */
  groups?: string[];
  /** Libraries to search together, in the place of the one that is asked. A server knows them by these names. */
  libraries?: string[];
  /** What to look for. */
  query: string;
  /** Send the hits through these rerankers: `late`, `cross`, or one that was configured. */
  rerank?: string[];
  /** How to compare: `bm25`, `cosine`, `late`, `sparse` or `hybrid` [default: `hybrid`, or as configured]. */
  similarity?: string | null;
  /** Parameters of BM25 for this search: `k1`, `b` and the weights of fields. */
  similarity_kw?: Record<string, unknown>;
  /** Search layer by layer, by the strategy of this name: `text`, `table`, or one that was configured. */
  strategy?: string | null;
  /** Answer with nodes of this group. */
  target?: string | null;
  /** The most tokens of all hits together. */
  tokens?: number | null;
  /** How many hits; a server gives up to 1000 [default: 6, as many as the strategy says, or as fit into `tokens`]. */
  topk?: number | null;
  /** How a tree of summaries is searched: `collapsed` or `tree` [default: `collapsed`, or as configured]. */
  traversal?: string | null;
}

/** Which rows are wanted, and in which order. */
export interface SelectBody {
  /** How many, up to 1000. */
  limit?: number;
  /** The position of the first one, from 0. */
  offset?: number;
  /**
   * `{"sort": 2, "find": "oslo", "filters": [{"col": 3, "is": "least", "value": "5"}]}`: columns by their number in the
   * source, `sort` below zero for the largest first; `is` is `has`, `equal`, `other`, `least`, `most`, `empty` or `filled`.
   */
  wanted: Record<string, unknown>;
}

/** A statement in SQL. */
export interface SqlBody {
  statement: string;
}

/** How far a task is. */
export type State = "queued" | "running" | "done" | "failed" | "cancelled";

/** A page of tables. */
export interface Tables {
  /** Where the next page begins. */
  next?: number | null;
  tables: Record<string, unknown>[];
  /** How many there are in all. */
  total: number;
}

/** A task as callers see it. */
export interface Task {
  /** What it is about: the names of files, or of a table. */
  about?: string[];
  /** Milliseconds since 1970. */
  created: number;
  ended?: number | null;
  error?: Said | null;
  id: string;
  kind: string;
  library: string;
  progress: At;
  /** What came of it. */
  result?: Record<string, unknown> | null;
  started?: number | null;
  state: State;
}

/** A task in the body of an answer. */
export interface TaskBody {
  task: Task;
}

export interface Tasks {
  tasks: Task[];
}

/** What is to be tried. */
export interface TestBody {
  /** A language model to try before it is used. */
  chat?: Record<string, unknown> | null;
  /** The embed key or the reranker; the first one when it is not named. */
  name?: string | null;
  /** `chat`, `embed` or `rerank`. */
  what: string;
}

/** Whether a model works. */
export interface Tested {
  message: string;
  ms: number;
  ok: boolean;
}

/** One text or several. */
export type Texts = string | string[];

/** What a conversation is called. */
export interface TitleBody {
  /** Its name; its first question again when it is empty. */
  title: string;
}

/** What a report says of one answer. */
export interface Told {
  /** The answer, or why there is none. */
  answer: string;
  /** How sure it is, and of what it was computed. */
  basis: string;
}

/** Files that were taken. */
export interface Uploaded {
  files: string[];
  task: Task;
}

/** Everything that can be called, by method and path. */
export interface Endpoints {
  /**
   * Answers a question. With `Accept: text/event-stream` what a model writes comes as it writes it: events `text`,
   * then `answer` or `error`.
   */
  "POST /api/v1/ask": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: AskRequest;
    reply: unknown;
  };
  /** The whole library in one file, taken while it is in use. */
  "GET /api/v1/backup": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Blob;
  };
  /** A chart of a result, as SVG. */
  "POST /api/v1/chart": {
    path: {};
    query: {};
    body: ChartBody;
    reply: Blob;
  };
  /** The conversations of this key, the latest first. */
  "GET /api/v1/conversations": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** A conversation with its questions and answers. */
  "GET /api/v1/conversations/{id}": {
    path: {
      /** The conversation */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** Calls a conversation of this key something. */
  "PUT /api/v1/conversations/{id}": {
    path: {
      /** The conversation */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: TitleBody;
    reply: unknown;
  };
  /** Forgets a conversation of this key. */
  "DELETE /api/v1/conversations/{id}": {
    path: {
      /** The conversation */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** A conversation as a document: questions, answers, tables, statements and places; with charts as HTML. */
  "GET /api/v1/conversations/{id}/report": {
    path: {
      /** The conversation */
      id: string;
    };
    query: {
      /** Tables: `csv` or `xlsx`; conversations: `md` or `html`. */
      format: Format;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: string;
  };
  /** The same, in the words of whoever wants it, such as those of another language. */
  "POST /api/v1/conversations/{id}/report": {
    path: {
      /** The conversation */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: ReportBody;
    reply: string;
  };
  /** The documents, page by page. */
  "GET /api/v1/documents": {
    path: {};
    query: {
      /** The most entries, up to 500. */
      limit?: number;
      /** The `next` of the page before. */
      after?: number;
      /** Only those whose name contains this. */
      containing?: string;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Documents;
  };
  /**
   * Takes files: one as the body, or several as the parts of a form. They are on disk when this answers. A file of
   * the same name that somebody else uploaded stays, unless `replace` is set.
   */
  "POST /api/v1/documents": {
    path: {};
    query: {
      /** The name of the file, when its bytes are the body. */
      name?: string;
      /** Put it in the place of a file of this name that somebody else uploaded. */
      replace?: boolean;
      /** Then build the tree of summaries, or bring it up to date, as a task of its own. */
      use_raptor?: boolean;
      /**
       * Fields of the documents as a JSON object: `{"year": 2024, "tags": ["a", "b"]}`. A form may have a part of this
       * name instead.
       */
      fields?: string;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: Binary;
    reply: Uploaded;
  };
  /** A document with its blocks and tables. */
  "GET /api/v1/documents/{id}": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The most rows of each table, up to 1000. */
      rows?: number;
      /** Only what stands on this page. */
      page?: number;
      /** `md` or `html`, for text. */
      format?: string;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** Forgets a document. A file that was uploaded is deleted with the last document in it. */
  "DELETE /api/v1/documents/{id}": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** The file itself. */
  "GET /api/v1/documents/{id}/file": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Blob;
  };
  /** The picture of a page, with two pixels a point. */
  "GET /api/v1/documents/{id}/pages/{page}": {
    path: {
      /** Id or name */
      id: string;
      /** The page, from 1 */
      page: number;
    };
    query: {
      /** Frame what was found. */
      frames?: boolean;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Blob;
  };
  /** A document as text. */
  "GET /api/v1/documents/{id}/text": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The most rows of each table, up to 1000. */
      rows?: number;
      /** Only what stands on this page. */
      page?: number;
      /** `md` or `html`, for text. */
      format?: string;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: string;
  };
  /** The evaluations that were kept, the newest first. */
  "GET /api/v1/evaluations": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** The runs of experiments that were kept, the newest first. */
  "GET /api/v1/evaluations/runs": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** A run of an experiment. */
  "GET /api/v1/evaluations/runs/{name}": {
    path: {
      /** Its name */
      name: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** Forgets an evaluation. */
  "DELETE /api/v1/evaluations/{name}": {
    path: {
      /** Its name */
      name: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** A result as a file. */
  "POST /api/v1/export": {
    path: {};
    query: {};
    body: ExportBody;
    reply: Blob;
  };
  /** What was said of answers, by question. */
  "GET /api/v1/feedback": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** Says whether an answer is right. It is kept with the question and how that was read, and counts when the same is asked again. */
  "POST /api/v1/feedback": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: FeedbackBody;
    reply: unknown;
  };
  /** The node groups of a library, and how many nodes each has. */
  "GET /api/v1/groups": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** The keys there are. */
  "GET /api/v1/keys": {
    path: {};
    query: {};
    body: undefined;
    reply: KeysBody;
  };
  /** Makes a key. From the first one on, every request needs one. */
  "POST /api/v1/keys": {
    path: {};
    query: {};
    body: NewKey;
    reply: KeyBody;
  };
  /** Takes a key away; it opens nothing from then on. */
  "DELETE /api/v1/keys/{name}": {
    path: {
      /** Its name */
      name: string;
    };
    query: {};
    body: undefined;
    reply: unknown;
  };
  /** The libraries. */
  "GET /api/v1/libraries": {
    path: {};
    query: {};
    body: undefined;
    reply: Libraries;
  };
  /** Makes a library in the folder that was configured for them. */
  "POST /api/v1/libraries": {
    path: {};
    query: {};
    body: NewLibrary;
    reply: LibraryBody;
  };
  /** One node. */
  "GET /api/v1/nodes/{id}": {
    path: {
      /** The node */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** The trees of summaries. */
  "GET /api/v1/raptor": {
    path: {};
    query: {
      /** The group of the tree; `raptor` when it is not named. */
      group?: string;
      /** Only what is below this node. */
      below?: string;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** Puts a backup in the place of the library; needs a key for all libraries. */
  "POST /api/v1/restore": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: Binary;
    reply: TaskBody;
  };
  /** Searches, with what matters most in the address. */
  "GET /api/v1/search": {
    path: {};
    query: {
      /** What to look for. */
      q: string;
      /** How many hits. */
      k?: number;
      /** `bm25`, `cosine`, `late`, `sparse` or `hybrid`. */
      similarity?: string;
      /** The group to search. */
      group?: string;
      /** Search layer by layer, by the strategy of this name. */
      strategy?: string;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Found;
  };
  /** Searches. */
  "POST /api/v1/search": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: SearchRequest;
    reply: Found;
  };
  /** What a client needs to know first; needs no key. */
  "GET /api/v1/server": {
    path: {};
    query: {};
    body: undefined;
    reply: unknown;
  };
  /**
   * The models in use. Keys of providers are in the environment or in a file of their own and never shown; where models are and how they are
   * reached is told to admins of the whole server alone.
   */
  "GET /api/v1/settings": {
    path: {};
    query: {};
    body: undefined;
    reply: unknown;
  };
  /** Uses another language model from now on. */
  "PUT /api/v1/settings/chat": {
    path: {};
    query: {};
    body: ChatBody;
    reply: unknown;
  };
  /**
   * The language models that can be used from here: those of servers on this machine, and of providers whose key is in the
   * environment.
   */
  "GET /api/v1/settings/models": {
    path: {};
    query: {};
    body: undefined;
    reply: unknown;
  };
  /** Tries a model. */
  "POST /api/v1/settings/test": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: TestBody;
    reply: Tested;
  };
  /** Runs a read-only statement over the tables. */
  "POST /api/v1/sql": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: SqlBody;
    reply: unknown;
  };
  /** The tables, page by page. */
  "GET /api/v1/tables": {
    path: {};
    query: {
      /** The most entries, up to 500. */
      limit?: number;
      /** The `next` of the page before. */
      after?: number;
      /** Only those whose name contains this. */
      containing?: string;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Tables;
  };
  /** A table and how it was understood, without its rows. */
  "GET /api/v1/tables/{id}": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** Corrects how a table was understood: its document is read again with it. */
  "PUT /api/v1/tables/{id}/correction": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: CorrectionBody;
    reply: TaskBody;
  };
  /** How a table would be understood with a correction: its columns and first rows. Nothing is kept. */
  "POST /api/v1/tables/{id}/correction": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: CorrectionBody;
    reply: unknown;
  };
  /** Undoes the correction of a table. */
  "DELETE /api/v1/tables/{id}/correction": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: TaskBody;
  };
  /** A table as a file, every row of it as it is written. */
  "GET /api/v1/tables/{id}/export": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** Tables: `csv` or `xlsx`; conversations: `md` or `html`. */
      format: Format;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Blob;
  };
  /** Rows from a position on. */
  "GET /api/v1/tables/{id}/rows": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The position of the first one, from 0. */
      offset?: number;
      /** How many, up to 1000. */
      limit?: number;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** Rows sorted, filtered and searched. Of a sorted table the first 10,000 can be looked at; `found` says how many there are. */
  "POST /api/v1/tables/{id}/rows": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: SelectBody;
    reply: unknown;
  };
  /** The position of a row. */
  "GET /api/v1/tables/{id}/rows/at": {
    path: {
      /** Id or name */
      id: string;
    };
    query: {
      /** The number of the row in the source. */
      row: number;
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: unknown;
  };
  /** The tasks of a library, the newest first. */
  "GET /api/v1/tasks": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Tasks;
  };
  /** Starts a task. */
  "POST /api/v1/tasks": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: NewTask;
    reply: TaskBody;
  };
  /** A task. */
  "GET /api/v1/tasks/{id}": {
    path: {
      /** The task */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: TaskBody;
  };
  /** Asks a task to stop. */
  "DELETE /api/v1/tasks/{id}": {
    path: {
      /** The task */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: TaskBody;
  };
  /** Every change of a task as an event `task`, until it is over. */
  "GET /api/v1/tasks/{id}/events": {
    path: {
      /** The task */
      id: string;
    };
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: undefined;
    reply: Response;
  };
  /** Says whether a statement is supported or refuted. */
  "POST /api/v1/verify": {
    path: {};
    query: {
      /** The library; the default one when it is not named. */
      library?: string;
    };
    body: AskRequest;
    reply: unknown;
  };
  /** Whether the process answers. */
  "GET /healthz": {
    path: {};
    query: {};
    body: undefined;
    reply: unknown;
  };
  /** What was counted, for Prometheus; of the libraries that the key is for. */
  "GET /metrics": {
    path: {};
    query: {};
    body: undefined;
    reply: string;
  };
  /** Whether every library can be read. */
  "GET /readyz": {
    path: {};
    query: {};
    body: undefined;
    reply: unknown;
  };
  /** Answers the last question of a talk. Citations are `annotations` of the message; the whole answer is in `tabletalk`. */
  "POST /v1/chat/completions": {
    path: {};
    query: {};
    body: ChatRequest;
    reply: unknown;
  };
  /** The vectors of texts. */
  "POST /v1/embeddings": {
    path: {};
    query: {};
    body: EmbedRequest;
    reply: unknown;
  };
  /** The models: `tabletalk` answers over the default library, `tabletalk/NAME` over another, `embed:KEY` embeds. */
  "GET /v1/models": {
    path: {};
    query: {};
    body: undefined;
    reply: Models;
  };
  /** Puts passages in the order in which they answer a query. */
  "POST /v1/rerank": {
    path: {};
    query: {};
    body: RerankRequest;
    reply: unknown;
  };
}
