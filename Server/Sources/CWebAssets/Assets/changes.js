// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The history of property changes: the property, the old and new values, and the time.

import { h } from "./dom.js";
import { ago, counted, dateAndClock, number } from "./format.js";
import { matches, words } from "./properties.js";
import { printable } from "./stream.js";
import { valueText } from "./values.js";

/** The maximum entries shown; a search covers all. */
const mostShown = 100;

/** The panel with the history. */
export class Changes {
  #history = [];
  #line = "";
  #open = new Set();
  #note = h("p", { class: "panel-note" });
  #list = h("ol", { class: "changes-list" });

  node = h("section", { class: "panel changes", "aria-label": "Property history" },
    h("header", { class: "panel-head" }, h("h2", {}, "History"), this.#note), this.#list);

  /** Shows the history, newest first. */
  show(history) {
    this.#history = history;
    this.#draw();
  }

  /** Shows only entries that match these words. */
  filter(line) {
    this.#line = line;
    this.#draw();
  }

  #draw() {
    const wanted = words(this.#line);
    const now = Date.now();
    const found = this.#history
      .map((entry) => ({ at: entry.at, changes: entry.changes.filter(({ name, before, after }) => matches(wanted, name, valueText(before), valueText(after))) }))
      .filter((entry) => entry.changes.length > 0);
    const more = found.length - mostShown;
    this.#note.textContent = this.#history.length === 0 ? "" : wanted.length > 0 ? `${number(found.length)} of ${number(this.#history.length)}, newest first` : "newest first";
    if (found.length === 0) {
      this.#list.replaceChildren(h("li", { class: "nothing" }, this.#history.length === 0 ? "No changes yet. Differences between snapshots appear here." : "No matching changes."));
      return;
    }
    this.#list.replaceChildren(...found.slice(0, mostShown).map((entry) => this.#entry(entry, wanted.length > 0, now)),
      ...(more > 0 ? [h("li", { class: "nothing" }, `${counted(more, "older entry", "older entries")}; search to find them.`)] : []));
  }

  #entry({ at, changes }, isFiltered, now) {
    const time = h("span", { class: "change-time", title: dateAndClock(at) }, dateAndClock(at).slice(0, 19), h("small", {}, ` ${ago(at, now)}`));
    const list = () => h("dl", { class: "change-rows" }, changes.map(change));
    const isFirst = changes.length > 3 && changes.every(({ before }) => before === null || before === undefined);
    if (!isFirst || isFiltered) return h("li", { class: "change-entry" }, h("p", { class: "change-head" }, time), list());
    // A device's first report is long and contains no changes, so it is collapsed.
    const details = h("details", { open: this.#open.has(at), ontoggle: () => (details.open ? this.#open.add(at) : this.#open.delete(at)) },
      h("summary", { class: "change-head" }, time, h("span", { class: "change-first" }, `${number(changes.length)} reported for the first time`)), list());
    return h("li", { class: "change-entry" }, details);
  }
}

function change({ name, before, after }) {
  const text = (value) => printable(valueText(value) || "empty");
  const isNew = before === null || before === undefined;
  const isGone = after === null || after === undefined;
  return h("div", {}, h("dt", {}, h("code", {}, printable(name))), h("dd", {},
    isNew ? null : h("del", {}, h("span", { class: "visually-hidden" }, "was "), text(before)),
    isNew || isGone ? null : h("span", { class: "arrow", "aria-hidden": "true" }, " → "),
    isGone ? h("span", { class: "quiet-text" }, " no longer reported") : h("ins", {}, h("span", { class: "visually-hidden" }, isNew ? "new " : "now "), text(after))));
}
