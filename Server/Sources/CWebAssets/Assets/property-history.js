// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The history of property changes: the property, the old and new values, and the time.

import { matchesTerms, searchWords } from "./device-properties.js";
import { h } from "./dom.js";
import { formatDateTime, formatNumber, pluralize, printable, timeAgo } from "./format.js";
import { valueText } from "./property-values.js";

/** The maximum number of entries shown; a search covers all entries. */
const maximumEntries = 100;

/** The panel with the history of property changes. */
export class PropertyHistory {
  #history = [];
  #search = "";
  #expanded = new Set();
  #note = h("p", { class: "panel-note" });
  #list = h("ol", { class: "property-history-list" });

  node = h("section", { class: "panel property-history", "aria-label": "Property history" },
    h("header", { class: "panel-head" }, h("h2", {}, "History"), this.#note), this.#list);

  /** Shows the history, newest first. */
  show(history) {
    this.#history = history;
    this.#render();
  }

  /** Shows only entries that match these words. */
  filter(search) {
    this.#search = search;
    this.#render();
  }

  #render() {
    const terms = searchWords(this.#search);
    const now = Date.now();
    const matching = this.#history
      .map((entry) => ({ at: entry.at, changes: entry.changes.filter(({ name, before, after }) => matchesTerms(terms, name, valueText(before), valueText(after))) }))
      .filter((entry) => entry.changes.length > 0);
    const more = matching.length - maximumEntries;
    this.#note.textContent = this.#history.length === 0 ? "" : terms.length > 0 ? `${formatNumber(matching.length)} of ${formatNumber(this.#history.length)}, newest first` : "newest first";
    if (matching.length === 0) {
      this.#list.replaceChildren(h("li", { class: "empty-note" }, this.#history.length === 0 ? "No changes yet. Differences between snapshots appear here." : "No matching changes."));
      return;
    }
    this.#list.replaceChildren(...matching.slice(0, maximumEntries).map((entry) => this.#entryItem(entry, terms.length > 0, now)),
      ...(more > 0 ? [h("li", { class: "empty-note" }, `${pluralize(more, "older entry", "older entries")}; search to find them.`)] : []));
  }

  #entryItem({ at, changes }, isFiltered, now) {
    const time = h("span", { class: "change-time", title: formatDateTime(at) }, formatDateTime(at).slice(0, 19), h("small", {}, ` ${timeAgo(at, now)}`));
    const list = () => h("dl", { class: "change-rows" }, changes.map(changeRow));
    const isFirstReport = changes.length > 3 && changes.every(({ before }) => before === null || before === undefined);
    if (!isFirstReport || isFiltered) return h("li", { class: "change-entry" }, h("p", { class: "change-head" }, time), list());
    // A device's first report is long and contains no changes, so the report is collapsed.
    const details = h("details", { open: this.#expanded.has(at), ontoggle: () => (details.open ? this.#expanded.add(at) : this.#expanded.delete(at)) },
      h("summary", { class: "change-head" }, time, h("span", { class: "change-first" }, `${formatNumber(changes.length)} reported for the first time`)), list());
    return h("li", { class: "change-entry" }, details);
  }
}

function changeRow({ name, before, after }) {
  const text = (value) => printable(valueText(value) || "empty");
  const isNew = before === null || before === undefined;
  const isRemoved = after === null || after === undefined;
  return h("div", {}, h("dt", {}, h("code", {}, printable(name))), h("dd", {},
    isNew ? null : h("del", {}, h("span", { class: "visually-hidden" }, "was "), text(before)),
    isNew || isRemoved ? null : h("span", { class: "arrow", "aria-hidden": "true" }, " → "),
    isRemoved ? h("span", { class: "muted" }, " no longer reported") : h("ins", {}, h("span", { class: "visually-hidden" }, isNew ? "new " : "now "), text(after))));
}
