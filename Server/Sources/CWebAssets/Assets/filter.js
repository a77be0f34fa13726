// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The syntax of the filter: `key:value` matches indexed fields, `total>=3` and `currency:EUR` are conditions on attributes, and all other
// words must occur in the event. The collector evaluates all of it.

const keys = new Set(["name", "user", "session", "installation", "project", "run"]);
/** A name, a comparison operator, and a value. */
const condition = /^("(?:[^"\\]|\\.)+"|[^\s"=≠!<≤>≥]+?)(:=|!=|<=|>=|=|≠|≤|≥|<|>)(.+)$/s;
/** A name and a value; a URL, with two slashes after its colon, is not one. */
const pair = /^([A-Za-z_][\w.-]*):(?!\/\/)(.+)$/s;

/** Splits the line. Quoted parts may contain spaces, and quotation marks after a backslash. */
const parts = (line) => line.match(/(?:"(?:[^"\\]|\\.)*"?|[^\s"])+/g) ?? [];
const unquoted = (text) => (text.startsWith('"') ? (/^"((?:[^"\\]|\\.)*)/s.exec(text)?.[1] ?? "").replace(/\\(.)/gs, "$1") : text);

/** `name:purchase total>=3 "two words"` is parsed as {terms: {name: "purchase"}, conditions: ["total>=3"], words: ["two words"]}. */
export function parseFilter(line) {
  const terms = {};
  const conditions = [];
  const words = [];
  for (const part of parts(line)) {
    const key = /^[a-z]+(?=:)/.exec(part)?.[0];
    if (keys.has(key)) {
      // Without a value, the term is still being typed.
      const value = unquoted(part.slice(key.length + 1));
      if (value !== "") terms[key] = value;
    } else if (condition.test(part)) conditions.push(part);
    else if (/^[^"]*(?:[=≠<≤>≥]|:)$/.test(part) && /^[A-Za-z_]/.test(part)) continue;
    else if (pair.test(part)) conditions.push(part.replace(pair, "$1=$2"));
    else if (unquoted(part) !== "") words.push(unquoted(part));
  }
  return { terms, conditions, words };
}

/** Returns the filter line with one term replaced, or removed if the value is null. */
export function withTerm(line, key, value) {
  const others = parts(line).filter((part) => !part.startsWith(`${key}:`));
  const quoted = (text) => (/[\s"]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : text);
  return [...(value === null ? [] : [`${key}:${quoted(value)}`]), ...others].join(" ");
}

/** Returns whether an event (its text in lower case) contains every word. */
export const hasWords = (words, text) => words.every((word) => text.includes(word.toLowerCase()));

/** Returns the collector's parameters as pairs: indexed fields, and what must be searched for. */
export const asked = ({ terms, conditions, words }) => ({ filed: Object.entries(terms), searched: [...conditions.map((text) => ["where", text]), ...words.map((text) => ["text", text])] });
