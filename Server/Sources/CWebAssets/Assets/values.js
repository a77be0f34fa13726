// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Formats property values; the original value remains visible next to a converted one.

import { h } from "./dom.js";
import { number } from "./format.js";
import { printable } from "./stream.js";

const binary = ["KiB", "MiB", "GiB", "TiB"];
const hertz = ["kHz", "MHz", "GHz"];

/** A value as plain text, as reported. */
export function valueText(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.length === 0 ? "none" : value.join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  return JSON.stringify(value);
}

/** The value as a node: sizes and frequencies in round units, followed by the number; lists with one item per line. */
export function valueNode(name, value) {
  if (value === "") return h("span", { class: "quiet-text" }, "empty");
  if (Array.isArray(value) && value.length > 1) return h("ul", { class: "value-list" }, value.map((item) => h("li", {}, printable(valueText(item)))));
  const round = typeof value === "number" ? inUnits(name, value) : null;
  if (round !== null) return h("span", {}, round, h("small", {}, ` ${number(value)}`));
  return h("span", {}, printable(valueText(value)));
}

function inUnits(name, value) {
  if (/^(device_(memory|page)|cache_.*)_size$/.test(name)) return scaled(value, 1024, binary);
  if (/frequency(_min|_max)?$/.test(name)) return scaled(value, 1000, hertz);
  return null;
}

function scaled(value, base, units) {
  if (!(value >= base)) return null;
  const power = Math.min(units.length, Math.floor(Math.log(value) / Math.log(base)));
  return `${number(Math.round((value / base ** power) * 10) / 10)} ${units[power - 1]}`;
}
