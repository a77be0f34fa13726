// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The events in the live table: the latest events that match the filter and the time range, older events page by page,
// and new arrivals.

import { getJSON } from "./api.js";
import { parseFilter, queryPairs } from "./filter.js";
import { formatNumber } from "./format.js";
import { eventTime } from "./live-table.js";
import { encodeQuery } from "./url.js";

/** The number of events per page; smaller in narrow windows, where the web page is as long as its list. */
const pageSize = matchMedia("(max-width: 899px)").matches ? 50 : 200;
/**
 * A search with fewer results than this continues automatically for up to `maximumAutomaticPages` pages; after that, a
 * click is required.
 */
const minimumResults = 50;
const maximumAutomaticPages = 10;
/** The minimum interval between searches for new events, in milliseconds. */
const searchInterval = 1000;

/**
 * Loads events and follows new ones. `table` shows the events; `feed` delivers new events; `requestKey()` is called
 * when a key is needed; `showEmptyState(isFiltered, problem)` explains an empty table.
 */
export class LiveEvents {
  #table;
  #requestKey;
  #showEmptyState;
  #queryKey = null;
  #lastInput = ["", null];
  /** The current query: its parameters, the position at which older events continue, and the progress of a search. */
  #query = null;
  feed = null;

  constructor({ table, requestKey, showEmptyState }) {
    this.#table = table;
    this.#requestKey = requestKey;
    this.#showEmptyState = showEmptyState;
  }

  /** Starts or restarts the list with a filter line and a time range: {from, to, isOpen}, or null for any time. */
  async start(line, time, force = false) {
    const filter = parseFilter(line);
    const { indexed, searched } = queryPairs(filter);
    const span = time === null ? [] : [["from", String(time.from)], ...(time.isOpen ? [] : [["to", String(time.to)]])];
    const pairs = [...indexed, ...searched, ...span];
    const key = encodeQuery(pairs);
    if (!force && this.#queryKey === key) return;
    this.#queryKey = key;
    this.#lastInput = [line, time];
    this.#table.setWords(filter.words);
    const query = { pairs, indexed, time, isSearch: searched.length > 0, isFiltered: line.trim() !== "" || time !== null, head: null, next: null, searched: 0, of: 0, isLoading: true, isCleared: false, hasResponse: false, arrived: null, timer: 0, problem: null };
    this.#query = query;
    try {
      // New events are followed from the latest event, whether or not that event matches.
      const [latest, response] = await Promise.all([query.isSearch || time !== null ? getJSON(`/v1/events?${encodeQuery([...indexed, ["limit", "1"]])}`) : null, this.#fetchPage(query)]);
      if (this.#query !== query) return;
      query.head = (latest ?? response).events[0]?.position ?? null;
      this.#table.reset(response.events);
      this.#applyResponse(query, response);
    } catch (error) {
      if (this.#query !== query) return;
      if (error.needsKey) {
        this.#queryKey = null;
        this.#requestKey();
        return;
      }
      this.#queryKey = null;
      query.problem = error.status ? error.message : "The collector is not responding.";
      this.#table.reset([]);
    }
    this.#showEmptyState(query.isFiltered, query.problem);
    query.isLoading = false;
    this.feed.follow(indexed, query.head);
    await this.#continueSearch(query);
    this.#updateStatus(query);
  }

  /** Retries a query that received no response. */
  retry() {
    if (this.#query !== null && !this.#query.hasResponse && !this.#query.isLoading) this.start(...this.#lastInput, true);
  }

  /** Shows the next older events, or continues the search. */
  async loadOlder() {
    const query = this.#query;
    if (query === null || query.isLoading) return;
    if (query.isCleared) return this.start(...this.#lastInput, true);
    const from = this.#table.truncatedAt ?? query.next;
    if (from === null) return;
    try {
      await this.#loadMore(query, from);
      await this.#continueSearch(query);
    } catch {
      // The error is shown below the table, next to a button that retries.
    }
    this.#updateStatus(query);
  }

  /** Empties the table; its events can be loaded again. */
  clear() {
    this.#table.reset([]);
    if (this.#query === null) return;
    this.#query.isCleared = true;
    this.#updateStatus(this.#query);
  }

  /** Handles a new event and shows the event if it matches. */
  receive(stored) {
    const query = this.#query;
    if (query === null) return;
    if (!query.isSearch) {
      const { time } = query;
      if (time === null || (eventTime(stored) >= time.from && (time.isOpen || eventTime(stored) < time.to))) this.#table.add(stored);
      return;
    }
    // The collector decides whether the event matches the search.
    query.arrived = stored.position;
    query.timer ||= setTimeout(() => this.#search(query), searchInterval);
  }

  async #search(query) {
    const arrived = query.arrived;
    try {
      const after = query.head === null ? [] : [["after", query.head]];
      const { events, next } = await getJSON(`/v1/events?${encodeQuery([...query.pairs, ["order", "asc"], ["limit", String(pageSize)], ...after])}`);
      if (this.#query !== query) return;
      for (const event of events) this.#table.add(event);
      query.head = next ?? laterPosition(arrived, events.at(-1)?.position ?? arrived);
    } catch {
      // The connection state shows that the collector is down; these events are included in the next search.
    }
    query.timer = 0;
    if (this.#query === query && query.head !== null && laterPosition(query.arrived, query.head) !== query.head) query.timer = setTimeout(() => this.#search(query), searchInterval);
  }

  #fetchPage(query, after = null) {
    return getJSON(`/v1/events?${encodeQuery([...query.pairs, ["order", "desc"], ["limit", String(pageSize)], ...(after === null ? [] : [["after", after]])])}`);
  }

  async #loadMore(query, from) {
    query.isLoading = true;
    this.#updateStatus(query);
    try {
      const response = await this.#fetchPage(query, from);
      if (this.#query !== query) return;
      query.problem = null;
      this.#table.append(response.events);
      this.#applyResponse(query, response);
    } catch (error) {
      query.problem = error.status ? error.message : "the collector is not responding";
      throw error;
    } finally {
      query.isLoading = false;
    }
  }

  /** Continues the search automatically while it has few results, because matching events may be far apart. */
  async #continueSearch(query) {
    try {
      for (let attempt = 0; attempt < maximumAutomaticPages && this.#query === query && query.isSearch && query.next !== null && this.#table.count < minimumResults; attempt += 1) await this.#loadMore(query, query.next);
    } catch {
      // The error was shown; a retry continues the search from this page.
    }
  }

  #applyResponse(query, response) {
    query.hasResponse = true;
    query.next = response.next ?? null;
    query.searched += response.searched ?? 0;
    query.of = response.of ?? query.of;
    this.#showEmptyState(query.isFiltered, null);
  }

  #updateStatus(query) {
    if (this.#query !== query) return;
    // The search has either finished or covered only part of all events so far.
    const progress = query.next === null && !query.isLoading ? "search complete" : `searched ${formatNumber(query.searched)} of ${formatNumber(Math.max(query.of, query.searched))}`;
    const searched = query.isSearch ? progress : "";
    const text = [searched, query.problem !== null && this.#table.count > 0 ? query.problem : ""].filter(Boolean).join(" · ");
    this.#table.setStatus({ text, isLoading: query.isLoading, hasResponse: query.hasResponse, moreLabel: query.isCleared ? "Load older events" : query.next === null ? null : query.isSearch ? "Search older events" : "Load older events" });
  }
}

/** Returns the later of two positions, such as 3.88213.7. */
function laterPosition(one, other) {
  const [a, b] = [one, other].map((position) => position.split(".").map(Number));
  const index = a.findIndex((part, position) => part !== b[position]);
  return index >= 0 && a[index] > b[index] ? one : other;
}
