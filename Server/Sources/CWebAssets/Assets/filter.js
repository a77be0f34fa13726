// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The syntax of the filter: `key:value` matches indexed fields, `total>=3` and `currency:EUR` are conditions on
// attributes, “or” joins two conditions, and all other words must occur in the event. The collector evaluates the whole
// filter.

const termKeys = new Set(["name", "user", "session", "installation", "project", "run"]);
/** Matches a name, a comparison operator, and a value. */
const conditionPattern = /^("(?:[^"\\]|\\.)+"|[^\s"=≠!<≤>≥~]+?)(:=|!=|!~|<=|>=|=|≠|≤|≥|<|>|~)(.+)$/s;
/** Matches a name and a value, but not a URL, which has two slashes after its colon. */
const pairPattern = /^([A-Za-z_][\w.-]*):(?!\/\/)(.+)$/s;

/**
 * Splits the line into parts. Quoted parts may contain spaces, and quotation marks escaped with a backslash. A list after
 * a comparison, such as `plan=[pro, team]`, may contain spaces too.
 */
const splitParts = (line) => line.match(/(?:(?<=[=≠~])\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\]|"(?:[^"\\]|\\.)*"?|[^\s"])+/g) ?? [];
/** Returns the condition that a part contains; null if it contains none. */
function conditionText(part) {
  if (conditionPattern.test(part)) return part;
  if (/:$/.test(part)) return null; // The value is still being typed.
  return pairPattern.test(part) && !termKeys.has(/^[a-z]+(?=:)/.exec(part)?.[0]) ? part.replace(pairPattern, "$1=$2") : null;
}
const unquote = (text) => (text.startsWith('"') ? (/^"((?:[^"\\]|\\.)*)/s.exec(text)?.[1] ?? "").replace(/\\(.)/gs, "$1") : text);

/**
 * Parses a filter: `name:purchase total>=3 "two words"` becomes {terms: {name: "purchase"}, conditions: ["total>=3"],
 * words: ["two words"]}.
 */
export function parseFilter(line) {
  const terms = {};
  const conditions = [];
  const words = [];
  const parts = splitParts(line);
  /** Whether the previous part is a condition, which “or” can join with the next one. */
  let joins = false;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    const wasCondition = joins;
    joins = false;
    const key = /^[a-z]+(?=:)/.exec(part)?.[0];
    const next = wasCondition && /^or$/i.test(part) ? conditionText(parts[index + 1] ?? "") : null;
    if (next !== null) {
      conditions[conditions.length - 1] += ` or ${next}`;
      index += 1;
      joins = true;
    } else if (termKeys.has(key)) {
      // A term without a value is still being typed.
      const value = unquote(part.slice(key.length + 1));
      if (value !== "") terms[key] = value;
    } else if (conditionText(part) !== null) {
      conditions.push(conditionText(part));
      joins = true;
    } else if (/^[^"]*(?:[=≠<≤>≥~]|:)$/.test(part) && /^[A-Za-z_]/.test(part)) continue;
    else if (unquote(part) !== "") words.push(unquote(part));
  }
  return { terms, conditions, words };
}

/** Returns the filter line with one term replaced, or removed if the value is null. */
export function withTerm(line, key, value) {
  const otherParts = splitParts(line).filter((part) => !part.startsWith(`${key}:`));
  const quoted = (text) => (/[\s"]/.test(text) ? `"${text.replace(/["\\]/g, "\\$&")}"` : text);
  return [...(value === null ? [] : [`${key}:${quoted(value)}`]), ...otherParts].join(" ");
}

/** Returns whether an event's text (in lowercase) contains every word. */
export const hasWords = (words, text) => words.every((word) => text.includes(word.toLowerCase()));

/** Returns the collector's parameters as pairs: indexed fields, and conditions and words that require a search. */
export const queryPairs = ({ terms, conditions, words }) => ({ indexed: Object.entries(terms), searched: [...conditions.map((text) => ["where", text]), ...words.map((text) => ["text", text])] });
