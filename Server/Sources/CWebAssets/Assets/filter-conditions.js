// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Parses and formats conditions in the collector's syntax, such as `total>=12.5`.

import { InvalidQueryError } from "./time-range.js";

const pattern = /^("(?:[^"\\]|\\.)*"|.*?)(:=|!=|<=|>=|=|≠|≤|≥|<|>)(.*)$/s;
const aliases = { "!=": "≠", "<=": "≤", ">=": "≥" };

/** The available comparisons, each with its label. */
export const comparisons = [
  ["=", "="], ["≠", "≠"], ["<", "<"], ["≤", "≤"], [">", ">"], ["≥", "≥"],
  ["=*", "is set"], ["≠*", "is not set"], [":=", "= as text"],
];

/**
 * Parses a condition: `total>=12.5` becomes {name: "total", comparison: "≥", value: "12.5"}. Throws InvalidQueryError.
 */
export function parseCondition(text, field) {
  const match = pattern.exec(text);
  if (match === null || match[1] === "") throw new InvalidQueryError(field, `“${text.slice(0, 64)}” is not a filter: write an attribute, a comparison and a value, such as total>=12.5.`);
  const comparison = aliases[match[2]] ?? match[2];
  if (match[3] === "*" && (comparison === "=" || comparison === "≠")) return { name: match[1], comparison: `${comparison}*`, value: "" };
  return { name: match[1], comparison, value: match[3] };
}

/** Returns the condition as text; null if the attribute or a required value is missing. */
export function formatCondition({ name, comparison, value }) {
  if (name === "") return null;
  const attribute = isQuoted(name) || !/[=≠!<≤>≥]|:=|^"/.test(name) ? name : JSON.stringify(name);
  if (comparison.endsWith("*")) return attribute + comparison;
  if (value === "") return null;
  // Quote a star that the user typed, because an unquoted star matches any value.
  return attribute + comparison + (value === "*" ? '"*"' : value);
}

function isQuoted(name) {
  if (!name.startsWith('"')) return false;
  try {
    return typeof JSON.parse(name) === "string";
  } catch {
    return false;
  }
}
