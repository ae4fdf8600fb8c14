// Speaks the store protocol: JSON-RPC 2.0 on standard input and output, one message a line.
// Nothing else may be written to standard output; for messages of your own use console.error.

import { Refusal, Store } from "./store.js";

// Who this is, what it can do beyond the required operations, and what it chooses. Declare only
// what works: what is declared here is tested.
const HELLO = {
  name: "my-memory",
  version: "0.1.0",
  language: "javascript",
  homepage: null,
  protocol: "1.0",
  capabilities: ["workspaces"],
  profiles: [],
  policies: {
    scopeLevels: ["workspace"],
    scopeFilter: "before-limit",
    superseded: "hidden",
    duplicates: "none",
    overflow: null,
    budgetUnit: null,
    overBudget: "never",
    outOfRange: "refuse",
    stopWords: "filtered",
    tokenClasses: ["word", "number", "cjk-bigram"],
    consistency: "immediate",
    consistencyBoundMs: null,
    ids: "own",
    surfaces: ["recall", "get"],
  },
};

// JSON-RPC's numbers for the codes of the protocol.
const NUMBERS = { invalid: -32602, unsupported: -32601, not_found: -32001, internal: -32603 };

const stores = new Map(); // handle -> Store
let opened = 0;

// --- what comes in is checked here, once; the store may rely on it -----------------------------

const invalid = (message, detail = null) => new Refusal("invalid", message, detail);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function object(value, name) {
  if (!isObject(value)) throw invalid(`${name} must be an object`, { field: name });
  return value;
}

function text(value, name) {
  if (typeof value !== "string") throw invalid(`${name} must be a text`, { field: name });
  return value;
}

// What a request may leave out is null.
const optionalText = (value, name) => (value == null ? null : text(value, name));

function wholeNumber(value, name) {
  if (value == null) return null;
  if (!Number.isInteger(value)) throw invalid(`${name} must be a whole number`, { field: name });
  return value;
}

function storeOf(params) {
  const store = stores.get(text(params.store, "store"));
  if (store === undefined) throw new Refusal("not_found", "no open store has this handle");
  return store;
}

const workspaceOf = (params) =>
  optionalText(object(params.access ?? {}, "access").workspace, "workspace");

// Half of a surrogate pair is no Unicode text: nothing can store it or send it on.
function hasHalfCharacter(value) {
  if (typeof value === "string") return /\p{Surrogate}/u.test(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some((pair) => pair.some(hasHalfCharacter));
}

// --- the operations ------------------------------------------------------------------------------

// A result has all keys of the protocol; what this store has not is null.
function hit(id, content) {
  return {
    id,
    content,
    state: content === null ? "forgotten" : "active",
    form: "content",
    supersededBy: null,
    type: null,
    tags: null,
    confidence: null,
    version: null,
    flags: null,
    score: null,
    times: null,
    sources: null,
    channels: null,
    extra: {},
  };
}

const DONE = { done: true, cause: null };
const UNDECLARED = ["budget", "purpose", "filters", "mode", "trace"]; // options of recall

const operations = {
  hello(params) {
    if (!Array.isArray(params.protocols) || !params.protocols.includes(HELLO.protocol)) {
      throw invalid(`only protocol ${HELLO.protocol} is spoken here`, { field: "protocols" });
    }
    return HELLO;
  },

  open() {
    opened += 1;
    const handle = `store-${opened}`;
    stores.set(handle, new Store());
    return { store: handle, namespace: null };
  },

  close(params) {
    storeOf(params);
    stores.delete(params.store);
    return DONE;
  },

  write(params) {
    const store = storeOf(params);
    const record = object(params.record, "record");
    const content = text(record.content, "content");
    if (content.trim() === "") throw invalid("a memory needs a text", { field: "content" });
    if (!["workspace", null].includes(optionalText(record.scope, "scope"))) {
      throw invalid("the only scope here is workspace", { field: "scope" });
    }
    const id = store.write(content, optionalText(record.workspace, "workspace"));
    return { id, outcome: "created", other: null, cause: null, namespace: null };
  },

  recall(params) {
    const store = storeOf(params);
    const query = text(params.query, "query");
    const limit = wholeNumber(params.limit, "limit");
    const option = UNDECLARED.find((name) => (params[name] ?? false) !== false);
    if (option !== undefined) {
      throw new Refusal("unsupported", `recall has no ${option} here`, { field: option });
    }
    const found = store.recall(query, workspaceOf(params), limit);
    const hits = found.map(({ id, content }) => hit(id, content));
    return { hits, namespace: null, ledger: null, trace: null };
  },

  forget(params) {
    storeOf(params).forget(text(params.id, "id"), workspaceOf(params));
    return DONE;
  },

  get(params) {
    const id = text(params.id, "id");
    const content = storeOf(params).get(id, workspaceOf(params));
    return { record: hit(id, content), namespace: null };
  },
};

// --- messages ------------------------------------------------------------------------------------

function failure(id, error, number) {
  const known = error instanceof Refusal;
  if (!known) console.error(error); // a mistake of this program: say where, go on serving
  const code = known ? error.code : "internal";
  const message = known ? error.message : "the store failed in a way that it didn't foresee";
  const data = { code, message, detail: known ? error.detail : null };
  // An id that was asked for may hold half a character; it isn't sent back.
  if (hasHalfCharacter(data.detail)) data.detail = null;
  return { jsonrpc: "2.0", id, error: { code: number ?? NUMBERS[code], message, data } };
}

function answer(line) {
  let message;
  try {
    message = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
  } catch {
    return failure(null, invalid("the line is no JSON in UTF-8"), -32700);
  }
  const given = isObject(message) ? message.id : null;
  const usable = typeof given === "string" ? !hasHalfCharacter(given) : Number.isSafeInteger(given);
  const id = usable ? given : null;
  try {
    const { jsonrpc, method, params = {} } = isObject(message) ? message : {};
    if (jsonrpc !== "2.0" || id === null || typeof method !== "string" || !isObject(params)) {
      return failure(id, invalid("the message is no JSON-RPC 2.0 request"), -32600);
    }
    if (hasHalfCharacter(params)) throw invalid("a text holds half of a surrogate pair");
    if (!Object.hasOwn(operations, method)) {
      throw new Refusal("unsupported", "this operation isn't offered here");
    }
    return { jsonrpc: "2.0", id, result: operations[method](params) };
  } catch (error) {
    return failure(id, error);
  }
}

// A chunk of input may hold several lines, or a part of one; bytes are kept until a line is whole.
let rest = [];
for await (const chunk of process.stdin) {
  let start = 0;
  for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
    const line = Buffer.concat([...rest, chunk.subarray(start, end)]);
    process.stdout.write(`${JSON.stringify(answer(line))}\n`);
    rest = [];
    start = end + 1;
  }
  rest.push(chunk.subarray(start));
}
