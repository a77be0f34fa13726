// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A query's time range: the last hours or days, or from one date through another.

import { h } from "./dom.js";
import { addDays, browserZone, dateInZone, formatDateTimeInZone, isDate, isTimeZone, startOfDay } from "./time-zones.js";

const oneHour = 3_600_000;
const presets = { "24h": "24 h", "7d": "7 days", "30d": "30 days", "90d": "90 days" };
const defaultPreset = "30d";

/** An error in a query, with the invalid parameter and a message. */
export class InvalidQueryError extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** Returns the query's time zone. */
export function queryZone(params) {
  const zone = params.get("zone") || browserZone();
  if (!isTimeZone(zone)) throw new InvalidQueryError("zone", `“${zone.slice(0, 64)}” is not the name of a time zone, such as Europe/Berlin or UTC.`);
  return zone;
}

/**
 * Returns the time range of a query: {from, to, isOpen, defaultInterval, text}. `isOpen`: whether the range has not
 * ended yet.
 */
export function queryRange(params, now) {
  const zone = queryZone(params);
  const [first, through] = [params.get("from"), params.get("to")];
  const last = params.get("last") || (first || through ? "" : defaultPreset);
  if (last && (first || through)) throw new InvalidQueryError("last", "Use either “last” or dates; the URL has both.");
  if (last) {
    if (!(last in presets)) throw new InvalidQueryError("last", `“${last.slice(0, 64)}” is not one of ${Object.keys(presets).join(", ")}.`);
    const from = last === "24h" ? Math.floor(now / oneHour) * oneHour - 23 * oneHour : startOfDay(addDays(dateInZone(now, zone), 1 - parseInt(last, 10)), zone);
    return makeRange(from, now, now, zone);
  }
  for (const [field, date] of [["from", first], ["to", through]]) {
    if (!isDate(date)) throw new InvalidQueryError(field, `“${date.slice(0, 64)}” is not a date. “from” and “to” must be dates, such as 2026-11-21.`);
  }
  if (through < first) throw new InvalidQueryError("to", `The end ${through} is before the start ${first}: choose a later end.`);
  return makeRange(startOfDay(first, zone), startOfDay(addDays(through, 1), zone), now, zone);
}

function makeRange(from, to, now, zone) {
  const isOpen = to >= now;
  const text = to - from <= 26 * oneHour
    ? `${formatDateTimeInZone(from, zone)} – ${formatDateTimeInZone(to, zone)}`
    : [from, isOpen ? Math.min(to, now) : to - 1].map((ms) => formatDateTimeInZone(ms, zone).replace(/, \d\d:\d\d$/, "")).join(" – ");
  return { from, to, isOpen, defaultInterval: to - from <= 50 * oneHour ? "hour" : "day", text };
}

/** The part of the form for the time range. `onChange()` is called when the time range changes. */
export class TimeRangeField {
  keys = ["last", "from", "to"];
  #last;
  #from;
  #to;
  #dates;

  constructor(params, onChange) {
    const today = dateInZone(Date.now(), isTimeZone(params.get("zone") || browserZone()) ? params.get("zone") || browserZone() : "UTC");
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
      h("div", { class: "segmented wide" }, Object.entries(presets).map(([last, text]) => button(last, text)), button("", "Dates")), this.#dates);
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
