// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The ledger: per installation, the events its processes recorded and those received, with the gaps in place.

import { ask, whyNot } from "./ask.js";
import { byId, h, s, setText } from "./dom.js";
import { ago, counted, dateAndClock, number, shortID } from "./format.js";
import { printable } from "./stream.js";

const pageSize = 200;
const mostWorst = 10;
const mostGaps = 12;
const mostErasures = 20;
const strip = 1000;

/** The ledger. `choose(installation)` filters the stream by an installation, `open()` shows the full ledger. */
export class Ledger {
  #choose;
  #openAll;
  #open = new Set();
  #last = "";
  /** The number of loaded pages of accounts. */
  #pages = 1;

  constructor(choose, openAll) {
    this.#choose = choose;
    this.#openAll = openAll;
  }

  /**
   * Loads and draws: next to the events the totals and the worst accounts, in its own tab (`isWhole`) all accounts. Returns the number of
   * missing events.
   */
  async look(isWhole, now) {
    const [summary, whole] = await Promise.all([ask(`/v1/ledger/summary?worst=${mostWorst}`), isWhole ? this.#whole() : null]);
    const state = JSON.stringify([summary, whole?.writers, whole?.next, whole?.erasures, isWhole]) + Math.floor(now / 10_000);
    if (state !== this.#last) {
      this.#last = state;
      this.#show(summary, whole, now);
    }
    return summary.missing;
  }

  /** Keeps the last drawing; if there is none, shows the reason instead. */
  fail(error) {
    if (this.#last === "") byId("accounts").replaceChildren(h("li", { class: "nothing wrong" }, whyNot(error)));
  }

  /** Loads the requested pages, most recently started processes first. */
  async #whole() {
    const answer = await ask(`/v1/ledger?limit=${pageSize}`);
    for (let page = 1; page < this.#pages && answer.next !== undefined; page += 1) {
      const { writers, next } = await ask(`/v1/ledger?limit=${pageSize}&after=${answer.next}`);
      answer.writers.push(...writers);
      answer.next = next;
    }
    return answer;
  }

  #show(summary, whole, now) {
    const accounts = grouped(whole?.writers ?? summary.worst);
    const part = summary.counted < summary.writers ? `, of the last ${number(summary.counted)} of ${number(summary.writers)} processes` : "";
    setText(byId("ledger-note"), summary.writers === 0 ? "" : `${counted(summary.recorded, "event")} recorded by ${counted(summary.writers, "process", "processes")}`);
    this.#showErasures(whole?.erasures ?? [], now);
    const list = byId("accounts");
    if (summary.writers === 0) {
      list.replaceChildren(h("li", { class: "nothing" }, "No data yet. Installations appear here after their first batch."));
      return;
    }
    const focused = document.activeElement?.closest?.("[data-installation]")?.dataset.installation;
    const wasSummary = document.activeElement?.tagName === "SUMMARY";
    const key = document.activeElement?.closest?.("#accounts [data-key]")?.dataset.key;
    const button = (name, text, action) => h("li", { class: "nothing" }, h("button", { type: "button", class: "button small", "data-key": name, onclick: action }, text));
    list.replaceChildren(
      this.#sums(summary, part),
      ...(whole !== null ? [] : [h("li", { class: "account-title" }, h("h3", {}, accounts.length === 0 ? "No missing events" : accounts.length === mostWorst ? `Top ${mostWorst} by missing events` : "Installations with missing events"))]),
      ...accounts.map((account) => this.#entry(account, now)),
      ...(whole === null ? [button("all", "All installations", this.#openAll)] : whole.next === undefined ? [] : [button("older", "Older", () => {
        this.#pages += 1;
        this.#last = "";
        this.look(true, Date.now()).catch(() => {});
      })]));
    if (focused && wasSummary) list.querySelector(`[data-installation="${CSS.escape(focused)}"] summary`)?.focus();
    else if (key) list.querySelector(`[data-key="${key}"]`)?.focus();
  }

  /** Draws the totals. */
  #sums(summary, part) {
    const dropped = Object.values(summary.dropped).reduce((sum, count) => sum + count, 0);
    const facts = [["received", summary.received, ""], ["missing", summary.missing, summary.missing > 0 ? "is-missing" : ""], ["in transit", summary.waiting, ""], ["dropped by devices", dropped, ""], ["rejected", summary.rejected, ""], ["duplicates", summary.duplicates, ""]];
    return h("li", { class: "ledger-sums" },
      h("dl", {}, facts.map(([name, value, kind]) => h("div", { class: kind }, h("dt", {}, name), h("dd", {}, number(value))))),
      part === "" ? null : h("p", { class: "panel-note" }, `Totals${part}.`));
  }

  /** Draws erased installations, with the events removed because of that. */
  #showErasures(erasures, now) {
    const part = byId("erasures");
    part.hidden = erasures.length === 0;
    const events = erasures.reduce((sum, erasure) => sum + erasure.events, 0);
    byId("erasures-list").replaceChildren(...erasures.slice(0, mostErasures).map((erasure) => h("li", {},
      h("span", { class: "account-line" },
        h("code", { class: "account-id", title: erasure.installation }, shortID(erasure.installation)),
        h("span", { class: "badge" }, erasure.by === "operator" ? "by an operator" : "by the installation"),
        h("span", { class: "account-seen", title: dateAndClock(erasure.erased) }, ago(erasure.erased, now))),
      h("span", { class: "account-sum" }, h("span", {}, h("b", {}, number(erasure.events)), " events removed or rejected")))));
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
        h("button", { type: "button", class: "link", onclick: () => this.#choose(account.installation) }, "Show events")),
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
      holes.length > 0 ? h("div", { class: "holes" }, h("span", {}, "Missing: "), h("ul", {}, holes)) : null);
  }
}

/** Groups rows by installation: those with missing events first, then by last arrival. */
export function grouped(rows) {
  const accounts = new Map();
  for (const row of rows) {
    const writer = reckoned(row);
    const account = accounts.get(row.installation) ?? {
      installation: row.installation, writers: [], recorded: 0, received: 0, rejected: 0, duplicates: 0, skipped: 0, dropped: {}, missing: 0, waiting: 0, last: 0,
    };
    account.writers.push(writer);
    for (const key of ["recorded", "received", "rejected", "duplicates", "skipped", "missing", "waiting"]) account[key] += writer[key];
    for (const [reason, count] of Object.entries(writer.dropped)) account.dropped[reason] = (Object.hasOwn(account.dropped, reason) ? account.dropped[reason] : 0) + count;
    account.last = Math.max(account.last, writer.last);
    accounts.set(row.installation, account);
  }
  const list = [...accounts.values()];
  for (const account of list) account.standing = standing(account);
  return list.sort((a, b) => (b.missing > 0) - (a.missing > 0) || b.last - a.last);
}

/** Splits a row's gaps: numbers still on the device (at the end) and numbers missing in between. */
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
  if (account.waiting > 0) return { kind: "wait", text: `${number(account.waiting)} in transit` };
  return { kind: "good", text: "complete" };
}

function sums(entry) {
  const parts = [h("span", {}, h("b", {}, number(entry.received)), ` of ${number(entry.recorded)} received`)];
  for (const [reason, count] of Object.entries(entry.dropped)) {
    if (count > 0) parts.push(h("span", { class: "is-dropped" }, h("b", {}, number(count)), ` dropped: ${printable(reason).replaceAll("_", " ")}`));
  }
  if (entry.rejected > 0) parts.push(h("span", { class: "is-rejected" }, h("b", {}, number(entry.rejected)), " rejected"));
  if (entry.skipped > 0) parts.push(h("span", {}, h("b", {}, number(entry.skipped)), " for other destinations"));
  if (entry.duplicates > 0) parts.push(h("span", {}, h("b", {}, number(entry.duplicates)), " duplicates"));
  return parts;
}

/** Draws the sequence numbers of all processes, end to end: received, dropped by the device, missing, in transit. */
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
