// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Rejected events, newest first.

import { ask, whyNot } from "./ask.js";
import { asQuery } from "./address.js";
import { byId, h, setText } from "./dom.js";
import { ago, dateAndClock, number } from "./format.js";
import { belongs, Groups } from "./groups.js";
import { printable } from "./stream.js";

/** The list of rejected events. `open(failure)` is called when one is chosen. */
export class Failures {
  #open;
  #last = "";
  #group = null;
  #groups = new Groups((group) => this.#list(group), () => this.look(Date.now(), true));
  #groupsAfter = 0;
  #counted = -1;
  #total = 0;
  /** The events listed without a group, and where older ones continue; null if the oldest is listed. */
  #listed = [];
  #next = null;
  #isAsking = false;
  /** The group in which no more events were found. */
  #gone = null;

  constructor(open) {
    this.#open = open;
    byId("failures-older").addEventListener("click", () => this.#older());
  }

  /** Loads the latest events of the chosen group or of all, and shows them. Throws what `ask` throws. */
  async look(now, isAnew = false) {
    const group = this.#group;
    const of = group === null ? [] : [["code", group.code], ...(group.name === null ? [] : [["name", group.name]])];
    const answer = await ask(`/v1/failed?${asQuery([["limit", group === null ? "50" : "200"], ...of])}`);
    if (group !== this.#group) return;
    const failures = group === null ? this.#withOlder(answer) : answer.failed.filter((failure) => belongs(failure, group)).slice(0, 50);
    // The group names its latest event, in case many other events come before it.
    if (group !== null && failures.length === 0 && isAnew) this.#gone = group;
    if (group !== null && failures.length === 0 && this.#gone !== group) failures.push(...(await this.#sample(group)));
    if (group !== this.#group) return;
    this.show(failures, this.#total || answer.failed.length, now);
    // Groups are a query over many events: at most once a minute, unless they are known to have changed.
    if (!isAnew && now < this.#groupsAfter && this.#total === this.#counted) return;
    this.#groupsAfter = now + 60_000;
    this.#counted = this.#total;
    await this.#groups.look(now);
  }

  /** Returns the latest events with the older ones loaded before; older ones are dropped if there may be a gap. */
  #withOlder({ failed, next = null }) {
    const known = new Set(this.#listed.map(({ position }) => position));
    const isJoined = failed.some(({ position }) => known.has(position));
    const latest = new Set(failed.map(({ position }) => position));
    const oldest = isJoined ? this.#listed.findIndex(({ position }) => position === failed.at(-1).position) : -1;
    const older = oldest < 0 ? [] : this.#listed.slice(oldest + 1).filter(({ position }) => !latest.has(position));
    if (older.length === 0) this.#next = next;
    this.#listed = [...failed, ...older];
    return this.#listed;
  }

  async #older() {
    if (this.#isAsking || this.#next === null) return;
    this.#isAsking = true;
    setText(byId("failures-older"), "Loading…");
    try {
      const { failed, next = null } = await ask(`/v1/failed?${asQuery([["limit", "50"], ["before", this.#next]])}`);
      this.#next = next;
      this.#listed = [...this.#listed, ...failed];
      if (this.#group === null) this.show(this.#listed, this.#total, Date.now());
    } catch {
      // The connection state shows that the collector is down; the button retries.
    }
    this.#isAsking = false;
    this.#offerOlder();
  }

  #offerOlder() {
    const button = byId("failures-older");
    button.hidden = this.#group !== null || this.#next === null;
    setText(button, "Older events");
  }

  async #sample(group) {
    try {
      return [await ask(`/v1/failed?position=${encodeURIComponent(group.sample)}`)];
    } catch (error) {
      if (error.status === 404) this.#gone = group;
      return [];
    }
  }

  /** Keeps the last list; if there is none, shows the reason instead. */
  fail(error) {
    if (this.#last === "") byId("failures").replaceChildren(h("li", { class: "nothing wrong" }, whyNot(error)));
  }

  /** The total number, as counted by the collector. */
  set total(total) {
    this.#total = total;
    count(total);
  }

  #list(group) {
    this.#group = group;
    setText(byId("failures-title"), group === null ? "Latest" : "In this group");
    this.#last = "";
    this.look(Date.now()).catch(() => {}); // The next poll shows the error.
  }

  /** Shows these events and the total number. */
  show(failures, total, now) {
    count(total);
    if (!this.#isAsking) this.#offerOlder();
    const state = JSON.stringify(failures.map((failure) => failure.position)) + Math.floor(now / 10_000);
    if (state === this.#last) return;
    this.#last = state;
    const list = byId("failures");
    byId("failures-title").hidden = failures.length === 0 && this.#group === null;
    if (failures.length === 0 && this.#group !== null) {
      list.replaceChildren(h("li", { class: "nothing" }, "No rejected events are left in this group."));
      return;
    }
    if (failures.length === 0) {
      list.replaceChildren(h("li", { class: "nothing" }, "No rejected events. Invalid events are stored here with the reason."));
      return;
    }
    list.replaceChildren(...failures.map((failure) => h("li", {}, h(
      "button",
      { type: "button", class: "failure", onclick: () => this.#open(failure) },
      h("span", { class: "account-line" },
        h("span", { class: "badge bad" }, printable(failure.code)),
        failure.field ? h("code", {}, printable(failure.field)) : null,
        h("span", { class: "account-seen", title: dateAndClock(failure.received) }, ago(failure.received, now))),
      h("span", { class: "failure-text" }, printable(failure.message || "")),
      h("code", { class: "failure-body" }, printable((failure.content ?? "").slice(0, 160))),
    ))));
  }
}

/** Sets the number next to the tab's name. */
function count(total) {
  const badge = byId("failed-count");
  badge.hidden = total === 0;
  setText(badge, number(total));
}
