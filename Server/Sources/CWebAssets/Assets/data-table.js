// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A chart's data as a table, for screen readers, for copying, and as a download.

import { h, setText } from "./dom.js";
import { downloadText } from "./download.js";
import { printable, truncate } from "./format.js";

const numberFormat = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** Formats a number, the digits of a number beyond the safe integer range, or a missing value. */
export function formatValue(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value.replace(/\B(?=(\d{3})+$)/g, ",") : numberFormat.format(value);
}

/** Formats a share of a whole, such as 12.5%, or a dash if the whole is zero. */
export const formatPercent = (part, whole) => (whole > 0 ? `${numberFormat.format(Math.round((1000 * part) / whole) / 10)}%` : "–");

/** Returns a node for an untrusted name, truncated to one line, with isolated text direction. */
export const nameNode = (name, maximumLength = 80) => h("bdi", { title: name.length > maximumLength ? printable(truncate(name, 1000)) : null }, printable(truncate(name, maximumLength)));

const separator = " · ";

/**
 * Returns the name of a group: its values or buckets, a label for a missing attribute, or the number of groups that it
 * combines. Different groups have different names. `params` are those of the query.
 */
export function groupName(series, params) {
  if ("other" in series) return `${formatValue(series.other)} more`;
  if (!("group" in series)) return "all";
  const attributes = params.getAll("by");
  const values = attributes.length > 1 && Array.isArray(series.group) ? series.group : [series.group];
  return values.map((value, index) => {
    if (index === 0 && params.has("buckets")) return value === null ? `no number in ${attributes[0].slice(0, 40)}` : bucketName(value);
    return valueName(value, attributes[index] ?? "", params.has("values"), values.length > 1);
  }).join(separator);
}

/** Returns the name of a range of numbers, such as “10 to < 50”. */
function bucketName({ from, to }) {
  if (from === undefined) return `< ${to}`;
  return to === undefined ? `≥ ${from}` : `${from} to < ${to}`;
}

/** `areAllStrings`: whether no value is a number, a boolean, a list or an object. */
function valueName(value, attribute, areAllStrings, isPart) {
  const missingLabel = `no ${attribute.slice(0, 40)}`;
  if (value === null) return missingLabel;
  if (typeof value !== "string") return JSON.stringify(value);
  // Quote strings that look like a number, an empty value, or a label assigned by this function, and strings that
  // contain quotation marks.
  const isAmbiguous = (areAllStrings ? /^(?:all|[\d,]+ more|".*|\s*)$/s : /^(?:all|true|false|null|[\d,]+ more|[[{"].*|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s*)$/s).test(value);
  return isAmbiguous || value === missingLabel || (isPart && value.includes(separator.trim())) ? JSON.stringify(value) : value;
}

/**
 * Returns a panel with a table. `head` contains the column titles, starting with the title of `rows[…][0]`; cells are
 * strings or nodes. Columns before `textColumns`, or in the list `textColumns`, contain text rather than numbers.
 */
export function dataTable(title, head, rows, textColumns = 1) {
  const cellClass = (index) => ((Array.isArray(textColumns) ? textColumns.includes(index) : index < textColumns) ? "text-column" : null);
  const table = h("table", { class: "data-table" },
    h("thead", {}, h("tr", {}, head.map((text, index) => h("th", { scope: "col", class: cellClass(index) }, text)))),
    h("tbody", {}, rows.map(([first, ...cells]) => h("tr", {}, h("th", { scope: "row", class: "text-column" }, first), cells.map((cell, index) => h("td", { class: cellClass(index + 1) }, cell))))));
  const copy = h("button", { type: "button", class: "button small" }, "Copy");
  copy.addEventListener("click", async () => {
    const cells = (row) => [...row.children].map((cell) => cell.textContent.replace(/\s+/g, " ").trim()).join("\t");
    try {
      await navigator.clipboard.writeText([...table.rows].map(cells).join("\n"));
      setText(copy, "Copied");
    } catch {
      // The clipboard requires a secure origin. Select the table instead, so that it can be copied with the keyboard.
      getSelection().selectAllChildren(table);
      setText(copy, "Selected");
    }
    setTimeout(() => setText(copy, "Copy"), 1500);
  });
  const download = h("button", { type: "button", class: "button small", onclick: () => downloadText([...table.rows].map((row) => [...row.children].map(csvCell).join(",")).join("\r\n") + "\r\n", "text/csv", `${title.toLowerCase().replace(/[^a-z0-9]+/g, "-")}.csv`) }, "Download CSV");
  return h("section", { class: "panel data-table-panel", "aria-label": title },
    h("header", { class: "panel-head" }, h("h3", {}, title), h("div", { class: "panel-tools" }, download, copy)),
    h("div", { class: "data-table-frame", tabindex: "0", role: "region", "aria-label": `${title}, table` }, table));
}

/**
 * Returns a cell's text for CSV: numbers without group separators, an empty cell for a missing value. Text that a
 * spreadsheet would treat as a formula gets a leading apostrophe, as in the collector's own tables.
 */
function csvCell(cell) {
  const text = cell.textContent.replace(/\s+/g, " ").trim();
  if (cell.tagName === "TD" && /^-?\d[\d,]*(?:\.\d+)?$/.test(text)) return text.replaceAll(",", "");
  if (text === "–") return "";
  const safe = /^[=+\-@＝＋－＠]/.test(text) ? `'${text}` : text;
  return /[",]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
