// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A person's consent decisions, latest first. Earlier decisions are loaded on request.

import { getJSON } from "./api.js";
import { h, setText } from "./dom.js";
import { formatDateTime, formatNumber, pluralize, printable, shortID, truncate } from "./format.js";
import { encodeQuery } from "./url.js";

/** The number of decisions shown at first, and the number that each further page adds. */
const initialCount = 5;
const pageSize = 50;
const maximumTextLength = 120;
/** The minimum interval between requests for new decisions, in milliseconds; each can search many events. */
const refreshInterval = 10_000;
const tones = { granted: "good", denied: "bad" };

/** The panel of one person. `openInstallation(id)` shows the installation on which a decision was made. */
export class ConsentDecisions {
  #openInstallation;
  #path = "";
  /** The loaded decisions by event id. */
  #decisions = new Map();
  /** The cursor after the oldest loaded decision; undefined if there are no more, null if nothing is loaded. */
  #next = null;
  #progress = null;
  #requestedAt = 0;

  #note = h("p", { class: "panel-note", role: "status" });
  #rows = h("tbody", {});
  #table = h("div", { class: "consent-frame", tabindex: "0", role: "group", "aria-label": "Consent decisions", hidden: true },
    h("table", { class: "detail-table consent-table" }, h("thead", {}, h("tr", {}, ["Decision", "For", "Source", "Version", "Time"].map((title) => h("th", { scope: "col" }, title)))), this.#rows));
  #more = h("button", { type: "button", class: "button small", onclick: () => this.#loadMore() }, "Load more");
  #footer = h("p", { class: "detail-table-more", hidden: true }, this.#more);
  node = h("section", { class: "panel consent", "aria-label": "Consent" }, h("header", { class: "panel-head" }, h("h2", {}, "Consent"), this.#note), this.#table, this.#footer);

  constructor(openInstallation) {
    this.#openInstallation = openInstallation;
  }

  /** Shows the decisions of the person at this path, such as `/v1/users/carl`, or loads new ones if it is shown already. */
  async refresh(path) {
    if (path !== this.#path) {
      this.#path = path;
      this.#decisions.clear();
      this.#next = null;
      this.#progress = null;
      this.#table.hidden = this.#footer.hidden = true;
      setText(this.#note, "Loading…");
    } else if (performance.now() - this.#requestedAt < refreshInterval) {
      return;
    }
    this.#requestedAt = performance.now();
    await this.#load(null);
  }

  /** Forgets the person, because another one is shown. */
  reset() {
    this.#path = "";
  }

  async #loadMore() {
    this.#more.disabled = true;
    await this.#load(this.#next);
    this.#more.disabled = false;
  }

  async #load(after) {
    const path = this.#path;
    try {
      const page = await getJSON(`${path}/consent?${encodeQuery([["limit", String(after === null ? initialCount : pageSize)], ...(after === null ? [] : [["after", after]])])}`);
      if (path !== this.#path) return;
      const knownCount = this.#decisions.size;
      for (const decision of page.decisions) this.#decisions.set(decision.id, decision);
      // Repeating the first page must not return to the start of the list.
      if (after !== null || this.#next === null) {
        this.#next = page.next;
        this.#progress = { searched: (after === null ? 0 : this.#progress?.searched ?? 0) + page.searched, of: page.of };
      }
      if (knownCount !== this.#decisions.size || this.#rows.childElementCount !== knownCount) this.#draw();
      this.#updateNote();
    } catch (error) {
      if (path !== this.#path) return;
      // Without decisions, the reason is shown; otherwise they remain, and the connection state shows the problem.
      if (error.status === 501) setText(this.#note, "Decisions are not available in this cluster.");
      else if (error.status === 404) setText(this.#note, "No decisions.");
      else if (this.#decisions.size === 0) setText(this.#note, error.status ? error.message : "The collector is not responding.");
    }
  }

  #draw() {
    const decisions = [...this.#decisions.values()].sort((a, b) => b.time - a.time);
    const focused = this.#rows.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    this.#rows.replaceChildren(...decisions.map((decision) => this.#row(decision)));
    if (focused !== undefined) this.#rows.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    this.#table.hidden = decisions.length === 0;
  }

  #updateNote() {
    const count = this.#decisions.size;
    const hasMore = this.#next !== undefined && this.#next !== null;
    const { searched, of } = this.#progress;
    this.#footer.hidden = !hasMore;
    if (count > 0) setText(this.#note, `${hasMore ? `latest ${formatNumber(count)} decisions` : pluralize(count, "decision")}, latest first`);
    else setText(this.#note, hasMore ? `No decisions in the latest ${formatNumber(searched)} of ${pluralize(of, "event")}.` : "No decisions recorded.");
  }

  #row({ id, time, decision, scope, category, source, version, visit, installation }) {
    const text = (value) => (typeof value === "string" && value !== "" ? h("bdi", { title: value.length > maximumTextLength ? printable(truncate(value, 1000)) : null }, printable(truncate(value, maximumTextLength))) : h("span", { class: "muted" }, "–"));
    const name = typeof decision === "string" && decision !== "" ? decision : "unknown";
    return h("tr", {},
      h("td", {}, h("span", { class: `badge ${tones[name] ?? "neutral"}` }, printable(truncate(name, 24))), visit ? " " : null, visit ? h("span", { class: "badge user-timeline-anonymous" }, "before sign-in") : null),
      h("td", {}, category === undefined ? "all categories" : text(category), h("small", {}, scope === undefined ? "" : ` ${scope === "device" ? "on the device" : scope === "person" ? "for the person" : printable(truncate(String(scope), 24))}`)),
      h("td", { "data-label": "Source" }, text(source)),
      h("td", { "data-label": "Version" }, text(version)),
      h("td", { class: "detail-table-date", title: formatDateTime(time) }, formatDateTime(time).slice(0, 16),
        installation ? h("small", {}, " on ", h("button", { type: "button", class: "link", title: installation, "data-key": `consent:${id}`, onclick: () => this.#openInstallation(installation) }, shortID(installation))) : null));
  }
}
