// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A user's events across all devices and sessions, ordered by device time. Older events are loaded on request; new
// events are added as they arrive.

import { getJSON } from "./api.js";
import { h, setText } from "./dom.js";
import { eventColor } from "./event-colors.js";
import { formatDateTime, formatNumber, formatTime, pluralize, printable, shortID } from "./format.js";
import { Feed } from "./live-feed.js";
import { eventSummary, eventTime } from "./live-table.js";
import { encodeQuery } from "./url.js";
import { searchPairs } from "./user-list.js";

const pageSize = 100;
/** The maximum number of rows on the page. */
const maximumRows = 500;
const maximumPending = 500;
/** The minimum interval between updates with new events, in milliseconds. */
const drawInterval = 1000;

/**
 * The panel of one user. `actions`: openEvent(stored) shows an event, onFilterChange(isTyping) is called when the
 * filter changes, openInstallation(id) shows an installation.
 */
export class UserTimeline {
  #actions;
  /** The subject of the timeline: {user} or {installation}. */
  #subject = null;
  #path = "";
  /** The entries, newest first: {stored, time}. */
  #entries = [];
  #ids = new Set();
  #next;
  #progress = null;
  /** Whether the latest events were dropped to make room for older ones. */
  #isDetached = false;
  #pending = [];
  #skippedCount = 0;
  #lateCount = 0;
  #isPaused = false;
  #isVisible = false;
  #state = "loading";
  #isLoading = false;
  #requestNumber = 0;
  #timer = 0;
  #typingTimer = 0;
  #feedState = "";
  #feed;
  #opened = null;

  #status = h("p", { class: "panel-note user-timeline-status" });
  #input = h("input", { type: "text", class: "user-timeline-filter", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "Filter this user's events", placeholder: "name:purchase total>=10 text" });
  #pauseButton = h("button", { type: "button", class: "button small", "aria-pressed": "false" }, "Pause");
  #pendingButton = h("button", { type: "button", class: "user-timeline-pending", hidden: true });
  #latestButton = h("button", { type: "button", class: "button small", hidden: true }, "Jump to latest");
  #list = h("ol", { class: "user-timeline-groups" });
  #olderButton = h("button", { type: "button", class: "button small", hidden: true }, "Load older");
  #footer = h("p", { class: "panel-note", role: "status" });

  node = h("section", { class: "panel user-timeline", "aria-label": "Events of this user" },
    h("header", { class: "panel-head" }, h("h2", {}, "Events"), this.#status, h("form", { class: "user-timeline-form", role: "search" }, this.#input), this.#latestButton, this.#pauseButton),
    this.#pendingButton, this.#list,
    h("div", { class: "user-timeline-footer" }, this.#olderButton, this.#footer));

  constructor(actions) {
    this.#actions = actions;
    this.#feed = new Feed({
      event: (stored) => this.#receive(stored),
      skipped: (count) => (this.#skippedCount += count),
      state: (state) => {
        this.#feedState = state;
        this.#updateStatus();
      },
      unauthorized: () => {},
    });
    this.#input.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#applyFilter(false);
    });
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#typingTimer);
      this.#typingTimer = setTimeout(() => this.#applyFilter(true), 400);
    });
    this.#pauseButton.addEventListener("click", () => this.#setPaused(!this.#isPaused));
    this.#pendingButton.addEventListener("click", () => this.#setPaused(false));
    this.#latestButton.addEventListener("click", () => this.#loadLatest());
    this.#olderButton.addEventListener("click", () => this.#loadOlder());
    document.addEventListener("visibilitychange", () => this.#updateFeed());
  }

  /** The panel's URL parameters, as pairs. */
  get pairs() {
    const line = this.#input.value.trim();
    return line === "" ? [] : [["events", line]];
  }

  /** Restores the filter from the URL. */
  restore(line) {
    if (line === this.#input.value.trim()) return;
    this.#input.value = line;
    this.#path = "";
  }

  /** Shows a user, or clears the panel for null. */
  setSubject(subject, isVisible) {
    const path = subject === null ? "" : subject.user === undefined ? `/v1/visitors/${subject.installation}/events` : `/v1/users/${encodeURIComponent(subject.user)}/events`;
    const wasVisible = this.#isVisible;
    this.#isVisible = isVisible && subject !== null;
    if (path !== this.#path) {
      // The panel is hidden; its events are loaded when it is shown.
      if (subject !== null && !isVisible) return this.#feed.stop();
      this.#path = path;
      this.#subject = subject;
      if (subject !== null) return void this.#loadLatest();
      this.#requestNumber += 1;
      return this.#updateFeed();
    }
    if (wasVisible !== this.#isVisible) this.#updateFeed();
  }

  /** Resets the filter, because another user is shown. */
  reset() {
    clearTimeout(this.#typingTimer);
    this.#input.value = "";
    this.#path = "";
    this.#isVisible = false;
    this.#feed.stop();
  }

  /** Moves the focus back to the opened event. Returns whether the event is in the list. */
  focusOpened() {
    const button = this.#opened === null ? null : this.#list.querySelector(`[data-id="${CSS.escape(this.#opened)}"]`);
    button?.focus({ preventScroll: true });
    return button !== null;
  }

  // MARK: Requests

  /**
   * Parses the filter. `name:purchase` matches a name; everything else works as in the user search. The id of an
   * installation matches events that the installation recorded.
   */
  #filter() {
    return Array.from(searchPairs(this.#input.value), ([key, value]) => (key === "text" && value.startsWith("name:") && value.length > 5 ? ["name", value.slice(5)] : [key, value]));
  }

  /** Whether new events can be followed: the collector's stream supports only a filter by name. */
  get #isLive() {
    const filter = this.#filter();
    return !this.#isDetached && filter.every(([key]) => key === "name") && filter.length < 2;
  }

  #applyFilter(isTyping) {
    clearTimeout(this.#typingTimer);
    this.#actions.onFilterChange(isTyping);
    this.#loadLatest();
  }

  /**
   * Loads the latest events. `isRenewal`: whether the filter is unchanged, so that the current events remain until the
   * response arrives.
   */
  async #loadLatest(isRenewal = false) {
    this.#pending = [];
    this.#skippedCount = 0;
    this.#lateCount = 0;
    if (isRenewal) return void (await this.#loadPage(undefined));
    this.#clearEntries();
    this.#progress = null;
    this.#state = "loading";
    this.#render();
    // Follow new events before loading the first page, so that no events are missed between the two requests.
    this.#updateFeed(true);
    await this.#loadPage(undefined);
  }

  async #loadOlder() {
    if (this.#next !== undefined && !this.#isLoading) await this.#loadPage(this.#next);
  }

  async #loadPage(after) {
    const requestNumber = ++this.#requestNumber;
    this.#isLoading = true;
    this.#updateStatus();
    try {
      const pairs = [...this.#filter(), ["limit", String(pageSize)], ...(after === undefined ? [] : [["after", after]])];
      const response = await getJSON(`${this.#path}?${encodeQuery(pairs)}`);
      if (requestNumber !== this.#requestNumber) return;
      if (after === undefined) this.#clearEntries();
      this.#progress = { searched: (after === undefined ? 0 : this.#progress?.searched ?? 0) + response.searched, of: response.of };
      this.#insert(response.events);
      this.#next = response.next;
      if (this.#entries.length > maximumRows) {
        for (const { stored } of this.#entries.splice(0, this.#entries.length - maximumRows)) this.#ids.delete(stored.id);
        this.#isDetached = true;
        this.#updateFeed();
      }
      this.#state = "loaded";
    } catch (error) {
      if (requestNumber !== this.#requestNumber) return;
      this.#state = error.status ? error.message : "The collector is not responding.";
    }
    this.#isLoading = false;
    // Show events that arrived in the meantime.
    if (this.#pending.length > 0) this.#scheduleRelease();
    this.#render();
  }

  #clearEntries() {
    this.#entries = [];
    this.#ids.clear();
    this.#next = undefined;
    this.#isDetached = false;
  }

  #insert(events) {
    for (const stored of events) {
      if (this.#ids.has(stored.id)) continue;
      this.#ids.add(stored.id);
      this.#entries.push({ stored, time: eventTime(stored) });
    }
    this.#entries.sort((a, b) => b.time - a.time || comparePositions(b.stored.position, a.stored.position));
  }

  // MARK: New events

  #updateFeed(isRestart = false) {
    const shouldFollow = this.#isVisible && this.#isLive && document.visibilityState === "visible";
    if (!shouldFollow) {
      this.#feedState = "";
      this.#feed.stop();
    } else if (isRestart || this.#feedState === "") {
      // After a pause, continue from the newest loaded event.
      const newest = isRestart ? null : this.#entries.reduce((newestPosition, { stored }) => (newestPosition === null || comparePositions(stored.position, newestPosition) > 0 ? stored.position : newestPosition), null);
      const name = this.#filter().find(([key]) => key === "name")?.[1];
      this.#feed.follow([...Object.entries(this.#subject), ...(name === undefined ? [] : [["name", name]])], newest);
    }
    this.#updateStatus();
  }

  #receive(stored) {
    // An installation's stream includes the events of all its users.
    if (this.#subject === null || (this.#subject.installation !== undefined && stored.user !== undefined)) return;
    this.#pending.push(stored);
    if (this.#pending.length > maximumPending) this.#skippedCount += this.#pending.splice(0, maximumPending / 2).length;
    this.#scheduleRelease();
  }

  #scheduleRelease() {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      if (this.#isPaused || this.#isLoading) this.#updateStatus();
      else this.#insertPending();
    }, drawInterval);
  }

  #insertPending() {
    // Some events were dropped, so the list would have a gap; reload the latest events.
    if (this.#skippedCount > 0) {
      this.#loadLatest(true);
      return;
    }
    const oldest = this.#next === undefined ? -Infinity : this.#entries.at(-1)?.time ?? -Infinity;
    const added = this.#pending.filter((stored) => !this.#ids.has(stored.id));
    this.#pending = [];
    const inRange = added.filter((stored) => eventTime(stored) >= oldest);
    this.#lateCount += added.length - inRange.length;
    if (this.#progress !== null) this.#progress.of += added.length;
    this.#insert(inRange);
    if (this.#entries.length > maximumRows) {
      for (const { stored } of this.#entries.splice(maximumRows)) this.#ids.delete(stored.id);
      const last = this.#entries.at(-1);
      this.#next = `${last.time}.${last.stored.position}`;
    }
    this.#render();
  }

  #setPaused(isPaused) {
    this.#isPaused = isPaused;
    this.#pauseButton.setAttribute("aria-pressed", String(isPaused));
    setText(this.#pauseButton, isPaused ? "Resume" : "Pause");
    if (!isPaused && !this.#isLoading) this.#insertPending();
    this.#updateStatus();
  }

  // MARK: Drawing

  #render() {
    const focused = document.activeElement?.closest?.(".user-timeline-groups button")?.dataset.id;
    const groups = [];
    for (const entry of this.#entries) {
      const { stored } = entry;
      const key = JSON.stringify([stored.installation, stored.session, stored.visit, dateText(entry.time)]);
      if (groups.at(-1)?.key !== key) groups.push({ key, entries: [] });
      groups.at(-1).entries.push(entry);
    }
    this.#list.replaceChildren(...groups.map(({ entries }) => this.#group(entries)));
    if (focused !== undefined) this.#list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    this.#updateStatus();
  }

  #group(entries) {
    const { stored, time } = entries[0];
    const context = stored.context ?? {};
    const device = context.device ?? {};
    const joinWords = (...parts) => parts.filter((part) => typeof part === "string" && part !== "").join(" ");
    const parts = [joinWords(device.model), joinWords(device.os_name ?? device.platform, device.os_version), joinWords(context.app?.id, context.app?.version)].filter(Boolean);
    const session = stored.session === undefined ? "No session" : Number.isFinite(context.session?.number) ? `Session ${context.session.number}` : "Session";
    return h("li", { class: "user-timeline-group" },
      h("p", { class: "user-timeline-heading" },
        h("b", { title: stored.session ?? null }, session), h("time", { datetime: isoTime(time) }, dateText(time)),
        stored.visit ? h("span", { class: "badge user-timeline-anonymous" }, "not signed in yet") : null,
        parts.map((part) => h("span", { dir: "auto" }, printable(part))),
        stored.installation ? h("button", { type: "button", class: "link", title: stored.installation, onclick: () => this.#actions.openInstallation(stored.installation) }, shortID(stored.installation)) : null),
      h("ol", { class: "user-timeline-rows" }, entries.map((entry) => this.#row(entry))));
  }

  #row({ stored, time }) {
    const event = stored.event;
    const open = () => {
      this.#opened = stored.id;
      this.#actions.openEvent(stored);
    };
    return h("li", { class: "user-timeline-row" },
      h("time", { class: "cell-time", datetime: isoTime(time), title: formatDateTime(time) }, formatTime(time)),
      h("button", { type: "button", class: "row-name", "data-id": stored.id, onclick: open }, h("span", { class: `dot ${eventColor(event.name)}`, "aria-hidden": "true" }), h("span", { dir: "auto" }, printable(event.name))),
      h("span", { class: "cell-attributes" }, eventSummary(event)));
  }

  #updateStatus() {
    const isFiltered = this.#input.value.trim() !== "";
    const live = !this.#isLive ? (this.#isDetached ? "older events" : "not live while filtered") : this.#isPaused ? "paused" : { live: "live", lost: "connection lost" }[this.#feedState] ?? "";
    setText(this.#status, [this.#progress === null ? null : pluralize(this.#progress.of, "event"), "device time", live].filter(Boolean).join(" · "));
    this.#pauseButton.hidden = !this.#isLive;
    const pendingCount = this.#isPaused ? this.#pending.length : 0;
    this.#pendingButton.hidden = pendingCount === 0;
    setText(this.#pendingButton, pendingCount === 0 ? "" : `↑ ${pluralize(pendingCount + this.#skippedCount, "new event")}`);
    this.#latestButton.hidden = !this.#isDetached;
    this.#olderButton.hidden = this.#next === undefined;
    setText(this.#olderButton, this.#isLoading ? "Loading…" : isFiltered && this.#progress !== null && this.#entries.length === 0 ? "Search older events" : "Load older");
    this.#list.setAttribute("aria-busy", String(this.#state === "loading"));
    const parts = [];
    if (this.#state === "loading") parts.push("Loading…");
    else if (this.#state !== "loaded") parts.push(this.#state);
    else if (this.#entries.length === 0) parts.push(!isFiltered ? "This user has no events." : this.#next === undefined ? "No matching events." : "No matches so far.");
    if (isFiltered && this.#next !== undefined && this.#progress !== null) parts.push(`Searched ${formatNumber(this.#progress.searched)} of ${pluralize(this.#progress.of, "event")}.`);
    if (this.#lateCount > 0) parts.push(`${pluralize(this.#lateCount, "event")} arrived late and ${this.#lateCount === 1 ? "is" : "are"} listed further down.`);
    setText(this.#footer, parts.join(" "));
    this.#footer.classList.toggle("error", !["loading", "loaded"].includes(this.#state));
  }
}

const dateText = (ms) => formatDateTime(ms).split(" ")[0];
const isoTime = (ms) => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null);

/** Compares two positions in the collector's log: greater than zero if the first is later. */
export function comparePositions(one, other) {
  const [a, b] = [one, other].map((position) => position.split(".").map(Number));
  return a[0] - b[0] || a[1] - b[1] || (a[2] ?? 0) - (b[2] ?? 0);
}
