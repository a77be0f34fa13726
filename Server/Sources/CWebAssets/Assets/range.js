// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A query's time range: the last hours or days, or from one date through another.

import { h } from "./dom.js";
import { dateAfter, dateAndTime, dateOf, dayStart, isDate, isZone, ownZone } from "./zones.js";

const hour = 3_600_000;
const lasts = { "24h": "24 h", "7d": "7 days", "30d": "30 days", "90d": "90 days" };
const usual = "30d";

/** An invalid part of a query: the parameter, and a message. */
export class WrongQuestion extends Error {
  constructor(field, message) {
    super(message);
    this.field = field;
  }
}

/** Returns the query's time zone. */
export function zoneOf(asked) {
  const zone = asked.get("zone") || ownZone();
  if (!isZone(zone)) throw new WrongQuestion("zone", `“${zone.slice(0, 64)}” is not the name of a time zone, such as Europe/Berlin or UTC.`);
  return zone;
}

/** Returns the time range of a query: {from, to, isOpen, usualInterval, text}. `isOpen`: the range has not ended yet. */
export function rangeOf(asked, now) {
  const zone = zoneOf(asked);
  const [first, through] = [asked.get("from"), asked.get("to")];
  const last = asked.get("last") || (first || through ? "" : usual);
  if (last && (first || through)) throw new WrongQuestion("last", "Use either “last” or dates; the URL has both.");
  if (last) {
    if (!(last in lasts)) throw new WrongQuestion("last", `“${last.slice(0, 64)}” is not one of ${Object.keys(lasts).join(", ")}.`);
    const from = last === "24h" ? Math.floor(now / hour) * hour - 23 * hour : dayStart(dateAfter(dateOf(now, zone), 1 - parseInt(last, 10)), zone);
    return described(from, now, now, zone);
  }
  for (const [field, date] of [["from", first], ["to", through]]) {
    if (!isDate(date)) throw new WrongQuestion(field, `“${date.slice(0, 64)}” is not a date. “from” and “to” must be dates, such as 2026-11-21.`);
  }
  if (through < first) throw new WrongQuestion("to", `The end ${through} is before the start ${first}: choose a later end.`);
  return described(dayStart(first, zone), dayStart(dateAfter(through, 1), zone), now, zone);
}

function described(from, to, now, zone) {
  const isOpen = to >= now;
  const text = to - from <= 26 * hour
    ? `${dateAndTime(from, zone)} – ${dateAndTime(to, zone)}`
    : [from, isOpen ? Math.min(to, now) : to - 1].map((ms) => dateAndTime(ms, zone).replace(/, \d\d:\d\d$/, "")).join(" – ");
  return { from, to, isOpen, usualInterval: to - from <= 50 * hour ? "hour" : "day", text };
}

/** The form's part for the time range. `changed()` is called when it changes. */
export class Range {
  keys = ["last", "from", "to"];
  #last;
  #from;
  #to;
  #dates;

  constructor(asked, changed) {
    const today = dateOf(Date.now(), isZone(asked.get("zone") || ownZone()) ? asked.get("zone") || ownZone() : "UTC");
    this.#last = asked.has("from") || asked.has("to") ? "" : asked.get("last") || usual;
    const date = (key, label, usualDate) => h("input", { type: "date", "aria-label": label, "data-field": key, min: "1970-01-01", max: "2199-12-31", value: isDate(asked.get(key)) ? asked.get(key) : usualDate });
    this.#from = date("from", "From", dateAfter(today, -29));
    this.#to = date("to", "Through", today);
    this.#dates = h("div", { class: "form-dates" }, this.#from, h("span", { "aria-hidden": "true" }, "–"), this.#to);
    const choose = (last) => {
      this.#last = last;
      this.#mark();
      changed();
    };
    const button = (last, text) => h("button", { type: "button", "data-last": last, onclick: () => choose(last) }, text);
    this.node = h("fieldset", { class: "form-part" }, h("legend", {}, "Time range"),
      h("div", { class: "segmented wide" }, Object.entries(lasts).map(([last, text]) => button(last, text)), button("", "Dates")), this.#dates);
    this.#mark();
  }

  read() {
    return this.#last ? [["last", this.#last]] : [["from", this.#from.value], ["to", this.#to.value]];
  }

  #mark() {
    this.#dates.hidden = this.#last !== "";
    for (const button of this.node.querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.last === this.#last));
  }
}
