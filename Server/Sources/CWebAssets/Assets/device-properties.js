// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The device's latest properties in groups, filtered by search words.

import { h } from "./dom.js";
import { formatNumber, pluralize, printable } from "./format.js";
import { valueNode, valueText } from "./property-values.js";

/** The groups of properties; a property belongs to the first group that matches. */
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

/** The properties panel. `onSearch(text)` is called when the search changes. */
export class DeviceProperties {
  #onSearch;
  #latest = {};
  #changes = new Map();
  #note = h("p", { class: "panel-note" });
  #input = h("input", { type: "search", class: "search", placeholder: "Name or value", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "Find properties and their changes by name or value" });
  #frame = h("div", { class: "properties-frame" });

  node = h("section", { class: "panel properties", "aria-label": "Properties" },
    h("header", { class: "panel-head" }, h("h2", {}, "Properties"), this.#note, h("div", { class: "search-frame", role: "search" }, this.#input)), this.#frame);

  constructor(onSearch) {
    this.#onSearch = onSearch;
    this.#input.addEventListener("input", () => this.#search());
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Escape" || this.#input.value === "") return;
      event.stopPropagation();
      this.#setSearch("");
    });
  }

  /** Shows the latest values and the history, newest first. */
  show(latest, history) {
    this.#latest = latest;
    this.#changes = new Map();
    for (const { changes } of history) {
      for (const { name, before } of changes) if (before !== null && before !== undefined) this.#changes.set(name, (this.#changes.get(name) ?? 0) + 1);
    }
    this.#render();
  }

  #setSearch(text) {
    this.#input.value = text;
    this.#search();
    this.#input.focus();
  }

  #search() {
    this.#render();
    this.#onSearch(this.#input.value);
  }

  #render() {
    const terms = searchWords(this.#input.value);
    const all = Object.entries(this.#latest).sort(([a], [b]) => (a < b ? -1 : 1));
    const found = all.filter(([name, value]) => matchesTerms(terms, name, valueText(value)));
    this.#note.textContent = found.length === all.length ? `${formatNumber(all.length)} known` : `${formatNumber(found.length)} of ${formatNumber(all.length)}`;
    if (found.length === 0) {
      this.#frame.replaceChildren(h("p", { class: "empty-note" }, all.length === 0 ? "No properties yet. They arrive with the device's first snapshot." : "No matching properties."));
      return;
    }
    const remaining = new Set(found);
    this.#frame.replaceChildren(h("table", { class: "detail-table properties-table" },
      h("thead", { class: "visually-hidden" }, h("tr", {}, h("th", { scope: "col" }, "Property"), h("th", { scope: "col" }, "Value"))),
      groups.map(([title, pattern]) => {
        const members = [...remaining].filter(([name]) => pattern.test(name));
        for (const entry of members) remaining.delete(entry);
        if (members.length === 0) return null;
        return h("tbody", {}, h("tr", {}, h("th", { scope: "rowgroup", colspan: "2", class: "property-group" }, title)), members.map((entry) => this.#row(entry)));
      })));
  }

  #row([name, value]) {
    const changes = this.#changes.get(name) ?? 0;
    return h("tr", {}, h("td", {}, h("code", {}, printable(name))), h("td", {}, valueNode(name, value),
      changes > 0 ? h("button", { type: "button", class: "link change-count", title: `Show changes of ${name}`, onclick: () => this.#setSearch(name) }, `changed ${changes === 1 ? "once" : pluralize(changes, "time")}`) : null));
  }
}

/** Returns the words of a text in lowercase. */
export const searchWords = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Returns whether every term (in lowercase) occurs in at least one of the texts, ignoring case. */
export const matchesTerms = (terms, ...texts) => terms.every((word) => texts.some((text) => text.toLowerCase().includes(word)));
