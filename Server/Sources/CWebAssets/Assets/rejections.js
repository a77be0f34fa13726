// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Rejected events, newest first.

import { errorMessage, getJSON } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { formatDateTime, formatNumber, printable, timeAgo } from "./format.js";
import { isInGroup, RejectionGroups } from "./rejection-groups.js";
import { encodeQuery } from "./url.js";

/** The list of rejected events. `onOpen(rejection)` is called when an event is selected. */
export class Rejections {
  #onOpen;
  #drawnState = "";
  #group = null;
  #groups = new RejectionGroups((group) => this.#selectGroup(group), () => this.refresh(Date.now(), true));
  #nextGroupPoll = 0;
  #groupedTotal = -1;
  #total = 0;
  /**
   * The events listed without a selected group, and the position at which older events continue; a null position means
   * that the oldest event is listed.
   */
  #listed = [];
  #next = null;
  #isLoading = false;
  /** The group in which no events were found; its latest event is not requested again. */
  #emptyGroup = null;

  constructor(onOpen) {
    this.#onOpen = onOpen;
    byId("rejections-older").addEventListener("click", () => this.#loadOlder());
  }

  /** Loads and shows the latest events of the selected group or of all groups. Throws the same errors as `getJSON`. */
  async refresh(now, isForced = false) {
    const group = this.#group;
    const groupParams = group === null ? [] : [["code", group.code], ...(group.name === null ? [] : [["name", group.name]])];
    const response = await getJSON(`/v1/failed?${encodeQuery([["limit", group === null ? "50" : "200"], ...groupParams])}`);
    if (group !== this.#group) return;
    const events = group === null ? this.#mergeLatest(response) : response.failed.filter((rejection) => isInGroup(rejection, group)).slice(0, 50);
    // Load the group's latest event by its position, in case many other events were rejected later.
    if (group !== null && events.length === 0 && isForced) this.#emptyGroup = group;
    if (group !== null && events.length === 0 && this.#emptyGroup !== group) events.push(...(await this.#loadSample(group)));
    if (group !== this.#group) return;
    this.render(events, this.#total || response.failed.length, now);
    // Groups require a query over many events, so load the groups at most once a minute, unless they are known to have
    // changed.
    if (!isForced && now < this.#nextGroupPoll && this.#total === this.#groupedTotal) return;
    this.#nextGroupPoll = now + 60_000;
    this.#groupedTotal = this.#total;
    await this.#groups.refresh(now);
  }

  /**
   * Returns the latest events followed by the older events already loaded. The older events are dropped if there may be
   * a gap.
   */
  #mergeLatest({ failed, next = null }) {
    const known = new Set(this.#listed.map(({ position }) => position));
    const overlaps = failed.some(({ position }) => known.has(position));
    const latest = new Set(failed.map(({ position }) => position));
    const oldest = overlaps ? this.#listed.findIndex(({ position }) => position === failed.at(-1).position) : -1;
    const older = oldest < 0 ? [] : this.#listed.slice(oldest + 1).filter(({ position }) => !latest.has(position));
    if (older.length === 0) this.#next = next;
    this.#listed = [...failed, ...older];
    return this.#listed;
  }

  async #loadOlder() {
    if (this.#isLoading || this.#next === null) return;
    this.#isLoading = true;
    setText(byId("rejections-older"), "Loading…");
    try {
      const { failed, next = null } = await getJSON(`/v1/failed?${encodeQuery([["limit", "50"], ["before", this.#next]])}`);
      this.#next = next;
      this.#listed = [...this.#listed, ...failed];
      if (this.#group === null) this.render(this.#listed, this.#total, Date.now());
    } catch {
      // The connection state shows that the collector is down; the user can retry with the button.
    }
    this.#isLoading = false;
    this.#updateOlderButton();
  }

  #updateOlderButton() {
    const button = byId("rejections-older");
    button.hidden = this.#group !== null || this.#next === null;
    setText(button, "Load older events");
  }

  async #loadSample(group) {
    try {
      return [await getJSON(`/v1/failed?position=${encodeURIComponent(group.sample)}`)];
    } catch (error) {
      if (error.status === 404) this.#emptyGroup = group;
      return [];
    }
  }

  /** Keeps the last list; if there is none, shows the error instead. */
  showError(error) {
    if (this.#drawnState === "") byId("rejection-list").replaceChildren(h("li", { class: "empty-note error" }, errorMessage(error)));
  }

  /** The total number of rejected events, as counted by the collector. */
  set total(total) {
    this.#total = total;
    showCount(total);
  }

  #selectGroup(group) {
    this.#group = group;
    setText(byId("rejection-list-title"), group === null ? "Latest" : "In this group");
    this.#drawnState = "";
    this.refresh(Date.now()).catch(() => {}); // The next poll shows the error.
  }

  /** Shows these events and the total number. */
  render(events, total, now) {
    showCount(total);
    if (!this.#isLoading) this.#updateOlderButton();
    const state = JSON.stringify(events.map((rejection) => rejection.position)) + Math.floor(now / 10_000);
    if (state === this.#drawnState) return;
    this.#drawnState = state;
    const list = byId("rejection-list");
    byId("rejection-list-title").hidden = events.length === 0 && this.#group === null;
    if (events.length === 0 && this.#group !== null) {
      list.replaceChildren(h("li", { class: "empty-note" }, "No rejected events are left in this group."));
      return;
    }
    if (events.length === 0) {
      list.replaceChildren(h("li", { class: "empty-note" }, "No rejected events. Invalid events are stored here with the reason."));
      return;
    }
    list.replaceChildren(...events.map((rejection) => h("li", {}, h(
      "button",
      { type: "button", class: "rejection", onclick: () => this.#onOpen(rejection) },
      h("span", { class: "item-line" },
        h("span", { class: "badge bad" }, printable(rejection.code)),
        rejection.field ? h("code", {}, printable(rejection.field)) : null,
        h("span", { class: "item-time", title: formatDateTime(rejection.received) }, timeAgo(rejection.received, now))),
      h("span", { class: "rejection-message" }, printable(rejection.message || "")),
      h("code", { class: "rejection-body" }, printable((rejection.content ?? "").slice(0, 160))),
    ))));
  }
}

/** Shows the number of rejected events next to the tab's name. */
function showCount(total) {
  const badge = byId("rejections-count");
  badge.hidden = total === 0;
  setText(badge, formatNumber(total));
}
