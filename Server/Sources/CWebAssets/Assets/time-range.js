// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A query's time range: a calendar period such as yesterday, the last hours or days, or from one date through another.

import { h } from "./dom.js";
import { addDays, dateInZone, defaultZone, formatDateTimeInZone, isDate, isTimeZone, startOfDay, startOfWeek } from "./time-zones.js";

const oneMinute = 60_000;
const oneHour = 60 * oneMinute;
const oneDay = 24 * oneHour;
const maximumDays = 3660;
/** The value of `last` for a range that begins with the first event. */
export const allTime = "all";
/** The values of `last` with a button, each with its label. Other durations, such as 14d, are valid in URLs. */
const presets = {
  today: "Today", yesterday: "Yesterday", "24h": "24 h",
  "this-week": "This week", "last-week": "Last week", "7d": "7 days",
  "this-month": "This month", "last-month": "Last month", "30d": "30 days",
  "90d": "90 days", [allTime]: "All time",
};
const defaultPreset = "30d";

/** The calendar periods with their labels; their days begin at midnight in the query's zone, and weeks on the project's first day. */
export const calendarPeriods = Object.fromEntries(["today", "yesterday", "this-week", "last-week", "this-month", "last-month"].map((name) => [name, presets[name]]));

/** An error in a query, with the invalid parameter and a message. */
export class InvalidQueryError extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** Returns the query's time zone. */
export function queryZone(params) {
  const zone = params.get("zone") || defaultZone();
  if (!isTimeZone(zone)) throw new InvalidQueryError("zone", `“${zone.slice(0, 64)}” is not the name of a time zone, such as Europe/Berlin or UTC.`);
  return zone;
}

/**
 * Returns the time range of a query: {from, to, isOpen, defaultInterval, text}. `isOpen`: whether the range has not
 * ended yet. `earliest` is the time of the first event, for a range of all time.
 */
export function queryRange(params, now, earliest = null) {
  const zone = queryZone(params);
  const [first, through] = [params.get("from"), params.get("to")];
  const last = params.get("last") || (first || through ? "" : defaultPreset);
  if (last && (first || through)) throw new InvalidQueryError("last", "Use either “last” or dates; the URL has both.");
  if (last) {
    const [from, to] = relativeRange(last, now, zone, earliest);
    return makeRange(from, to, now, zone);
  }
  for (const [field, date] of [["from", first], ["to", through]]) {
    if (!isDate(date)) throw new InvalidQueryError(field, `“${date.slice(0, 64)}” is not a date. “from” and “to” must be dates, such as 2026-11-21.`);
  }
  if (through < first) throw new InvalidQueryError("to", `The end ${through} is before the start ${first}: choose a later end.`);
  return makeRange(startOfDay(first, zone), startOfDay(addDays(through, 1), zone), now, zone);
}

/** Returns the start and the end of a range such as `yesterday` or `7d`. Throws InvalidQueryError. */
function relativeRange(last, now, zone, earliest) {
  const today = dateInZone(now, zone);
  const start = (date) => startOfDay(date, zone);
  const week = startOfWeek(today);
  const firstOfMonth = (date) => `${date.slice(0, 7)}-01`;
  const calendarRange = {
    today: () => [start(today), now],
    yesterday: () => [start(addDays(today, -1)), start(today)],
    "this-week": () => [start(week), now],
    "last-week": () => [start(addDays(week, -7)), start(week)],
    "this-month": () => [start(firstOfMonth(today)), now],
    "last-month": () => [start(firstOfMonth(addDays(firstOfMonth(today), -1))), start(firstOfMonth(today))],
    [allTime]: () => [start(dateInZone(earliest ?? now, zone)), now],
  }[last];
  if (calendarRange && Object.hasOwn(presets, last)) return calendarRange();
  const [, digits, unit] = /^([1-9]\d{0,6})([dhm])$/.exec(last) ?? [];
  const unitLength = { d: oneDay, h: oneHour, m: oneMinute }[unit];
  if (unit === undefined || digits * unitLength > maximumDays * oneDay) throw new InvalidQueryError("last", `“${last.slice(0, 64)}” is not a time range: write ${Object.keys(calendarPeriods).join(", ")}, ${allTime}, or a duration such as 24h or 14d of at most ${maximumDays} days.`);
  return [unit === "d" ? start(addDays(today, 1 - digits)) : (Math.floor(now / unitLength) - digits + 1) * unitLength, now];
}

function makeRange(from, to, now, zone) {
  const isOpen = to >= now;
  const date = (ms) => formatDateTimeInZone(ms, zone).replace(/, \d\d:\d\d$/, "");
  const dates = [...new Set([date(from), date(isOpen ? Math.min(to, now) : to - 1)])];
  const isWholeDays = startOfDay(dateInZone(from, zone), zone) === from;
  const text = isWholeDays ? dates.join(" – ") : `${formatDateTimeInZone(from, zone)} – ${formatDateTimeInZone(to, zone)}`;
  const length = to - from;
  const defaultInterval = length <= 50 * oneHour ? "hour" : length <= 400 * oneDay ? "day" : length <= 1500 * oneDay ? "week" : "month";
  return { from, to, isOpen, defaultInterval, text };
}

/** Returns whether the collector calculates this value of `last`, such as `yesterday`. */
export const isCalendarRange = (last) => Object.hasOwn(calendarPeriods, last) || last === allTime;

/** The part of the form for the time range. `onChange()` is called when the time range changes. */
export class TimeRangeField {
  keys = ["last", "from", "to"];
  #last;
  #from;
  #to;
  #dates;

  constructor(params, onChange) {
    const today = dateInZone(Date.now(), isTimeZone(params.get("zone") || defaultZone()) ? params.get("zone") || defaultZone() : "UTC");
    this.#last = params.has("from") || params.has("to") ? "" : params.get("last") || defaultPreset;
    const date = (key, label, defaultDate) => h("input", { type: "date", "aria-label": label, "data-field": key, min: "1970-01-01", max: "2199-12-31", value: isDate(params.get(key)) ? params.get(key) : defaultDate });
    this.#from = date("from", "From", addDays(today, -29));
    this.#to = date("to", "Through", today);
    this.#dates = h("div", { class: "form-dates" }, this.#from, h("span", { "aria-hidden": "true" }, "–"), this.#to);
    const select = (last) => {
      this.#last = last;
      this.#updateButtons();
      onChange();
    };
    const button = (last, text) => h("button", { type: "button", "data-last": last, onclick: () => select(last) }, text);
    this.node = h("fieldset", { class: "form-part" }, h("legend", {}, "Time range"),
      h("div", { class: "segmented wide time-presets" }, Object.entries(presets).map(([last, text]) => button(last, text)), button("", "Dates")), this.#dates);
    this.#updateButtons();
  }

  read() {
    return this.#last ? [["last", this.#last]] : [["from", this.#from.value], ["to", this.#to.value]];
  }

  #updateButtons() {
    this.#dates.hidden = this.#last !== "";
    for (const button of this.node.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.last === this.#last));
  }
}
