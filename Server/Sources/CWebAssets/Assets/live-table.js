// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The live table: newest events first, with a limited number of rows, frozen while paused or while the user has
// scrolled down.

import { byId, h, setText } from "./dom.js";
import { eventColor } from "./event-colors.js";
import { hasWords } from "./filter.js";
import { formatDateTime, formatDay, formatNumber, formatTime, pluralize, printable, shortID } from "./format.js";
import { describeInteraction } from "./interactions.js";

const initialRowLimit = 400;
/**
 * The maximum number of rows, including older rows that were loaded; beyond the maximum, the newest rows are removed.
 */
const maximumRows = 4000;
const maximumPending = 1000;
const maximumPairs = 12;
/**
 * The maximum number of events drawn at once. If more than a quarter of this number arrive per frame, drawing pauses
 * between bursts.
 */
const burstSize = 80;
const burstPause = 200;

/**
 * Returns the time by which the collector orders an event: the device's time, corrected if the device's clock was
 * wrong.
 */
export const eventTime = (stored) => [stored.time, stored.event.time, stored.received].find(Number.isInteger);
/**
 * The table of events. `onOpen(event)` is called when an event is selected, `onLoadOlder()` to load older events, and
 * `onReload()` to load the newest events.
 */
export class LiveTable {
  #onOpen;
  #onReload;
  #rows = [];
  #pending = [];
  #overflowCount = 0;
  #incoming = [];
  #scheduled = false;
  #paused = false;
  #words = [];
  #selected = null;
  #skippedCount = 0;
  #isBusy = false;
  #rowLimit = initialRowLimit;
  /** Whether the newest rows were removed to make room for older ones. */
  #isDetached = false;
  #truncatedAt = null;
  #status = { text: "", isLoading: true, hasResponse: false, moreLabel: null };
  /** The day on which “today” was last shown. */
  #today = new Date().toDateString();
  #frame = byId("rows-frame");
  #body = byId("rows");

  constructor({ onOpen, onLoadOlder, onReload }) {
    this.#onOpen = onOpen;
    this.#onReload = onReload;
    byId("load-older").addEventListener("click", onLoadOlder);
    this.#body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      const record = this.#rows.find((candidate) => candidate.row === row);
      if (record) this.select(record, true);
    });
    byId("pending-events").addEventListener("click", () => this.resume());
    const showPendingAtTop = () => {
      if (!this.#paused && !this.#isDetached && this.#pending.length > 0 && this.#isAtTop()) this.#showPending();
    };
    this.#frame.addEventListener("scroll", showPendingAtTop, { passive: true });
    addEventListener("scroll", showPendingAtTop, { passive: true });
  }

  get isPaused() {
    return this.#paused;
  }

  /** The number of rows. */
  get count() {
    return this.#rows.length;
  }

  /**
   * The position at which older rows continue if the oldest rows were removed to make room for newer ones; otherwise
   * null.
   */
  get truncatedAt() {
    return this.#truncatedAt;
  }

  /** Adds a new event, which is drawn with the next frame. */
  add(event) {
    this.#incoming.push(event);
    if (this.#incoming.length > maximumPending) this.#skippedCount += this.#incoming.splice(0, maximumPending / 2).length;
    this.#schedule();
  }

  /** Counts events that the collector skipped and that are not shown. */
  skip(count) {
    this.#skippedCount += count;
    this.#schedule();
  }

  /** Replaces all rows (newest first), for example after the filter has changed. */
  reset(events) {
    this.#incoming = [];
    this.#pending = [];
    this.#overflowCount = 0;
    this.#skippedCount = 0;
    this.#rows = [];
    this.#words = [];
    this.#rowLimit = initialRowLimit;
    this.#isDetached = false;
    this.#truncatedAt = null;
    byId("rows-skeleton").hidden = true;
    this.#body.replaceChildren();
    this.#prepend([...events].reverse(), false);
    this.#updateStatus();
  }

  /** Adds older events (newest first) after the existing rows. */
  append(events) {
    const records = events.map((event) => this.#record(event, false));
    this.#truncatedAt = null;
    this.#rows.push(...records);
    this.#body.append(...records.map((record) => record.row));
    this.#rowLimit = Math.min(maximumRows, Math.max(this.#rowLimit, this.#rows.length + initialRowLimit));
    const removed = this.#rows.splice(0, Math.max(0, this.#rows.length - maximumRows));
    if (removed.length > 0) this.#isDetached = true;
    for (const record of removed) record.row.remove();
    this.#updateStatus();
  }

  /**
   * Sets the status below the table: {text, isLoading, hasResponse, moreLabel}. `hasResponse`: whether a response was
   * received; `moreLabel`: the label of the button for older events, or null.
   */
  setStatus(status) {
    this.#status = status;
    this.#updateStatus();
  }

  /** Immediately hides rows that do not contain all of these words, until the collector has responded. */
  setWords(words) {
    this.#words = words;
    for (const record of this.#rows) record.row.hidden = !hasWords(words, record.text);
    this.#updateStatus();
  }

  pause() {
    this.#paused = true;
    this.#updateStatus();
  }

  resume() {
    this.#paused = false;
    this.#scroller().scrollTo({ top: 0 });
    if (this.#isDetached) this.#onReload();
    else this.#showPending();
  }

  /** Moves the selection by one row, and opens the event if `opensEvent` is true. */
  move(step, opensEvent) {
    const shown = this.#rows.filter((record) => !record.row.hidden);
    if (shown.length === 0) return;
    const at = shown.indexOf(this.#selected);
    const to = at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + step));
    this.select(shown[to], opensEvent);
    shown[to].button.focus({ preventScroll: true });
    shown[to].row.scrollIntoView({ block: "nearest" });
  }

  select(record, opensEvent) {
    this.#selected?.row.removeAttribute("aria-selected");
    this.#selected = record;
    record.row.setAttribute("aria-selected", "true");
    if (opensEvent) this.#onOpen(record.event);
  }

  focusSelected() {
    this.#selected?.button.focus({ preventScroll: true });
  }

  /** Updates the rows' colors, which are assigned as names appear in the rate chart. */
  updateColors() {
    for (const { dot, event } of this.#rows) dot.setAttribute("class", `dot ${eventColor(event.event.name)}`);
  }

  /** Updates the rows' days after midnight. */
  updateDays() {
    const today = new Date().toDateString();
    if (today === this.#today) return;
    this.#today = today;
    for (const { day, time } of this.#rows) showDay(day, time);
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A hidden page gets no animation frames, so a timer bounds the memory use.
    const run = () => {
      this.#scheduled = false;
      this.#processIncoming();
    };
    const frame = () => requestAnimationFrame(run);
    if (document.visibilityState !== "visible") setTimeout(run, 1000);
    else if (this.#isBusy) setTimeout(frame, burstPause);
    else frame();
  }

  #processIncoming() {
    const events = this.#incoming;
    this.#incoming = [];
    this.#isBusy = events.length > burstSize / 4;
    if (this.#paused || this.#isDetached || !this.#isAtTop()) {
      this.#pending.push(...events);
      const removed = this.#pending.length - maximumPending;
      if (removed > 0) {
        this.#pending.splice(0, removed);
        this.#overflowCount += removed;
      }
    } else {
      this.#prepend(events.slice(-burstSize), true);
      this.#skippedCount += Math.max(0, events.length - burstSize);
    }
    this.#updateStatus();
  }

  #showPending() {
    const events = this.#pending;
    this.#pending = [];
    this.#skippedCount += this.#overflowCount;
    this.#overflowCount = 0;
    this.#prepend(events, true);
    this.#updateStatus();
  }

  #prepend(events, isNew) {
    const records = events.slice(-initialRowLimit).map((event) => this.#record(event, isNew && events.length < 20));
    this.#skippedCount += events.length - records.length;
    records.reverse();
    this.#rows.unshift(...records);
    this.#body.prepend(...records.map((record) => record.row));
    const removed = this.#rows.splice(this.#rowLimit);
    if (removed.length > 0) this.#truncatedAt = this.#rows.at(-1).event.position;
    for (const record of removed) record.row.remove();
  }

  #record(stored, isNew) {
    const event = stored.event;
    const time = eventTime(stored);
    const day = h("span", {});
    showDay(day, time);
    const dot = h("span", { class: `dot ${eventColor(event.name)}`, "aria-hidden": "true" });
    const button = h("button", { type: "button", class: "row-name" }, dot, h("span", {}, printable(event.name)));
    const pairs = eventSummary(event);
    const row = h(
      "tr",
      { class: isNew ? "new-row" : null },
      h("td", { class: "cell-time", title: formatDateTime(time) }, day, formatTime(time)),
      h("td", { class: "cell-name" }, button),
      h("td", { class: "cell-attributes" }, pairs),
      h("td", { class: "cell-user", title: stored.installation ?? null }, stored.user || shortID(stored.installation) || "–"),
    );
    const text = `${event.name} ${stored.user ?? ""} ${stored.installation ?? ""} ${stored.session ?? ""} ${JSON.stringify(event)}`;
    const record = { row, button, dot, day, time, event: stored, text: text.toLowerCase() };
    row.hidden = !hasWords(this.#words, record.text);
    return record;
  }

  #scroller() {
    return getComputedStyle(this.#frame).overflowY === "auto" ? this.#frame : document.scrollingElement;
  }

  #isAtTop() {
    const scroller = this.#scroller();
    if (scroller === this.#frame) return scroller.scrollTop < 8;
    return this.#frame.getBoundingClientRect().top > -40;
  }

  #updateStatus() {
    const pendingCount = this.#pending.length + this.#overflowCount;
    const waiting = byId("pending-events");
    waiting.hidden = pendingCount === 0 && !this.#isDetached;
    setText(waiting, pendingCount > 0 ? `↑ ${pluralize(pendingCount, "new event")}` : this.#isDetached ? "↑ Newest events" : "");
    const shown = this.#rows.filter((record) => !record.row.hidden).length;
    const parts = [];
    if (this.#paused) parts.push("Paused");
    // The number of events is unknown before the collector has responded.
    if (this.#status.hasResponse || this.#rows.length > 0) parts.push(shown === this.#rows.length ? pluralize(shown, "event") : `${formatNumber(shown)} of ${pluralize(this.#rows.length, "event")}`);
    if (this.#status.text !== "") parts.push(this.#status.text);
    if (this.#skippedCount > 0) parts.push(`${formatNumber(this.#skippedCount)} arrived too fast to show; all are stored`);
    setText(byId("table-status"), parts.join(" · "));
    byId("empty").hidden = shown > 0 || pendingCount > 0 || this.#status.isLoading;
    if (this.#status.isLoading) this.#frame.setAttribute("aria-busy", "true");
    else this.#frame.removeAttribute("aria-busy");
    const moreLabel = this.#status.moreLabel ?? (this.#truncatedAt === null ? null : "Load older events");
    const older = byId("load-older");
    older.hidden = moreLabel === null;
    older.setAttribute("aria-disabled", String(this.#status.isLoading));
    setText(older, this.#status.isLoading ? "Loading…" : moreLabel ?? "");
  }
}

/** Shows the day of a time in a node; a day with a year needs a wider column. */
function showDay(node, time) {
  const text = formatDay(time);
  setText(node, text);
  node.setAttribute("class", text.length > 6 ? "cell-date long" : "cell-date");
}

/** Summarizes an event in one line. */
export function eventSummary(event) {
  const interaction = describeInteraction(event);
  const nodes = interaction?.nodes ?? [];
  const pairs = Object.entries(interaction?.rest ?? event.attributes ?? {});
  for (const [key, value] of pairs.slice(0, maximumPairs)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    nodes.push(h("span", { class: "pair" }, h("span", { class: "pair-key" }, printable(key)), " ", printable(text.slice(0, 80))));
  }
  if (pairs.length > maximumPairs) nodes.push(h("span", { class: "pair-more" }, `+${pairs.length - maximumPairs}`));
  if (event.items?.length) nodes.push(h("span", { class: "pair-more" }, pluralize(event.items.length, "item")));
  return nodes;
}
