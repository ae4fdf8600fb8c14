// The memory itself: it keeps everything in a Map and finds it by words. It knows nothing of
// messages; server.js checks what comes in and calls the methods below.

import { posix } from "node:path";

// A refusal that the caller is told: a code of the protocol, a sentence, and what it is about.
export class Refusal extends Error {
  constructor(code, message, detail = null) {
    super(message);
    this.code = code;
    this.detail = detail;
  }
}

// A memory answers a question when it has at least this part of the question's words. Without such
// a floor, any one common word would bring back memories that have nothing to do with it.
const FLOOR = 0.5;

// Words that say nothing about what a text is about. Single letters (the t of "don't") are left
// out of questions as well, see askedWords.
const STOP_WORDS = new Set(
  `about am an and are as at be been but by can could did do does for from had has have he her his
  how if in into is it its me my no not of on or our she should so than that the their them then
  there these they this those to us was we were what when where which who whose why will with would
  you your`.split(/\s+/),
);

// Chinese, Japanese and Korean: kana with the long-vowel mark, ideographs, syllables.
const CJK =
  "\\u3005-\\u3007\\u3041-\\u309f\\u30a1-\\u30fa\\u30fc-\\u30ff" +
  "\\u3400-\\u4dbf\\u4e00-\\u9fff\\uac00-\\ud7af\\u{20000}-\\u{3ffff}";
// A run of one kind or the other: in "我们用Redis缓存", Redis is a word of its own.
const RUNS = new RegExp(`(?<cjk>[${CJK}]+)|(?:(?![${CJK}])[\\p{L}\\p{M}\\p{N}])+`, "gu");

// The words of a text, in one spelling for all ways to write them. NFKC turns full-width ＡＢＣ into
// ABC; punctuation, emoji and operators are between words. Chinese, Japanese and Korean put no
// spaces between words, so each two neighbouring characters count as one: 起重机 gives 起重 and 重机.
export function words(text) {
  const found = new Set();
  for (const run of text.normalize("NFKC").toLowerCase().matchAll(RUNS)) {
    const characters = run.groups.cjk ? [...run[0]] : [];
    if (characters.length < 2) found.add(run[0]);
    for (let i = 1; i < characters.length; i++) found.add(characters[i - 1] + characters[i]);
  }
  return found;
}

// The words of a question that a memory has to answer.
function askedWords(query) {
  return [...words(query)].filter((word) => !STOP_WORDS.has(word) && !/^[a-z]$/.test(word));
}

// A workspace is a path: /srv//team/ and /srv/x/../team are the same place as /srv/team.
function placeOf(workspace) {
  if (workspace === null) return null;
  const path = posix.normalize(workspace);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

// What was written since it was opened; two stores know nothing of each other.
export class Store {
  #memories = new Map(); // id -> { place, content, words }; content is null when forgotten

  // Keeps one memory and returns its id; the same text twice is two memories.
  write(content, workspace) {
    const id = `memory-${this.#memories.size + 1}`;
    this.#memories.set(id, { place: placeOf(workspace), content, words: words(content) });
    return id;
  }

  // The memories of a workspace that have enough of the words, most first: { id, content }.
  recall(query, workspace, limit) {
    const asked = askedWords(query);
    const place = placeOf(workspace);
    const found = [];
    for (const [id, memory] of this.#memories) {
      if (memory.content === null || memory.place !== place || asked.length === 0) continue;
      const covered = asked.filter((word) => memory.words.has(word)).length / asked.length;
      if (covered < FLOOR) continue;
      found.push({ id, content: memory.content, covered, length: memory.words.size });
    }
    // The order depends on the memories alone: equally good ones stay as they were written.
    found.sort((a, b) => b.covered - a.covered || a.length - b.length);
    return limit === null ? found : found.slice(0, Math.max(limit, 0));
  }

  // Takes the text away; there is no copy of it that could come back.
  forget(id, workspace) {
    const memory = this.#find(id, workspace);
    memory.content = null;
    memory.words = new Set();
  }

  // The text of a memory, null when it was forgotten.
  get(id, workspace) {
    return this.#find(id, workspace).content;
  }

  #find(id, workspace) {
    const memory = this.#memories.get(id);
    // Another workspace's memory isn't even admitted to exist.
    if (memory === undefined || memory.place !== placeOf(workspace)) {
      throw new Refusal("not_found", "there is no such memory in this workspace", { id });
    }
    return memory;
  }
}
