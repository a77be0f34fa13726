// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Formats property values; the original value is shown next to a converted value.

import { h } from "./dom.js";
import { formatNumber, printable } from "./format.js";

const binaryUnits = ["KiB", "MiB", "GiB", "TiB"];
const frequencyUnits = ["kHz", "MHz", "GHz"];

/** Returns a value as plain text, as reported. */
export function valueText(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.length === 0 ? "none" : value.join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return JSON.stringify(value);
}

/**
 * Returns a value as a node: sizes and frequencies in round units, followed by the exact number; lists with one item
 * per line.
 */
export function valueNode(name, value) {
  if (value === "") return h("span", { class: "muted" }, "empty");
  if (Array.isArray(value) && value.length > 1) return h("ul", { class: "value-list" }, value.map((item) => h("li", {}, printable(valueText(item)))));
  const rounded = typeof value === "number" ? withUnits(name, value) : null;
  if (rounded !== null) return h("span", {}, rounded, h("small", {}, ` ${formatNumber(value)}`));
  return h("span", {}, printable(valueText(value)));
}

function withUnits(name, value) {
  if (/^(device_(memory|page)|cache_.*)_size$/.test(name)) return scale(value, 1024, binaryUnits);
  if (/frequency(_min|_max)?$/.test(name)) return scale(value, 1000, frequencyUnits);
  return null;
}

function scale(value, base, units) {
  if (!(value >= base)) return null;
  const power = Math.min(units.length, Math.floor(Math.log(value) / Math.log(base)));
  return `${formatNumber(Math.round((value / base ** power) * 10) / 10)} ${units[power - 1]}`;
}
