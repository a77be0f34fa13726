// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The events behind a point of a trend, last received first, with links to their details and their users.

import { errorMessage, getJSON } from "./api.js";
import { h, setText } from "./dom.js";
import { formatCondition } from "./filter-conditions.js";
import { formatDateTime, pluralize, printable, shortID } from "./format.js";
import { eventSummary, eventTime } from "./live-table.js";
import { comparePositions } from "./user-timeline.js";
import { encodeQuery } from "./url.js";

const pageSize = 50;
/** The maximum number of requests for one page, because a page of a search can be empty. */
const maximumRequests = 10;

/**
 * The events of one point. `query` contains the collector's parameters of the trend, and `result` is its response;
 * `openEvent(stored)` shows an event.
 */
export class PointEvents {
  #sources;
  #openEvent;
  #requestKey;
  #shownCount = 0;
  #rows = h("tbody", {});
  #table = h("div", { class: "data-table-frame", tabindex: "0", role: "region", "aria-label": "Events, table", hidden: true },
    h("table", { class: "data-table event-table" }, h("thead", {}, h("tr", {}, ["Time", "Event", "User", "Attributes"].map((text) => h("th", { scope: "col", class: "text-column" }, text)))), this.#rows));
  #more = h("button", { type: "button", class: "button small", hidden: true, onclick: () => this.#load() }, "Show more");
  note = h("p", { class: "panel-note", role: "status" }, "Loading…");
  nodes = [this.#table, h("p", { class: "people-more" }, this.#more)];

  constructor({ query, params, result, openEvent, requestKey }) {
    this.#openEvent = openEvent;
    this.#requestKey = requestKey;
    const conditions = groupConditions(params, result);
    const range = pointRange(params, query, result);
    if (conditions === null || range === null) {
      setText(this.note, range === null ? "The URL’s point is not in the time range." : "The events of this group cannot be listed, because its value is not a text, a number or a boolean.");
      return;
    }
    const pairs = [...query.filter(([key]) => ["where", "run", "user", "installation"].includes(key)), ...conditions.map((text) => ["where", text]), ...range];
    const names = query.filter(([key]) => key === "name");
    // The collector lists events of one name at a time, so the lists of several names are merged.
    this.#sources = (names.length === 0 ? [[]] : names.map((name) => [name])).map((name) => ({ pairs: [...name, ...pairs], buffer: [], next: null, isDone: false }));
    this.#load();
  }

  async #load() {
    this.#more.disabled = true;
    try {
      const events = await this.#nextEvents();
      this.#rows.append(...events.map((stored) => this.#row(stored)));
      this.#shownCount += events.length;
      const hasMore = this.#sources.some(({ isDone, buffer }) => !isDone || buffer.length > 0);
      setText(this.note, this.#shownCount === 0 ? (hasMore ? "No events found yet" : "No events") : `${hasMore ? "latest " : ""}${pluralize(this.#shownCount, "event")}, last received first`);
      this.#table.hidden = this.#shownCount === 0;
      this.#more.hidden = !hasMore;
    } catch (error) {
      if (error.needsKey) this.#requestKey();
      setText(this.note, errorMessage(error));
    } finally {
      this.#more.disabled = false;
    }
  }

  /** Returns the next page of the merged lists. */
  async #nextEvents() {
    const events = [];
    let requestCount = 0;
    while (events.length < pageSize) {
      for (const source of this.#sources) {
        while (source.buffer.length === 0 && !source.isDone) {
          if (requestCount >= maximumRequests * this.#sources.length) return events;
          requestCount += 1;
          const page = await getJSON(`/v1/events?${encodeQuery([...source.pairs, ["limit", String(pageSize)], ...(source.next === null ? [] : [["after", source.next]])])}`);
          source.buffer.push(...page.events);
          source.next = page.next ?? null;
          source.isDone = source.next === null;
        }
      }
      const latest = this.#sources.filter(({ buffer }) => buffer.length > 0).reduce((found, source) => (found === null || comparePositions(source.buffer[0].position, found.buffer[0].position) > 0 ? source : found), null);
      if (latest === null) break;
      events.push(latest.buffer.shift());
    }
    return events;
  }

  #row(stored) {
    const { user, installation, event } = stored;
    const key = user === undefined ? `installation:${installation}` : `user:${user}`;
    const person = user === undefined && installation === undefined ? "–" : h("a", { href: `/?visitors=${encodeURIComponent(key)}`, dir: "auto" }, user === undefined ? `Visitor ${shortID(installation)}` : printable(user).slice(0, 60));
    return h("tr", {},
      h("td", { class: "text-column" }, formatDateTime(eventTime(stored)).slice(0, 19)),
      h("td", { class: "text-column" }, h("button", { type: "button", class: "link", dir: "auto", onclick: () => this.#openEvent(stored) }, printable(event.name).slice(0, 60))),
      h("td", { class: "text-column" }, person),
      h("td", { class: "text-column event-attributes" }, eventSummary(event)));
  }
}

/** Returns the parameters of the point's time range: its interval, or the whole range; null if it has none. */
function pointRange(params, query, { edges, edges_before: edgesBefore }) {
  const isBefore = params.get("period") === "before";
  const times = isBefore ? edgesBefore : edges;
  if (times === undefined) return null;
  if (params.get("point") === "total") {
    const given = query.filter(([key]) => key === "from" || key === "to");
    return isBefore || given.length === 0 ? [["from", String(times[0])], ["to", String(times.at(-1))]] : given;
  }
  const point = Number(params.get("point"));
  const index = point < times.length ? point : times.findLastIndex((start) => start <= point);
  return Number.isInteger(index) && index >= 0 && index < times.length - 1 ? [["from", String(times[index])], ["to", String(times[index + 1])]] : null;
}

/** Returns the conditions of the point's group; an empty list without a group, null if conditions cannot express it. */
function groupConditions(params, { series }) {
  const [attributes, group] = [params.getAll("by"), params.get("group")];
  if (group === "" || attributes.length === 0) return [];
  const isPlain = attributes.length === 1 && !params.has("buckets");
  if (group === "other") return isPlain ? otherConditions(attributes[0], series, params) : null;
  let value;
  try {
    value = JSON.parse(group);
  } catch {
    return null;
  }
  const values = attributes.length === 1 ? [value] : value;
  if (!Array.isArray(values) || values.length !== attributes.length) return null;
  const parts = values.map((part, index) => (index === 0 && params.has("buckets") ? bucketConditions(attributes[0], part) : valueConditions(attributes[index], part, attributes.length === 1 ? group : JSON.stringify(part), params)));
  return parts.includes(null) ? null : parts.flat();
}

const conditionOn = (by) => (comparison, value = "") => formatCondition({ name: by, comparison, value });

/** Whether only a value without quotation marks equals the group: with groups by text, “7” and 7 are one group. */
const isSameText = (value, params) => params.has("values") && typeof value === "string" && /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value);

/** Returns the conditions of the group of all other values; conditions cannot exclude lists and objects. */
function otherConditions(by, series, params) {
  const condition = conditionOn(by);
  const values = series.filter((item) => "group" in item).map((item) => item.group);
  const shown = values.filter((value) => value !== null);
  if (shown.some((value) => typeof value === "object")) return null;
  return [...(values.length > shown.length ? [condition("=*")] : []), condition("≠[]", shown.map((value) => (isSameText(value, params) ? value : JSON.stringify(value))).join(","))];
}

/** Returns the conditions of a range of numbers; no condition matches every value that is not a number. */
function bucketConditions(by, bucket) {
  if (bucket === null || typeof bucket !== "object") return null;
  return [["≥", bucket.from], ["<", bucket.to]].filter(([, limit]) => limit !== undefined).map(([comparison, limit]) => conditionOn(by)(comparison, String(limit)));
}

/** `json` is the value as JSON. */
function valueConditions(by, value, json, params) {
  const condition = conditionOn(by);
  if (value === null) return [condition("≠*")];
  if (typeof value === "object") return null;
  if (params.has("values")) return [condition("=", typeof value === "string" && !isSameText(value, params) ? JSON.stringify(value) : String(value))];
  // A text in quotation marks equals only text, and a number or a boolean also equals a text that is written the same.
  return typeof value === "string" ? [condition("=", JSON.stringify(value))] : [condition("=", json), condition("≠", JSON.stringify(json))];
}
