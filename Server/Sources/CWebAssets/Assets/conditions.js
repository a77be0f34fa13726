// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A condition as the collector reads it, in its three parts: `total>=12.5`.

import { WrongQuestion } from "./range.js";

const pattern = /^("(?:[^"\\]|\\.)*"|.*?)(:=|!=|<=|>=|=|≠|≤|≥|<|>)(.*)$/s;
const same = { "!=": "≠", "<=": "≤", ">=": "≥" };

/** The comparisons that can be chosen, as they are written and as they are called. */
export const comparisons = [
  ["=", "="], ["≠", "≠"], ["<", "<"], ["≤", "≤"], [">", ">"], ["≥", "≥"],
  ["=*", "is there"], ["≠*", "is not there"], [":=", "= as text"],
];

/** `total>=12.5` becomes {name: "total", comparison: "≥", value: "12.5"}. Throws WrongQuestion. */
export function readCondition(text, field) {
  const match = pattern.exec(text);
  if (match === null || match[1] === "") throw new WrongQuestion(field, `“${text.slice(0, 64)}” is no condition: write an attribute, a comparison and a value, such as total>=12.5.`);
  const comparison = same[match[2]] ?? match[2];
  if (match[3] === "*" && (comparison === "=" || comparison === "≠")) return { name: match[1], comparison: `${comparison}*`, value: "" };
  return { name: match[1], comparison, value: match[3] };
}

/** The condition as one text; null while it has no attribute, or nothing to compare with. */
export function writeCondition({ name, comparison, value }) {
  if (name === "") return null;
  const written = isQuoted(name) || !/[=≠!<≤>≥]|:=|^"/.test(name) ? name : JSON.stringify(name);
  if (comparison.endsWith("*")) return written + comparison;
  if (value === "") return null;
  // What somebody types is what is meant: a star alone would ask whether there is any value.
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
