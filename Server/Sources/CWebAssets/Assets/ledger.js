// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The ledger: for each installation, the events recorded by its processes and the events received, with the gaps
// between them.

import { errorMessage, getJSON } from "./api.js";
import { byId, h, s, setText } from "./dom.js";
import { formatDateTime, formatNumber, pluralize, printable, shortID, timeAgo } from "./format.js";

const pageSize = 200;
const worstCount = 10;
const maximumGaps = 12;
const maximumErasures = 20;
const barWidth = 1000;

/**
 * The ledger. `onFilter(installation)` filters the live events by an installation, `onShowAll()` shows the full ledger.
 */
export class Ledger {
  #onFilter;
  #onShowAll;
  #expanded = new Set();
  #drawnState = "";
  /** The number of loaded pages. */
  #pages = 1;

  constructor(onFilter, onShowAll) {
    this.#onFilter = onFilter;
    this.#onShowAll = onShowAll;
  }

  /**
   * Loads and draws the ledger. The panel next to the events shows the totals and the worst installations; the ledger's
   * own tab (`isFull`) shows the totals and all installations, page by page. Returns the number of missing events.
   */
  async refresh(isFull, now) {
    const [summary, full] = await Promise.all([getJSON(`/v1/ledger/summary?worst=${worstCount}`), isFull ? this.#loadPages() : null]);
    const state = JSON.stringify([summary, full?.writers, full?.next, full?.erasures, isFull]) + Math.floor(now / 10_000);
    if (state !== this.#drawnState) {
      this.#drawnState = state;
      this.#render(summary, full, now);
    }
    return summary.missing;
  }

  /** Keeps the last contents; if there are none, shows the error instead. */
  showError(error) {
    if (this.#drawnState === "") byId("ledger-list").replaceChildren(h("li", { class: "empty-note error" }, errorMessage(error)));
  }

  /** Loads the requested pages, with the most recently started processes first. */
  async #loadPages() {
    const response = await getJSON(`/v1/ledger?limit=${pageSize}`);
    for (let page = 1; page < this.#pages && response.next !== undefined; page += 1) {
      const { writers, next } = await getJSON(`/v1/ledger?limit=${pageSize}&after=${response.next}`);
      response.writers.push(...writers);
      response.next = next;
    }
    return response;
  }

  #render(summary, full, now) {
    const entries = groupByInstallation(full?.writers ?? summary.worst);
    const scope = summary.counted < summary.writers ? ` for the last ${formatNumber(summary.counted)} of ${formatNumber(summary.writers)} processes` : "";
    setText(byId("ledger-note"), summary.writers === 0 ? "" : `${pluralize(summary.recorded, "event")} recorded by ${pluralize(summary.writers, "process", "processes")}`);
    this.#renderErasures(full?.erasures ?? [], now);
    const list = byId("ledger-list");
    if (summary.writers === 0) {
      list.replaceChildren(h("li", { class: "empty-note" }, "No data yet. Installations appear here after their first batch."));
      return;
    }
    const focused = document.activeElement?.closest?.("[data-installation]")?.dataset.installation;
    const wasSummary = document.activeElement?.tagName === "SUMMARY";
    const key = document.activeElement?.closest?.("#ledger-list [data-key]")?.dataset.key;
    const button = (name, text, action) => h("li", { class: "empty-note" }, h("button", { type: "button", class: "button small", "data-key": name, onclick: action }, text));
    list.replaceChildren(
      this.#totals(summary, scope),
      ...(full !== null ? [] : [h("li", { class: "ledger-heading" }, h("h3", {}, entries.length === 0 ? "No missing events" : entries.length === worstCount ? `Top ${worstCount} by missing events` : "Installations with missing events"))]),
      ...entries.map((entry) => this.#entryItem(entry, now)),
      ...(full === null ? [button("all", "Show all installations", this.#onShowAll)] : full.next === undefined ? [] : [button("older", "Load older", () => {
        this.#pages += 1;
        this.#drawnState = "";
        this.refresh(true, Date.now()).catch(() => {});
      })]));
    if (focused && wasSummary) list.querySelector(`[data-installation="${CSS.escape(focused)}"] summary`)?.focus();
    else if (key) list.querySelector(`[data-key="${key}"]`)?.focus();
  }

  /** Draws the ledger's totals. */
  #totals(summary, scope) {
    const dropped = Object.values(summary.dropped).reduce((sum, count) => sum + count, 0);
    const facts = [["received", summary.received, ""], ["missing", summary.missing, summary.missing > 0 ? "is-missing" : ""], ["in transit", summary.waiting, ""], ["dropped by devices", dropped, ""], ["rejected", summary.rejected, ""], ["duplicates", summary.duplicates, ""]];
    if (summary.expired > 0) facts.splice(1, 0, ["expired", summary.expired, ""]);
    return h("li", { class: "ledger-sums" },
      h("dl", {}, facts.map(([name, value, kind]) => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, formatNumber(value))))),
      scope === "" ? null : h("p", { class: "panel-note" }, `Totals${scope}.`));
  }

  /** Draws erased installations with the number of events that were removed or rejected as a result. */
  #renderErasures(erasures, now) {
    const scope = byId("erasures");
    scope.hidden = erasures.length === 0;
    const events = erasures.reduce((sum, erasure) => sum + erasure.events, 0);
    byId("erasures-list").replaceChildren(...erasures.slice(0, maximumErasures).map((erasure) => h("li", {},
      h("span", { class: "item-line" },
        h("code", { class: "ledger-id", title: erasure.installation }, shortID(erasure.installation)),
        h("span", { class: "badge" }, erasure.by === "operator" ? "by an operator" : "by the installation"),
        h("span", { class: "item-time", title: formatDateTime(erasure.erased) }, timeAgo(erasure.erased, now))),
      h("span", { class: "ledger-counts" }, h("span", {}, h("b", {}, formatNumber(erasure.events)), " events removed or rejected")))));
    const more = erasures.length - maximumErasures;
    setText(byId("erasures-title"), `Erased: ${pluralize(erasures.length, "installation")}, ${pluralize(events, "event")}${more > 0 ? ` (the last ${maximumErasures} are shown)` : ""}`);
  }

  #entryItem(entry, now) {
    const details = h(
      "details",
      { open: this.#expanded.has(entry.installation) },
      h(
        "summary",
        {},
        h("span", { class: "item-line" },
          h("code", { class: "ledger-id", title: entry.installation }, shortID(entry.installation)),
          h("span", { class: `badge ${entry.status.kind}` }, entry.status.text),
          h("span", { class: "item-time", title: formatDateTime(entry.last) }, timeAgo(entry.last, now))),
        bar(entry.writers),
        h("span", { class: "ledger-counts" }, countNodes(entry)),
      ),
      h("div", { class: "writers" },
        entry.writers.map((writer) => this.#writerDetails(writer)),
        h("button", { type: "button", class: "link", onclick: () => this.#onFilter(entry.installation) }, "Show events")),
    );
    details.addEventListener("toggle", () => {
      if (details.open) this.#expanded.add(entry.installation);
      else this.#expanded.delete(entry.installation);
    });
    return h("li", { class: "ledger-item", "data-installation": entry.installation }, details);
  }

  #writerDetails(writer) {
    const gapItems = writer.gaps.slice(0, maximumGaps).map(([first, last]) =>
      h("li", { class: last === writer.recorded ? "in-transit" : null }, first === last ? formatNumber(first) : `${formatNumber(first)}–${formatNumber(last)}`));
    if (writer.gaps.length > maximumGaps) gapItems.push(h("li", {}, `+${writer.gaps.length - maximumGaps} more`));
    return h("div", { class: "writer" },
      h("p", {}, "Process ", h("code", { title: writer.writer }, shortID(writer.writer)), ` recorded ${formatNumber(writer.recorded)}`),
      h("p", { class: "ledger-counts" }, countNodes(writer)),
      gapItems.length > 0 ? h("div", { class: "gaps" }, h("span", {}, "Missing: "), h("ul", {}, gapItems)) : null);
  }
}

/** Groups rows by installation: installations with missing events first, then by last arrival. */
export function groupByInstallation(rows) {
  const entries = new Map();
  for (const row of rows) {
    const writer = withGapCounts(row);
    const entry = entries.get(row.installation) ?? {
      installation: row.installation, writers: [], recorded: 0, received: 0, expired: 0, rejected: 0, duplicates: 0, skipped: 0, dropped: {}, missing: 0, waiting: 0, last: 0,
    };
    entry.writers.push(writer);
    for (const key of ["recorded", "received", "expired", "rejected", "duplicates", "skipped", "missing", "waiting"]) entry[key] += writer[key];
    for (const [reason, count] of Object.entries(writer.dropped)) entry.dropped[reason] = (Object.hasOwn(entry.dropped, reason) ? entry.dropped[reason] : 0) + count;
    entry.last = Math.max(entry.last, writer.last);
    entries.set(row.installation, entry);
  }
  const list = [...entries.values()];
  for (const entry of list) entry.status = statusOf(entry);
  return list.sort((a, b) => (b.missing > 0) - (a.missing > 0) || b.last - a.last);
}

/**
 * Counts the sequence numbers in a row's gaps: those in a gap at the end are still on the device, and all others are
 * missing.
 */
function withGapCounts(row) {
  const filled = { expired: 0, rejected: 0, duplicates: 0, skipped: 0, dropped: {}, gaps: [], ...row, last: row.last_received ?? 0 };
  let missing = 0;
  let waiting = 0;
  for (const [first, last] of filled.gaps) {
    if (last === filled.recorded) waiting += last - first + 1;
    else missing += last - first + 1;
  }
  return { ...filled, missing, waiting };
}

function statusOf(entry) {
  if (entry.missing > 0) return { kind: "bad", text: `${formatNumber(entry.missing)} missing` };
  if (entry.waiting > 0) return { kind: "info", text: `${formatNumber(entry.waiting)} in transit` };
  return { kind: "good", text: "complete" };
}

function countNodes(entry) {
  const parts = [h("span", {}, h("b", {}, formatNumber(entry.received)), ` of ${formatNumber(entry.recorded)} received`)];
  for (const [reason, count] of Object.entries(entry.dropped)) {
    if (count > 0) parts.push(h("span", { class: "is-dropped" }, h("b", {}, formatNumber(count)), ` dropped: ${printable(reason).replaceAll("_", " ")}`));
  }
  if (entry.expired > 0) parts.push(h("span", {}, h("b", {}, formatNumber(entry.expired)), " expired"));
  if (entry.rejected > 0) parts.push(h("span", { class: "is-rejected" }, h("b", {}, formatNumber(entry.rejected)), " rejected"));
  if (entry.skipped > 0) parts.push(h("span", {}, h("b", {}, formatNumber(entry.skipped)), " for other destinations"));
  if (entry.duplicates > 0) parts.push(h("span", {}, h("b", {}, formatNumber(entry.duplicates)), " duplicates"));
  return parts;
}

/** Draws the sequence numbers of all processes, end to end: received, dropped by the device, missing, in transit. */
function bar(writers) {
  const shapes = [];
  const total = writers.reduce((sum, writer) => sum + writer.recorded, 0);
  let from = 0;
  for (const writer of writers) {
    const at = (sequence) => ((from + sequence) / total) * barWidth;
    for (const [first, last] of writer.gaps) {
      const kind = last === writer.recorded ? "in-transit" : "gap";
      const x = at(first - 1);
      shapes.push(s("rect", { class: kind, x, y: 0, width: Math.max(at(last) - x, kind === "gap" ? 6 : 3), height: 6 }));
    }
    from += writer.recorded;
  }
  return s("svg", { class: "sequence-bar", viewBox: `0 0 ${barWidth} 6`, preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "received", x: 0, y: 0, width: barWidth, height: 6 }), shapes);
}
