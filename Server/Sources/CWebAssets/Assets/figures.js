// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A chart's data as a table, for screen readers and for copying.

import { h, setText } from "./dom.js";
import { cut } from "./format.js";
import { printable } from "./stream.js";

const exact = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** Formats a number, the digits of a number beyond the safe range, or a missing value. */
export function figure(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value.replace(/\B(?=(\d{3})+$)/g, ",") : exact.format(value);
}

/** Formats a share of a whole, such as 12.5 %; without a whole there is a dash. */
export const percent = (part, whole) => (whole > 0 ? `${exact.format(Math.round((1000 * part) / whole) / 10)} %` : "–");

/** An external name, isolated in its text direction and truncated to one line. */
export const called = (name, most = 80) => h("bdi", { title: name.length > most ? printable(cut(name, 1000)) : null }, printable(cut(name, most)));

/**
 * The name of a group: its value, the missing attribute, or the number of groups that it combines. Different groups have different
 * names. `areTexts`: no group is a number, a boolean, a list or an object.
 */
export function groupName(series, by, areTexts = false) {
  if ("other" in series) return `${figure(series.other)} more`;
  if (!("group" in series)) return "all";
  const none = `no ${by.slice(0, 40)}`;
  if (series.group === null) return none;
  if (typeof series.group !== "string") return JSON.stringify(series.group);
  // Quote strings that look like a number, an empty value, or a label assigned here, and strings that contain quotation
  // marks.
  const isMistakable = (areTexts ? /^(?:all|[\d,]+ more|".*|\s*)$/s : /^(?:all|true|false|null|[\d,]+ more|[[{"].*|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s*)$/s).test(series.group);
  return isMistakable || series.group === none ? JSON.stringify(series.group) : series.group;
}

/**
 * A panel with a table. `head` are its columns, the first being that of `rows[…][0]`; cells are strings or nodes. Columns before `texts`, or
 * in the list `texts`, contain text rather than numbers.
 */
export function figures(title, head, rows, texts = 1) {
  const side = (index) => ((Array.isArray(texts) ? texts.includes(index) : index < texts) ? "words" : null);
  const table = h("table", { class: "figures" },
    h("thead", {}, h("tr", {}, head.map((text, index) => h("th", { scope: "col", class: side(index) }, text)))),
    h("tbody", {}, rows.map(([first, ...cells]) => h("tr", {}, h("th", { scope: "row", class: "words" }, first), cells.map((cell, index) => h("td", { class: side(index + 1) }, cell))))));
  const copy = h("button", { type: "button", class: "button small" }, "Copy");
  copy.addEventListener("click", async () => {
    const cells = (row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim()).join("\t");
    try {
      await navigator.clipboard.writeText([...table.rows].map(cells).join("\n"));
      setText(copy, "Copied");
    } catch {
      // The clipboard needs a secure origin: select the table instead, so that the keyboard can copy it.
      getSelection().selectAllChildren(table);
      setText(copy, "Selected");
    }
    setTimeout(() => setText(copy, "Copy"), 1500);
  });
  return h("section", { class: "panel figures-panel", "aria-label": title },
    h("header", { class: "panel-head" }, h("h3", {}, title), copy),
    h("div", { class: "figures-frame", tabindex: "0", role: "region", "aria-label": `${title}, table` }, table));
}
