// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What the filter line means: `key:value` is what events are filed under, `total>=3` and `currency:EUR` conditions on what they hold, the
// other words must occur in them. All of it is asked of the collector.

const keys = new Set(["name", "user", "session", "installation", "project", "run"]);
/** A name, a comparison, and something to compare with. */
const condition = /^("(?:[^"\\]|\\.)+"|[^\s"=≠!<≤>≥]+?)(:=|!=|<=|>=|=|≠|≤|≥|<|>)(.+)$/s;
/** A name and a value; an address, which has two strokes behind its colon, is none. */
const pair = /^([A-Za-z_][\w.-]*):(?!\/\/)(.+)$/s;

/** The line in its parts: a quotation mark opens and closes, and what stands in between may have spaces, and quotation marks behind a backslash. */
const parts = (line) => line.match(/(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/g) ?? [];
const unquoted = (text) => (text.startsWith('"') ? (/^"((?:[^"\\]|\\.)*)/s.exec(text)?.[1] ?? "").replace(/\\(.)/gs, "$1") : text);

/** `name:purchase total>=3 "two words"` becomes {terms: {name: "purchase"}, conditions: ["total>=3"], words: ["two words"]}. */
export function parseFilter(line) {
  const terms = {};
  const conditions = [];
  const words = [];
  for (const part of parts(line)) {
    const key = /^[a-z]+(?=:)/.exec(part)?.[0];
    if (keys.has(key)) {
      // Without a value somebody is still typing.
      const value = unquoted(part.slice(key.length + 1));
      if (value !== "") terms[key] = value;
    } else if (condition.test(part)) conditions.push(part);
    else if (/^[^"]*(?:[=≠<≤>≥]|:)$/.test(part) && /^[A-Za-z_]/.test(part)) continue;
    else if (pair.test(part)) conditions.push(part.replace(pair, "$1=$2"));
    else if (unquoted(part) !== "") words.push(unquoted(part));
  }
  return { terms, conditions, words };
}

/** The filter as a line again, with one term replaced (or removed when the value is null). */
export function withTerm(line, key, value) {
  const others = parts(line).filter((part) => !part.startsWith(`${key}:`));
  const quoted = (text) => (/[\s"]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : text);
  return [...(value === null ? [] : [`${key}:${quoted(value)}`]), ...others].join(" ");
}

/** Whether an event (its text in lower case) has every word. */
export const hasWords = (words, text) => words.every((word) => text.includes(word.toLowerCase()));

/** What is asked of the collector, as pairs: what events are filed under, and what has to be searched for. */
export const asked = ({ terms, conditions, words }) => ({ filed: Object.entries(terms), searched: [...conditions.map((text) => ["where", text]), ...words.map((text) => ["text", text])] });
