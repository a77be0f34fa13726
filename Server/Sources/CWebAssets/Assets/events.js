// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The events in the live table: the latest that match the filter and the time range, older ones page by page, and new arrivals.

import { timeOf } from "./stream.js";
import { asQuery } from "./address.js";
import { ask } from "./ask.js";
import { asked, parseFilter } from "./filter.js";
import { number } from "./format.js";

/** Smaller on narrow pages, where the page is as long as its list. */
const page = matchMedia("(max-width: 899px)").matches ? 50 : 200;
/** A search with fewer results continues automatically, up to `patience` pages; then a click is needed. */
const few = 50;
const patience = 10;
/** The minimum interval between searches of new events. */
const searchEvery = 1000;

/**
 * Loads and follows events. `stream` shows them, `feed` brings new ones, `wantKey()` is called when a key is needed, `explain(isFiltered,
 * problem)` explains an empty table.
 */
export class Events {
  #stream;
  #wantKey;
  #explain;
  #asked = null;
  #last = ["", null];
  /** The current query: its parameters, where older events continue, and the progress of a search. */
  #shown = null;
  feed = null;

  constructor({ stream, wantKey, explain }) {
    this.#stream = stream;
    this.#wantKey = wantKey;
    this.#explain = explain;
  }

  /** Starts or restarts with this filter and time range: {from, to, isOpen}, or null for any time. */
  async begin(line, time, force = false) {
    const filter = parseFilter(line);
    const { filed, searched } = asked(filter);
    const span = time === null ? [] : [["from", String(time.from)], ...(time.isOpen ? [] : [["to", String(time.to)]])];
    const pairs = [...filed, ...searched, ...span];
    const key = asQuery(pairs);
    if (!force && this.#asked === key) return;
    this.#asked = key;
    this.#last = [line, time];
    this.#stream.setWords(filter.words);
    const shown = { pairs, filed, time, isSearch: searched.length > 0, isFiltered: line.trim() !== "" || time !== null, head: null, next: null, searched: 0, of: 0, isAsking: true, isCleared: false, isKnown: false, arrived: null, timer: 0, problem: null };
    this.#shown = shown;
    try {
      // New events are followed from the latest of all events, whether it matches or not.
      const [latest, answer] = await Promise.all([shown.isSearch || time !== null ? ask(`/v1/events?${asQuery([...filed, ["limit", "1"]])}`) : null, this.#page(shown)]);
      if (this.#shown !== shown) return;
      shown.head = (latest ?? answer).events[0]?.position ?? null;
      this.#stream.reset(answer.events);
      this.#took(shown, answer);
    } catch (error) {
      if (this.#shown !== shown) return;
      if (error.wantsKey) {
        this.#asked = null;
        this.#wantKey();
        return;
      }
      this.#asked = null;
      shown.problem = error.status ? error.message : "The collector is not responding.";
      this.#stream.reset([]);
    }
    this.#explain(shown.isFiltered, shown.problem);
    shown.isAsking = false;
    this.feed.follow(filed, shown.head);
    await this.#goOn(shown);
    this.#say(shown);
  }

  /** Retries a query that had no response. */
  retry() {
    if (this.#shown !== null && !this.#shown.isKnown && !this.#shown.isAsking) this.begin(...this.#last, true);
  }

  /** Shows the next older events, or continues the search. */
  async older() {
    const shown = this.#shown;
    if (shown === null || shown.isAsking) return;
    if (shown.isCleared) return this.begin(...this.#last, true);
    const from = this.#stream.cutAt ?? shown.next;
    if (from === null) return;
    try {
      await this.#more(shown, from);
      await this.#goOn(shown);
    } catch {
      // The error is shown below the table, and the button retries.
    }
    this.#say(shown);
  }

  /** Empties the table; its events can be loaded again. */
  clear() {
    this.#stream.reset([]);
    if (this.#shown === null) return;
    this.#shown.isCleared = true;
    this.#say(this.#shown);
  }

  /** Handles a new event, and shows it if it matches. */
  arrived(stored) {
    const shown = this.#shown;
    if (shown === null) return;
    if (!shown.isSearch) {
      const { time } = shown;
      if (time === null || (timeOf(stored) >= time.from && (time.isOpen || timeOf(stored) < time.to))) this.#stream.add(stored);
      return;
    }
    // The collector decides whether the event matches the search.
    shown.arrived = stored.position;
    shown.timer ||= setTimeout(() => this.#search(shown), searchEvery);
  }

  async #search(shown) {
    const arrived = shown.arrived;
    try {
      const after = shown.head === null ? [] : [["after", shown.head]];
      const { events, next } = await ask(`/v1/events?${asQuery([...shown.pairs, ["order", "asc"], ["limit", String(page)], ...after])}`);
      if (this.#shown !== shown) return;
      for (const event of events) this.#stream.add(event);
      shown.head = next ?? later(arrived, events.at(-1)?.position ?? arrived);
    } catch {
      // The connection state shows that the collector is down; these events are searched with the next ones.
    }
    shown.timer = 0;
    if (this.#shown === shown && shown.head !== null && later(shown.arrived, shown.head) !== shown.head) shown.timer = setTimeout(() => this.#search(shown), searchEvery);
  }

  #page(shown, after = null) {
    return ask(`/v1/events?${asQuery([...shown.pairs, ["order", "desc"], ["limit", String(page)], ...(after === null ? [] : [["after", after]])])}`);
  }

  async #more(shown, from) {
    shown.isAsking = true;
    this.#say(shown);
    try {
      const answer = await this.#page(shown, from);
      if (this.#shown !== shown) return;
      shown.problem = null;
      this.#stream.append(answer.events);
      this.#took(shown, answer);
    } catch (error) {
      shown.problem = error.status ? error.message : "the collector is not responding";
      throw error;
    } finally {
      shown.isAsking = false;
    }
  }

  /** Continues the search while there are few results, because rare events are far apart. */
  async #goOn(shown) {
    try {
      for (let attempt = 0; attempt < patience && this.#shown === shown && shown.isSearch && shown.next !== null && this.#stream.count < few; attempt += 1) await this.#more(shown, shown.next);
    } catch {
      // The error was shown; a retry continues from here.
    }
  }

  #took(shown, answer) {
    shown.isKnown = true;
    shown.next = answer.next ?? null;
    shown.searched += answer.searched ?? 0;
    shown.of = answer.of ?? shown.of;
    this.#explain(shown.isFiltered, null);
  }

  #say(shown) {
    if (this.#shown !== shown) return;
    // The search has reached the first matching event, or only a part of all events so far.
    const reach = shown.next === null && !shown.isAsking ? "search complete" : `searched ${number(shown.searched)} of ${number(Math.max(shown.of, shown.searched))}`;
    const searched = shown.isSearch ? reach : "";
    const text = [searched, shown.problem !== null && this.#stream.count > 0 ? shown.problem : ""].filter(Boolean).join(" · ");
    this.#stream.say({ text, isAsking: shown.isAsking, isKnown: shown.isKnown, further: shown.isCleared ? "Older events" : shown.next === null ? null : shown.isSearch ? "Search older events" : "Older events" });
  }
}

/** Returns the later of two positions, such as 3.88213.7. */
function later(one, other) {
  const [a, b] = [one, other].map((position) => position.split(".").map(Number));
  const at = a.findIndex((part, index) => part !== b[index]);
  return at >= 0 && a[at] > b[at] ? one : other;
}
