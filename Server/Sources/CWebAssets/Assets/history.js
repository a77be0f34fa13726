// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A user's events across all devices and sessions, ordered by device time: older ones are loaded on request, new ones as they arrive.

import { asQuery } from "./address.js";
import { ask } from "./ask.js";
import { h, setText } from "./dom.js";
import { Feed } from "./feed.js";
import { clock, counted, dateAndClock, number, shortID } from "./format.js";
import { colour } from "./palette.js";
import { searchPairs } from "./people.js";
import { printable, summary, timeOf } from "./stream.js";

const pageSize = 100;
/** The maximum rows on the page. */
const most = 500;
const mostWaiting = 500;
/** The minimum interval between drawings of new events. */
const drawEvery = 1000;

/**
 * The panel of one user. `go`: open(stored) shows an event, filtered(isTyped) is called when the filter changes, installation(id) opens
 * one.
 */
export class History {
  #go;
  /** {user} or {installation}. */
  #who = null;
  #path = "";
  /** Newest first: {stored, time}. */
  #entries = [];
  #ids = new Set();
  #next;
  #answer = null;
  /** Whether the latest events were dropped for older ones. */
  #isDetached = false;
  #waiting = [];
  #skipped = 0;
  #late = 0;
  #isPaused = false;
  #isShown = false;
  #state = "asking";
  #isAsking = false;
  #request = 0;
  #timer = 0;
  #typing = 0;
  #feedState = "";
  #feed;
  #opened = null;

  #note = h("p", { class: "panel-note history-note" });
  #input = h("input", { type: "text", class: "history-filter", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-label": "Filter this user's events", placeholder: "name:purchase total>=10 text" });
  #pause = h("button", { type: "button", class: "button small", "aria-pressed": "false" }, "Pause");
  #held = h("button", { type: "button", class: "history-held", hidden: true });
  #latest = h("button", { type: "button", class: "button small", hidden: true }, "Back to the latest");
  #list = h("ol", { class: "history-groups" });
  #older = h("button", { type: "button", class: "button small", hidden: true }, "Older");
  #foot = h("p", { class: "panel-note", role: "status" });

  node = h("section", { class: "panel history", "aria-label": "Events of this user" },
    h("header", { class: "panel-head" }, h("h2", {}, "Events"), this.#note, h("form", { class: "history-form", role: "search" }, this.#input), this.#latest, this.#pause),
    this.#held, this.#list,
    h("div", { class: "history-foot" }, this.#older, this.#foot));

  constructor(go) {
    this.#go = go;
    this.#feed = new Feed({
      event: (stored) => this.#arrived(stored),
      skipped: (count) => (this.#skipped += count),
      state: (state) => {
        this.#feedState = state;
        this.#tell();
      },
      refused: () => {},
    });
    this.#input.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#filtered(false);
    });
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#filtered(true), 400);
    });
    this.#pause.addEventListener("click", () => this.#setPaused(!this.#isPaused));
    this.#held.addEventListener("click", () => this.#setPaused(false));
    this.#latest.addEventListener("click", () => this.#begin());
    this.#older.addEventListener("click", () => this.#more());
    document.addEventListener("visibilitychange", () => this.#follow());
  }

  /** The panel's part of the URL. */
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
  show(who, isShown) {
    const path = who === null ? "" : who.user === undefined ? `/v1/visitors/${who.installation}/events` : `/v1/users/${encodeURIComponent(who.user)}/events`;
    const wasShown = this.#isShown;
    this.#isShown = isShown && who !== null;
    if (path !== this.#path) {
      // The panel is hidden: events are loaded when it is shown.
      if (who !== null && !isShown) return this.#feed.stop();
      this.#path = path;
      this.#who = who;
      if (who !== null) return void this.#begin();
      this.#request += 1;
      return this.#follow();
    }
    if (wasShown !== this.#isShown) this.#follow();
  }

  /** Resets the filter, because another user is shown. */
  forget() {
    clearTimeout(this.#typing);
    this.#input.value = "";
    this.#path = "";
    this.#isShown = false;
    this.#feed.stop();
  }

  /** Restores the focus to the opened event. Returns whether there was one. */
  focusOpened() {
    const button = this.#opened === null ? null : this.#list.querySelector(`[data-id="${CSS.escape(this.#opened)}"]`);
    button?.focus({ preventScroll: true });
    return button !== null;
  }

  // MARK: Requests

  /** `name:purchase` matches a name; everything else works as in the user search. The id of an installation matches the one that recorded the event. */
  #filter() {
    return Array.from(searchPairs(this.#input.value), ([key, value]) => (key === "text" && value.startsWith("name:") && value.length > 5 ? ["name", value.slice(5)] : [key, value]));
  }

  /** The collector's stream supports only a filter by name. */
  get #isLive() {
    const filter = this.#filter();
    return !this.#isDetached && filter.every(([key]) => key === "name") && filter.length < 2;
  }

  #filtered(isTyped) {
    clearTimeout(this.#typing);
    this.#go.filtered(isTyped);
    this.#begin();
  }

  /** Loads the latest events. `isRenewal`: the filter is unchanged, so the current events stay until the response arrives. */
  async #begin(isRenewal = false) {
    this.#waiting = [];
    this.#skipped = 0;
    this.#late = 0;
    if (isRenewal) return void (await this.#page(undefined));
    this.#forgetEntries();
    this.#answer = null;
    this.#state = "asking";
    this.#draw();
    // Follow before the first page, so that events in between are not missed.
    this.#follow(true);
    await this.#page(undefined);
  }

  async #more() {
    if (this.#next !== undefined && !this.#isAsking) await this.#page(this.#next);
  }

  async #page(after) {
    const request = ++this.#request;
    this.#isAsking = true;
    this.#tell();
    try {
      const pairs = [...this.#filter(), ["limit", String(pageSize)], ...(after === undefined ? [] : [["after", after]])];
      const answer = await ask(`${this.#path}?${asQuery(pairs)}`);
      if (request !== this.#request) return;
      if (after === undefined) this.#forgetEntries();
      this.#answer = { searched: (after === undefined ? 0 : this.#answer?.searched ?? 0) + answer.searched, of: answer.of };
      this.#insert(answer.events);
      this.#next = answer.next;
      if (this.#entries.length > most) {
        for (const { stored } of this.#entries.splice(0, this.#entries.length - most)) this.#ids.delete(stored.id);
        this.#isDetached = true;
        this.#follow();
      }
      this.#state = "found";
    } catch (error) {
      if (request !== this.#request) return;
      this.#state = error.status ? error.message : "The collector is not responding.";
    }
    this.#isAsking = false;
    // Events that arrived in the meantime.
    if (this.#waiting.length > 0) this.#soon();
    this.#draw();
  }

  #forgetEntries() {
    this.#entries = [];
    this.#ids.clear();
    this.#next = undefined;
    this.#isDetached = false;
  }

  #insert(events) {
    for (const stored of events) {
      if (this.#ids.has(stored.id)) continue;
      this.#ids.add(stored.id);
      this.#entries.push({ stored, time: timeOf(stored) });
    }
    this.#entries.sort((a, b) => b.time - a.time || later(b.stored.position, a.stored.position));
  }

  // MARK: New events

  #follow(again = false) {
    const wanted = this.#isShown && this.#isLive && document.visibilityState === "visible";
    if (!wanted) {
      this.#feedState = "";
      this.#feed.stop();
    } else if (again || this.#feedState === "") {
      // After a pause, continue from the newest loaded event.
      const newest = again ? null : this.#entries.reduce((found, { stored }) => (found === null || later(stored.position, found) > 0 ? stored.position : found), null);
      const name = this.#filter().find(([key]) => key === "name")?.[1];
      this.#feed.follow([...Object.entries(this.#who), ...(name === undefined ? [] : [["name", name]])], newest);
    }
    this.#tell();
  }

  #arrived(stored) {
    // An installation's stream includes the events of all its users.
    if (this.#who === null || (this.#who.installation !== undefined && stored.user !== undefined)) return;
    this.#waiting.push(stored);
    if (this.#waiting.length > mostWaiting) this.#skipped += this.#waiting.splice(0, mostWaiting / 2).length;
    this.#soon();
  }

  #soon() {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      if (this.#isPaused || this.#isAsking) this.#tell();
      else this.#release();
    }, drawEvery);
  }

  #release() {
    // Some events were dropped, so the list would have a gap: reload the latest.
    if (this.#skipped > 0) {
      this.#begin(true);
      return;
    }
    const oldest = this.#next === undefined ? -Infinity : this.#entries.at(-1)?.time ?? -Infinity;
    const fresh = this.#waiting.filter((stored) => !this.#ids.has(stored.id));
    this.#waiting = [];
    const fit = fresh.filter((stored) => timeOf(stored) >= oldest);
    this.#late += fresh.length - fit.length;
    if (this.#answer !== null) this.#answer.of += fresh.length;
    this.#insert(fit);
    if (this.#entries.length > most) {
      for (const { stored } of this.#entries.splice(most)) this.#ids.delete(stored.id);
      const last = this.#entries.at(-1);
      this.#next = `${last.time}.${last.stored.position}`;
    }
    this.#draw();
  }

  #setPaused(isPaused) {
    this.#isPaused = isPaused;
    this.#pause.setAttribute("aria-pressed", String(isPaused));
    setText(this.#pause, isPaused ? "Resume" : "Pause");
    if (!isPaused && !this.#isAsking) this.#release();
    this.#tell();
  }

  // MARK: Drawing

  #draw() {
    const focused = document.activeElement?.closest?.(".history-groups button")?.dataset.id;
    const groups = [];
    for (const entry of this.#entries) {
      const { stored } = entry;
      const key = JSON.stringify([stored.installation, stored.session, stored.visit, day(entry.time)]);
      if (groups.at(-1)?.key !== key) groups.push({ key, entries: [] });
      groups.at(-1).entries.push(entry);
    }
    this.#list.replaceChildren(...groups.map(({ entries }) => this.#group(entries)));
    if (focused !== undefined) this.#list.querySelector(`[data-id="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    this.#tell();
  }

  #group(entries) {
    const { stored, time } = entries[0];
    const context = stored.context ?? {};
    const device = context.device ?? {};
    const words = (...parts) => parts.filter((part) => typeof part === "string" && part !== "").join(" ");
    const parts = [words(device.model), words(device.os_name ?? device.platform, device.os_version), words(context.app?.id, context.app?.version)].filter(Boolean);
    const session = stored.session === undefined ? "Outside sessions" : Number.isFinite(context.session?.number) ? `Session ${context.session.number}` : "Session";
    return h("li", { class: "history-group" },
      h("p", { class: "history-head" },
        h("b", { title: stored.session ?? null }, session), h("time", { datetime: iso(time) }, day(time)),
        stored.visit ? h("span", { class: "badge history-visit" }, "not signed in yet") : null,
        parts.map((part) => h("span", { dir: "auto" }, printable(part))),
        stored.installation ? h("button", { type: "button", class: "link", title: stored.installation, onclick: () => this.#go.installation(stored.installation) }, shortID(stored.installation)) : null),
      h("ol", { class: "history-rows" }, entries.map((entry) => this.#row(entry))));
  }

  #row({ stored, time }) {
    const event = stored.event;
    const open = () => {
      this.#opened = stored.id;
      this.#go.open(stored);
    };
    return h("li", { class: "history-row" },
      h("time", { class: "cell-time", datetime: iso(time), title: dateAndClock(time) }, clock(time)),
      h("button", { type: "button", class: "row-name", "data-id": stored.id, onclick: open }, h("span", { class: `dot ${colour(event.name)}`, "aria-hidden": "true" }), h("span", { dir: "auto" }, printable(event.name))),
      h("span", { class: "cell-pairs" }, summary(event)));
  }

  #tell() {
    const isFiltered = this.#input.value.trim() !== "";
    const live = !this.#isLive ? (this.#isDetached ? "older events" : "not live while filtered") : this.#isPaused ? "paused" : { live: "live", lost: "connection lost" }[this.#feedState] ?? "";
    setText(this.#note, [this.#answer === null ? null : counted(this.#answer.of, "event"), "device time", live].filter(Boolean).join(" · "));
    this.#pause.hidden = !this.#isLive;
    const held = this.#isPaused ? this.#waiting.length : 0;
    this.#held.hidden = held === 0;
    setText(this.#held, held === 0 ? "" : `↑ ${counted(held + this.#skipped, "new event")}`);
    this.#latest.hidden = !this.#isDetached;
    this.#older.hidden = this.#next === undefined;
    setText(this.#older, this.#isAsking ? "Loading…" : isFiltered && this.#answer !== null && this.#entries.length === 0 ? "Search older events" : "Older");
    this.#list.setAttribute("aria-busy", String(this.#state === "asking"));
    const parts = [];
    if (this.#state === "asking") parts.push("Loading…");
    else if (this.#state !== "found") parts.push(this.#state);
    else if (this.#entries.length === 0) parts.push(!isFiltered ? "This user has no events." : this.#next === undefined ? "No matching events." : "No matches so far.");
    if (isFiltered && this.#next !== undefined && this.#answer !== null) parts.push(`Searched ${number(this.#answer.searched)} of ${counted(this.#answer.of, "event")}.`);
    if (this.#late > 0) parts.push(`${counted(this.#late, "event")} arrived late and ${this.#late === 1 ? "is" : "are"} listed further down.`);
    setText(this.#foot, parts.join(" "));
    this.#foot.classList.toggle("wrong", !["asking", "found"].includes(this.#state));
  }
}

const day = (ms) => dateAndClock(ms).split(" ")[0];
const iso = (ms) => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : null);

/** Compares two positions in the collector's log: greater than zero if the first is later. */
function later(one, other) {
  const [a, b] = [one, other].map((place) => place.split(".").map(Number));
  return a[0] - b[0] || a[1] - b[1] || (a[2] ?? 0) - (b[2] ?? 0);
}
