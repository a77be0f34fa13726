// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A filter in the collector's syntax, split into its three parts: `total>=12.5`.

import { WrongQuestion } from "./range.js";

const pattern = /^("(?:[^"\\]|\\.)*"|.*?)(:=|!=|<=|>=|=|≠|≤|≥|<|>)(.*)$/s;
const same = { "!=": "≠", "<=": "≤", ">=": "≥" };

/** The available comparisons, each with its label. */
export const comparisons = [
  ["=", "="], ["≠", "≠"], ["<", "<"], ["≤", "≤"], [">", ">"], ["≥", "≥"],
  ["=*", "is set"], ["≠*", "is not set"], [":=", "= as text"],
];

/** `total>=12.5` is parsed as {name: "total", comparison: "≥", value: "12.5"}. Throws WrongQuestion. */
export function readCondition(text, field) {
  const match = pattern.exec(text);
  if (match === null || match[1] === "") throw new WrongQuestion(field, `“${text.slice(0, 64)}” is not a filter: write an attribute, a comparison and a value, such as total>=12.5.`);
  const comparison = same[match[2]] ?? match[2];
  if (match[3] === "*" && (comparison === "=" || comparison === "≠")) return { name: match[1], comparison: `${comparison}*`, value: "" };
  return { name: match[1], comparison, value: match[3] };
}

/** Returns the filter as text; null if it has no attribute, or no value to compare with. */
export function writeCondition({ name, comparison, value }) {
  if (name === "") return null;
  const written = isQuoted(name) || !/[=≠!<≤>≥]|:=|^"/.test(name) ? name : JSON.stringify(name);
  if (comparison.endsWith("*")) return written + comparison;
  if (value === "") return null;
  // A typed star is meant literally: unquoted, it would match any value.
  return written + comparison + (value === "*" ? '"*"' : value);
}

function isQuoted(name) {
  if (!name.startsWith('"')) return false;
  try {
    return typeof JSON.parse(name) === "string";
  } catch {
    return false;
  }
}
