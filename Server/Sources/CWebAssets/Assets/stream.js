// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The live table: newest first, with a limited number of rows, frozen while paused or while the reader has scrolled down.

import { byId, h, setText } from "./dom.js";
import { told } from "./elements.js";
import { clock, counted, dateAndClock, isToday, number, printable, shortDate, shortID } from "./format.js";
import { hasWords } from "./filter.js";
import { colour } from "./palette.js";

export { printable };

const mostRows = 400;
/** The maximum rows including older ones that were loaded; beyond it, the newest are removed. */
const mostKept = 4000;
const mostWaiting = 1000;
const mostPairs = 12;
/** If more events than this arrive per frame, drawing pauses in between, and only this many are drawn at once. */
const busy = 80;
const rest = 200;

/** An event's time as the collector orders it: the device's time, corrected if its clock was wrong. */
export const timeOf = (stored) => [stored.time, stored.event.time, stored.received].find(Number.isInteger);
/** The table of events. `open(event)` is called when one is chosen, `older()` to load older ones, `renew()` to load the newest. */
export class Stream {
  #open;
  #renew;
  #rows = [];
  #waiting = [];
  #overflow = 0;
  #incoming = [];
  #scheduled = false;
  #paused = false;
  #words = [];
  #selected = null;
  #skipped = 0;
  #isBusy = false;
  #most = mostRows;
  /** Whether the newest rows were removed for older ones. */
  #isCut = false;
  #cutAt = null;
  #said = { text: "", isAsking: true, isKnown: false, further: null };
  #frame = byId("rows-frame");
  #body = byId("rows");

  constructor({ open, older, renew }) {
    this.#open = open;
    this.#renew = renew;
    byId("older").addEventListener("click", older);
    this.#body.addEventListener("click", (event) => {
      const row = event.target.closest("tr");
      const record = this.#rows.find((candidate) => candidate.row === row);
      if (record) this.select(record, true);
    });
    byId("waiting").addEventListener("click", () => this.resume());
    const settled = () => {
      if (!this.#paused && !this.#isCut && this.#waiting.length > 0 && this.#atTop()) this.#release();
    };
    this.#frame.addEventListener("scroll", settled, { passive: true });
    addEventListener("scroll", settled, { passive: true });
  }

  get isPaused() {
    return this.#paused;
  }

  /** The number of rows. */
  get count() {
    return this.#rows.length;
  }

  /** The position where older rows continue, if the oldest were removed for newer ones; otherwise null. */
  get cutAt() {
    return this.#cutAt;
  }

  /** Adds a new event; it is drawn with the next frame. */
  add(event) {
    this.#incoming.push(event);
    if (this.#incoming.length > mostWaiting) this.#skipped += this.#incoming.splice(0, mostWaiting / 2).length;
    this.#schedule();
  }

  /** Counts events that the collector skipped and that are not shown. */
  skip(count) {
    this.#skipped += count;
    this.#schedule();
  }

  /** Replaces all rows (newest first), for example after a change of the filter. */
  reset(events) {
    this.#incoming = [];
    this.#waiting = [];
    this.#overflow = 0;
    this.#skipped = 0;
    this.#rows = [];
    this.#words = [];
    this.#most = mostRows;
    this.#isCut = false;
    this.#cutAt = null;
    byId("rows-skeleton").hidden = true;
    this.#body.replaceChildren();
    this.#insert([...events].reverse(), false);
    this.#note();
  }

  /** Adds older events (newest first) after the existing rows. */
  append(events) {
    const records = events.map((event) => this.#record(event, false));
    this.#cutAt = null;
    this.#rows.push(...records);
    this.#body.append(...records.map((record) => record.row));
    this.#most = Math.min(mostKept, Math.max(this.#most, this.#rows.length + mostRows));
    const over = this.#rows.splice(0, Math.max(0, this.#rows.length - mostKept));
    if (over.length > 0) this.#isCut = true;
    for (const record of over) record.row.remove();
    this.#note();
  }

  /**
   * Sets the text below the table: {text, isAsking, isKnown, further}. `isKnown`: there was a response; `further`: the label of the button
   * for older events, or null.
   */
  say(said) {
    this.#said = said;
    this.#note();
  }

  /** Hides rows without these words immediately, until the collector has responded. */
  setWords(words) {
    this.#words = words;
    for (const record of this.#rows) record.row.hidden = !hasWords(words, record.text);
    this.#note();
  }

  pause() {
    this.#paused = true;
    this.#note();
  }

  resume() {
    this.#paused = false;
    this.#scroller().scrollTo({ top: 0 });
    if (this.#isCut) this.#renew();
    else this.#release();
  }

  /** Moves the selection by one row; opens the event if `andOpen`. */
  move(step, andOpen) {
    const shown = this.#rows.filter((record) => !record.row.hidden);
    if (shown.length === 0) return;
    const at = shown.indexOf(this.#selected);
    const to = at < 0 ? 0 : Math.min(shown.length - 1, Math.max(0, at + step));
    this.select(shown[to], andOpen);
    shown[to].button.focus({ preventScroll: true });
    shown[to].row.scrollIntoView({ block: "nearest" });
  }

  select(record, andOpen) {
    this.#selected?.row.removeAttribute("aria-selected");
    this.#selected = record;
    record.row.setAttribute("aria-selected", "true");
    if (andOpen) this.#open(record.event);
  }

  focusSelected() {
    this.#selected?.button.focus({ preventScroll: true });
  }

  /** Updates the rows' colors, which are assigned as names appear in the plot. */
  recolour() {
    for (const { dot, event } of this.#rows) dot.setAttribute("class", `dot ${colour(event.event.name)}`);
  }

  #schedule() {
    if (this.#scheduled) return;
    this.#scheduled = true;
    // A hidden page gets no animation frames, so a timer bounds the memory use.
    const run = () => {
      this.#scheduled = false;
      this.#take();
    };
    const frame = () => requestAnimationFrame(run);
    if (document.visibilityState !== "visible") setTimeout(run, 1000);
    else if (this.#isBusy) setTimeout(frame, rest);
    else frame();
  }

  #take() {
    const events = this.#incoming;
    this.#incoming = [];
    this.#isBusy = events.length > busy / 4;
    if (this.#paused || this.#isCut || !this.#atTop()) {
      this.#waiting.push(...events);
      const over = this.#waiting.length - mostWaiting;
      if (over > 0) {
        this.#waiting.splice(0, over);
        this.#overflow += over;
      }
    } else {
      this.#insert(events.slice(-busy), true);
      this.#skipped += Math.max(0, events.length - busy);
    }
    this.#note();
  }

  #release() {
    const events = this.#waiting;
    this.#waiting = [];
    this.#skipped += this.#overflow;
    this.#overflow = 0;
    this.#insert(events, true);
    this.#note();
  }

  #insert(events, fresh) {
    const records = events.slice(-mostRows).map((event) => this.#record(event, fresh && events.length < 20));
    this.#skipped += events.length - records.length;
    records.reverse();
    this.#rows.unshift(...records);
    this.#body.prepend(...records.map((record) => record.row));
    const over = this.#rows.splice(this.#most);
    if (over.length > 0) this.#cutAt = this.#rows.at(-1).event.position;
    for (const record of over) record.row.remove();
  }

  #record(stored, fresh) {
    const event = stored.event;
    const time = timeOf(stored);
    const dot = h("span", { class: `dot ${colour(event.name)}`, "aria-hidden": "true" });
    const button = h("button", { type: "button", class: "row-name" }, dot, h("span", {}, printable(event.name)));
    const pairs = summary(event);
    const row = h(
      "tr",
      { class: fresh ? "fresh" : null },
      h("td", { class: "cell-time", title: dateAndClock(time) }, isToday(time) ? null : h("span", { class: shortDate(time).length > 6 ? "cell-date long" : "cell-date" }, shortDate(time)), clock(time)),
      h("td", { class: "cell-name" }, button),
      h("td", { class: "cell-pairs" }, pairs),
      h("td", { class: "cell-from", title: stored.installation ?? null }, stored.user || shortID(stored.installation) || "–"),
    );
    const text = `${event.name} ${stored.user ?? ""} ${stored.installation ?? ""} ${stored.session ?? ""} ${JSON.stringify(event)}`;
    const record = { row, button, dot, event: stored, text: text.toLowerCase() };
    row.hidden = !hasWords(this.#words, record.text);
    return record;
  }

  #scroller() {
    return getComputedStyle(this.#frame).overflowY === "auto" ? this.#frame : document.scrollingElement;
  }

  #atTop() {
    const scroller = this.#scroller();
    if (scroller === this.#frame) return scroller.scrollTop < 8;
    return this.#frame.getBoundingClientRect().top > -40;
  }

  #note() {
    const held = this.#waiting.length + this.#overflow;
    const waiting = byId("waiting");
    waiting.hidden = held === 0 && !this.#isCut;
    setText(waiting, held > 0 ? `↑ ${counted(held, "new event")}` : this.#isCut ? "↑ Newest events" : "");
    const shown = this.#rows.filter((record) => !record.row.hidden).length;
    const parts = [];
    if (this.#paused) parts.push("Paused");
    // The number is unknown before the collector has responded.
    if (this.#said.isKnown || this.#rows.length > 0) parts.push(shown === this.#rows.length ? counted(shown, "event") : `${number(shown)} of ${counted(this.#rows.length, "event")}`);
    if (this.#said.text !== "") parts.push(this.#said.text);
    if (this.#skipped > 0) parts.push(`${number(this.#skipped)} arrived too fast to show; all are stored`);
    setText(byId("stream-note"), parts.join(" · "));
    byId("empty").hidden = shown > 0 || held > 0 || this.#said.isAsking;
    if (this.#said.isAsking) this.#frame.setAttribute("aria-busy", "true");
    else this.#frame.removeAttribute("aria-busy");
    const further = this.#said.further ?? (this.#cutAt === null ? null : "Older events");
    const older = byId("older");
    older.hidden = further === null;
    older.setAttribute("aria-disabled", String(this.#said.isAsking));
    setText(older, this.#said.isAsking ? "Loading…" : further ?? "");
  }
}

/** Summarizes an event in one line. */
export function summary(event) {
  const sentence = told(event);
  const nodes = sentence?.nodes ?? [];
  const pairs = Object.entries(sentence?.rest ?? event.attributes ?? {});
  for (const [key, value] of pairs.slice(0, mostPairs)) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    nodes.push(h("span", { class: "pair" }, h("span", { class: "pair-key" }, printable(key)), " ", printable(text.slice(0, 80))));
  }
  if (pairs.length > mostPairs) nodes.push(h("span", { class: "pair-more" }, `+${pairs.length - mostPairs}`));
  if (event.items?.length) nodes.push(h("span", { class: "pair-more" }, counted(event.items.length, "item")));
  return nodes;
}
