// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Parses and formats conditions in the collector's syntax, such as `total>=12.5` or `country=DE or country=AT`.

import { InvalidQueryError } from "./time-range.js";

const string = String.raw`"(?:[^"\\]|\\.)*"`;
const list = String.raw`\[(?:${string}|[^\]"])*\]`;
/** The end of a condition: an “or” with spaces around it or at the end of the text, or the end of the text. */
const end = String.raw`(?=\s+or(?:\s|$)|$)`;
const pattern = new RegExp(`(${string}|.*?)(:=|!=|!~|<=|>=|=|≠|≤|≥|<|>|~)(?:(${string}|${list})${end}|(.*?)${end})`, "isy");
const aliases = { "!=": "≠", "<=": "≤", ">=": "≥" };
const joinsConditions = (text) => /\sor(?:\s|$)/i.test(text);

/** The available comparisons, each with its label. */
export const comparisons = [
  ["=", "="], ["≠", "≠"], ["<", "<"], ["≤", "≤"], [">", ">"], ["≥", "≥"],
  ["~", "contains"], ["!~", "does not contain"], ["=[]", "is any of"], ["≠[]", "is not any of"],
  ["=*", "is set"], ["≠*", "is not set"], [":=", "= as text"],
];

/** The maximum number of conditions that “or” joins. */
export const maximumAlternatives = 10;

/**
 * Parses a condition and its alternatives: `total>=12.5 or plan=[pro,team]` becomes {name: "total", comparison: "≥",
 * value: "12.5"} and {name: "plan", comparison: "=[]", value: "pro,team"}. Throws InvalidQueryError.
 */
export function parseConditions(text, field) {
  const conditions = [];
  pattern.lastIndex = 0;
  do {
    const match = pattern.exec(text);
    if (match === null || match[1] === "") throw new InvalidQueryError(field, `“${text.slice(0, 64)}” is not a filter: write an attribute, a comparison and a value, such as total>=12.5. “or” joins two filters; quote a value that contains it, such as title="Now or never".`);
    conditions.push(condition(match));
    const separator = /\s+or(?:\s+|$)/iy;
    separator.lastIndex = pattern.lastIndex;
    if (!separator.test(text)) break;
    pattern.lastIndex = separator.lastIndex;
  } while (true);
  return conditions;
}

function condition([, name, operator, delimited, plain]) {
  const comparison = aliases[operator] ?? operator;
  const value = delimited ?? plain;
  const isEquality = comparison === "=" || comparison === "≠";
  if (isEquality && value === "*") return { name, comparison: `${comparison}*`, value: "" };
  if (isEquality && delimited?.startsWith("[")) return { name, comparison: `${comparison}[]`, value: delimited.slice(1, -1).trim() };
  return { name, comparison, value };
}

/** Returns the condition as text; null if the attribute or a required value is missing. */
export function formatCondition({ name, comparison, value }) {
  if (name === "") return null;
  const attribute = isQuoted(name) || !(/[=≠!<≤>≥~]|:=|^"/.test(name) || joinsConditions(name)) ? name : JSON.stringify(name);
  if (comparison.endsWith("*")) return attribute + comparison;
  if (value === "") return null;
  if (comparison.endsWith("[]")) return `${attribute}${comparison.slice(0, -2)}[${value}]`;
  if (comparison === ":=") return joinsConditions(value) ? `${attribute}=${JSON.stringify(value)}` : attribute + comparison + value;
  // Quote what has a special meaning: a star matches any value, a bracket begins a list, and “or” another condition.
  const isList = comparison.endsWith("~") && new RegExp(`^${list}$`, "s").test(value);
  const isSpecial = value === "*" || value.trim() === "" || value.startsWith("[") || joinsConditions(value);
  return attribute + comparison + (isSpecial && !isList && !isQuoted(value) ? JSON.stringify(value) : value);
}

/** Returns the conditions joined by “or”; null if none is complete. */
export function formatConditions(conditions) {
  const texts = conditions.map(formatCondition).filter((text) => text !== null);
  return texts.length === 0 ? null : texts.join(" or ");
}

function isQuoted(name) {
  if (!name.startsWith('"')) return false;
  try {
    return typeof JSON.parse(name) === "string";
  } catch {
    return false;
  }
}
