// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The device's latest properties in groups, filtered by search words.

import { h } from "./dom.js";
import { counted, number } from "./format.js";
import { printable } from "./stream.js";
import { valueNode, valueText } from "./values.js";

/** The groups of properties; the first match counts. */
const groups = [
  ["App", /^(app_|sdk_)/],
  ["Signs of a modified device", /^evidence_/],
  ["Device", /^(device_(name|model|localized_model|hardware|screen|if[av]$|host|memory|package|page|tb_)|initial_device_|is_simulator)/],
  ["System", /^device_(system|os|kernel|posix)/],
  ["Processor", /^cpu_/],
  ["Caches and buses", /^(cache|bus)_/],
  ["Mobile network", /^mobile_/],
  ["Other", /^/],
];

/** The panel; `filtered(line)` is called when the search changes. */
export class Properties {
  #filtered;
  #latest = {};
  #changes = new Map();
  #note = h("p", { class: "panel-note" });
  #input = h("input", { type: "search", class: "search", placeholder: "Name or value", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "Find properties and their changes by name or value" });
  #frame = h("div", { class: "properties-frame" });

  node = h("section", { class: "panel properties", "aria-label": "Properties" },
    h("header", { class: "panel-head" }, h("h2", {}, "Properties"), this.#note, h("div", { class: "search-frame", role: "search" }, this.#input)), this.#frame);

  constructor(filtered) {
    this.#filtered = filtered;
    this.#input.addEventListener("input", () => this.#find());
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.#input.value === "") return;
      event.stopPropagation();
      this.#look("");
    });
  }

  /** Shows the latest values and the history, newest first. */
  show(latest, history) {
    this.#latest = latest;
    this.#changes = new Map();
    for (const { changes } of history) {
      for (const { name, before } of changes) if (before !== null && before !== undefined) this.#changes.set(name, (this.#changes.get(name) ?? 0) + 1);
    }
    this.#draw();
  }

  #look(line) {
    this.#input.value = line;
    this.#find();
    this.#input.focus();
  }

  #find() {
    this.#draw();
    this.#filtered(this.#input.value);
  }

  #draw() {
    const wanted = words(this.#input.value);
    const all = Object.entries(this.#latest).sort(([a], [b]) => (a < b ? -1 : 1));
    const found = all.filter(([name, value]) => matches(wanted, name, valueText(value)));
    this.#note.textContent = found.length === all.length ? `${number(all.length)} known` : `${number(found.length)} of ${number(all.length)}`;
    if (found.length === 0) {
      this.#frame.replaceChildren(h("p", { class: "nothing" }, all.length === 0 ? "No properties yet. They arrive with the device's first snapshot." : "No matching properties."));
      return;
    }
    const left = new Set(found);
    this.#frame.replaceChildren(h("table", { class: "told properties-table" },
      h("thead", { class: "visually-hidden" }, h("tr", {}, h("th", { scope: "col" }, "Property"), h("th", { scope: "col" }, "Value"))),
      groups.map(([title, pattern]) => {
        const members = [...left].filter(([name]) => pattern.test(name));
        for (const entry of members) left.delete(entry);
        if (members.length === 0) return null;
        return h("tbody", {}, h("tr", {}, h("th", { scope: "rowgroup", colspan: "2", class: "group-title" }, title)), members.map((entry) => this.#row(entry)));
      })));
  }

  #row([name, value]) {
    const changes = this.#changes.get(name) ?? 0;
    return h("tr", {}, h("td", {}, h("code", {}, printable(name))), h("td", {}, valueNode(name, value),
      changes > 0 ? h("button", { type: "button", class: "link changed-note", title: `Show changes of ${name}`, onclick: () => this.#look(name) }, `changed ${changes === 1 ? "once" : counted(changes, "time")}`) : null));
  }
}

/** Returns the words of a line, in lower case. */
export const words = (line) => line.toLowerCase().split(/\s+/).filter(Boolean);

/** Returns whether each word occurs in one of the strings. */
export const matches = (wanted, ...texts) => wanted.every((word) => texts.some((text) => text.toLowerCase().includes(word)));
