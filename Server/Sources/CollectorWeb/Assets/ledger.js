// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The ledger: per installation, what its processes recorded against what arrived, with the gaps in place.

import { byId, h, s, setText } from "./dom.js";
import { ago, counted, dateAndClock, number, shortID } from "./format.js";
import { printable } from "./stream.js";

const mostAccounts = 200;
const mostGaps = 12;
const mostErasures = 20;
const strip = 1000;

/** The list of installations. `choose(installation)` filters the stream by one. */
export class Ledger {
  #choose;
  #open = new Set();
  #last = "";

  constructor(choose) {
    this.#choose = choose;
  }

  /** Takes the ledger endpoint's answer. Returns how many events are missing, as far as it tells. */
  show({ writers: rows, total, erasures = [] }, now) {
    const accounts = grouped(rows);
    const missing = accounts.reduce((sum, account) => sum + account.missing, 0);
    const state = JSON.stringify([rows, total, erasures]) + Math.floor(now / 10_000);
    if (state === this.#last) return missing;
    this.#last = state;
    const recorded = accounts.reduce((sum, account) => sum + account.recorded, 0);
    const untold = total > rows.length ? `, the last ${number(rows.length)} of ${number(total)} processes` : "";
    setText(byId("ledger-note"), accounts.length === 0 ? "" : `${counted(recorded, "event")} recorded by ${counted(accounts.length, "installation")}${untold}`);
    this.#showErasures(erasures, now);
    const list = byId("accounts");
    if (accounts.length === 0) {
      list.replaceChildren(h("li", { class: "nothing" }, "No installation has reported yet. An SDK's first batch opens its account here."));
      return missing;
    }
    const focused = document.activeElement?.closest?.("[data-installation]")?.dataset.installation;
    const wasSummary = document.activeElement?.tagName === "SUMMARY";
    list.replaceChildren(...accounts.slice(0, mostAccounts).map((account) => this.#entry(account, now)));
    if (accounts.length > mostAccounts) list.append(h("li", { class: "nothing" }, `and ${counted(accounts.length - mostAccounts, "installation")} more, all in order or seen longer ago`));
    if (focused && wasSummary) list.querySelector(`[data-installation="${CSS.escape(focused)}"] summary`)?.focus();
    return missing;
  }

  /** Installations that were erased, and what is not kept because of that. */
  #showErasures(erasures, now) {
    const part = byId("erasures");
    part.hidden = erasures.length === 0;
    const events = erasures.reduce((sum, erasure) => sum + erasure.events, 0);
    byId("erasures-list").replaceChildren(...erasures.slice(0, mostErasures).map((erasure) => h("li", {},
      h("span", { class: "account-line" },
        h("code", { class: "account-id", title: erasure.installation }, shortID(erasure.installation)),
        h("span", { class: "badge" }, erasure.by === "operator" ? "by an operator" : "by itself"),
        h("span", { class: "account-seen", title: dateAndClock(erasure.erased) }, ago(erasure.erased, now))),
      h("span", { class: "account-sum" }, h("span", {}, h("b", {}, number(erasure.events)), " events removed or not taken")))));
    const more = erasures.length - mostErasures;
    setText(byId("erasures-title"), `Erased: ${counted(erasures.length, "installation")}, ${counted(events, "event")}${more > 0 ? ` (the last ${mostErasures} are shown)` : ""}`);
  }

  #entry(account, now) {
    const details = h(
      "details",
      { open: this.#open.has(account.installation) },
      h(
        "summary",
        {},
        h("span", { class: "account-line" },
          h("code", { class: "account-id", title: account.installation }, shortID(account.installation)),
          h("span", { class: `badge ${account.standing.kind}` }, account.standing.text),
          h("span", { class: "account-seen" }, ago(account.last, now))),
        bar(account.writers),
        h("span", { class: "account-sum" }, sums(account)),
      ),
      h("div", { class: "writers" },
        account.writers.map((writer) => this.#writer(writer)),
        h("button", { type: "button", class: "link", onclick: () => this.#choose(account.installation) }, "Show its events")),
    );
    details.addEventListener("toggle", () => {
      if (details.open) this.#open.add(account.installation);
      else this.#open.delete(account.installation);
    });
    return h("li", { class: "account", "data-installation": account.installation }, details);
  }

  #writer(writer) {
    const holes = writer.gaps.slice(0, mostGaps).map(([first, last]) =>
      h("li", { class: last === writer.recorded ? "tail" : null }, first === last ? number(first) : `${number(first)}–${number(last)}`));
    if (writer.gaps.length > mostGaps) holes.push(h("li", {}, `+${writer.gaps.length - mostGaps} more`));
    return h("div", { class: "writer" },
      h("p", {}, "Process ", h("code", { title: writer.writer }, shortID(writer.writer)), ` recorded ${number(writer.recorded)}`),
      h("p", { class: "account-sum" }, sums(writer)),
      holes.length > 0 ? h("div", { class: "holes" }, h("span", {}, "Not here: "), h("ul", {}, holes)) : null);
  }
}

/** Rows by installation, with the troubled ones first, then those seen last. */
export function grouped(rows) {
  const accounts = new Map();
  for (const row of rows) {
    const writer = reckoned(row);
    const account = accounts.get(row.installation) ?? {
      installation: row.installation, writers: [], recorded: 0, received: 0, rejected: 0, duplicates: 0, skipped: 0, dropped: {}, missing: 0, waiting: 0, last: 0,
    };
    account.writers.push(writer);
    for (const key of ["recorded", "received", "rejected", "duplicates", "skipped", "missing", "waiting"]) account[key] += writer[key];
    for (const [reason, count] of Object.entries(writer.dropped)) account.dropped[reason] = (account.dropped[reason] ?? 0) + count;
    account.last = Math.max(account.last, writer.last);
    accounts.set(row.installation, account);
  }
  const list = [...accounts.values()];
  for (const account of list) account.standing = standing(account);
  return list.sort((a, b) => (b.missing > 0) - (a.missing > 0) || b.last - a.last);
}

/** A row with its gaps told apart: numbers still on the device (at the end) and numbers missing in between. */
function reckoned(row) {
  const filled = { rejected: 0, duplicates: 0, skipped: 0, dropped: {}, gaps: [], ...row, last: row.last_received ?? 0 };
  let missing = 0;
  let waiting = 0;
  for (const [first, last] of filled.gaps) {
    if (last === filled.recorded) waiting += last - first + 1;
    else missing += last - first + 1;
  }
  return { ...filled, missing, waiting };
}

function standing(account) {
  if (account.missing > 0) return { kind: "bad", text: `${number(account.missing)} missing` };
  if (account.waiting > 0) return { kind: "wait", text: `${number(account.waiting)} on the way` };
  return { kind: "good", text: "complete" };
}

function sums(entry) {
  const parts = [h("span", {}, h("b", {}, number(entry.received)), ` of ${number(entry.recorded)} received`)];
  for (const [reason, count] of Object.entries(entry.dropped)) {
    if (count > 0) parts.push(h("span", { class: "is-dropped" }, h("b", {}, number(count)), ` dropped: ${printable(reason).replaceAll("_", " ")}`));
  }
  if (entry.rejected > 0) parts.push(h("span", { class: "is-rejected" }, h("b", {}, number(entry.rejected)), " refused"));
  if (entry.skipped > 0) parts.push(h("span", {}, h("b", {}, number(entry.skipped)), " for others"));
  if (entry.duplicates > 0) parts.push(h("span", {}, h("b", {}, number(entry.duplicates)), " arrived twice, kept once"));
  return parts;
}

/** The sequence numbers of all processes, end to end: received, dropped by the device, missing, still to come. */
function bar(writers) {
  const shapes = [];
  const all = writers.reduce((sum, writer) => sum + writer.recorded, 0);
  let from = 0;
  for (const writer of writers) {
    const at = (sequence) => ((from + sequence) / all) * strip;
    for (const [first, last] of writer.gaps) {
      const kind = last === writer.recorded ? "tail" : "hole";
      const x = at(first - 1);
      shapes.push(s("rect", { class: kind, x, y: 0, width: Math.max(at(last) - x, kind === "hole" ? 6 : 3), height: 6 }));
    }
    from += writer.recorded;
  }
  return s("svg", { class: "strip", viewBox: `0 0 ${strip} 6`, preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "here", x: 0, y: 0, width: strip, height: 6 }), shapes);
}
