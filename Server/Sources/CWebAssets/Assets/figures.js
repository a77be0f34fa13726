// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The figures of a chart as a table: for those who hear them, and for copying.

import { h, setText } from "./dom.js";
import { cut } from "./format.js";
import { printable } from "./stream.js";

const exact = new Intl.NumberFormat("en", { maximumFractionDigits: 6 });

/** A number, or the digits of one beyond what a number holds, or nothing. */
export function figure(value) {
  if (value === null || value === undefined) return "–";
  return typeof value === "string" ? value.replace(/\B(?=(\d{3})+$)/g, ",") : exact.format(value);
}

/** 12.5 %, from a share of one; nothing of nothing is no share. */
export const percent = (part, whole) => (whole > 0 ? `${exact.format(Math.round((1000 * part) / whole) / 10)} %` : "–");

/** A name from outside, in its own direction and no longer than a line. */
export const called = (name, most = 80) => h("bdi", { title: name.length > most ? printable(cut(name, 1000)) : null }, printable(cut(name, most)));

/** What a group is called: its value, what it lacks, or how many others it stands for. Different groups have different names. Where `areTexts`, no group is a number, a boolean, a list or an object. */
export function groupName(series, by, areTexts = false) {
  if ("other" in series) return `${figure(series.other)} more`;
  if (!("group" in series)) return "all";
  const none = `no ${by.slice(0, 40)}`;
  if (series.group === null) return none;
  if (typeof series.group !== "string") return JSON.stringify(series.group);
  // A text that looks like a number, like nothing, or like a name given here stands in quotation marks; so does one that has them itself.
  const isMistakable = (areTexts ? /^(?:all|[\d,]+ more|".*|\s*)$/s : /^(?:all|true|false|null|[\d,]+ more|[[{"].*|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\s*)$/s).test(series.group);
  return isMistakable || series.group === none ? JSON.stringify(series.group) : series.group;
}

/** A panel with the table. `head` are its columns, the first that of `rows[…][0]`; cells are texts or nodes, no figures are those before `texts`, or in the list of columns `texts`. */
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
      // No clipboard without a secure origin: select it, so that the keyboard can copy.
      getSelection().selectAllChildren(table);
      setText(copy, "Selected");
    }
    setTimeout(() => setText(copy, "Copy"), 1500);
  });
  return h("section", { class: "panel figures-panel", "aria-label": title },
    h("header", { class: "panel-head" }, h("h3", {}, title), copy),
    h("div", { class: "figures-frame", tabindex: "0", role: "region", "aria-label": `${title}, a table` }, table));
}
