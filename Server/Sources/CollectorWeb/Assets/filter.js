// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What the filter line means: `key:value` words are asked of the collector, the other words are looked for here.

const keys = new Set(["name", "user", "session", "installation", "project"]);

/** `name:purchase shoes "two words"` becomes {terms: {name: "purchase"}, words: ["shoes", "two words"]}. */
export function parseFilter(line) {
  const terms = {};
  const words = [];
  for (const match of line.matchAll(/(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/g)) {
    const value = match[2] ?? match[3];
    if (match[0].endsWith(":") && keys.has(match[0].slice(0, -1))) continue; // Somebody is still typing.
    if (match[1] && keys.has(match[1])) {
      if (value) terms[match[1]] = value;
    } else if (value) {
      words.push((match[1] ? `${match[1]}:` : "") + value);
    }
  }
  return { terms, words: words.map((word) => word.toLowerCase()) };
}

/** The filter as a line again, with one term replaced (or removed when the value is null). */
export function withTerm(line, key, value) {
  const { terms, words } = parseFilter(line);
  delete terms[key];
  if (value !== null) terms[key] = value;
  const quoted = (text) => (/[\s"]/.test(text) ? `"${text.replaceAll('"', "")}"` : text);
  return [...Object.entries(terms).map(([name, text]) => `${name}:${quoted(text)}`), ...words.map(quoted)].join(" ");
}

/** Whether an event (its text in lower case) has every word. */
export const hasWords = (words, text) => words.every((word) => text.includes(word));

/** The terms as query parameters. */
export function asParameters(terms) {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(terms)) parameters.set(key, value);
  return parameters;
}
