// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The time range of the live table: any time, a calendar period, the last hours or days, or from one date through another.

import { byId, h } from "./dom.js";
import { QueryParams } from "./query-params.js";
import { calendarPeriods, InvalidQueryError, queryRange } from "./time-range.js";
import { addDays, defaultZone, dateInZone, isDate } from "./time-zones.js";

const options = { "": "Any time", ...calendarPeriods, "24h": "Last 24 h", "7d": "Last 7 days", "30d": "Last 30 days", "90d": "Last 90 days", dates: "Dates" };

/** The control in the table's header. `onChange()` is called when the range changes. */
export class TimeRangeSelect {
  keys = ["last", "from", "to"];
  #onChange;
  #select;
  #from;
  #to;
  #dates;

  constructor(onChange) {
    this.#onChange = onChange;
    this.#select = h("select", { "aria-label": "Time range of the events" }, Object.entries(options).map(([value, text]) => h("option", { value }, text)));
    const date = (label) => h("input", { type: "date", "aria-label": label, min: "1970-01-01", max: "2199-12-31" });
    this.#from = date("From");
    this.#to = date("Through");
    this.#dates = h("span", { class: "time-dates", hidden: true }, this.#from, h("span", { "aria-hidden": "true" }, "–"), this.#to);
    byId("time-choice").replaceChildren(this.#select, this.#dates);
    byId("time-choice").addEventListener("change", () => {
      const today = dateInZone(Date.now(), defaultZone());
      if (this.#select.value === "dates" && !isDate(this.#from.value)) [this.#from.value, this.#to.value] = [addDays(today, -6), today];
      this.#dates.hidden = this.#select.value !== "dates";
      this.#onChange();
    });
  }

  /** The selected range as URL parameters. */
  get pairs() {
    const selected = this.#select.value;
    if (selected === "dates") return [["from", this.#from.value], ["to", this.#to.value]];
    return selected === "" ? [] : [["last", selected]];
  }

  /** The range as {from, to, isOpen}; null for any time and while a date is being typed. */
  get range() {
    try {
      return this.pairs.length === 0 ? null : queryRange(new QueryParams(this.pairs), Date.now());
    } catch (error) {
      if (!(error instanceof InvalidQueryError)) throw error;
      return null;
    }
  }

  /** Resets the range to “any time”. */
  clear() {
    this.restore([]);
  }

  /** Restores the range from the URL. Returns an error message, or null; after an error, the range is “any time”. */
  restore(pairs) {
    const rangePairs = pairs.filter(([key]) => this.keys.includes(key));
    let errorMessage = null;
    try {
      const params = new QueryParams([...rangePairs]);
      if (params.has("last") && !Object.hasOwn(options, params.get("last"))) throw new InvalidQueryError("last", `“${params.get("last").slice(0, 64)}” is not one of ${Object.keys(options).filter((name) => name !== "" && name !== "dates").join(", ")}.`);
      if (rangePairs.length > 0) queryRange(params, Date.now());
    } catch (error) {
      if (!(error instanceof InvalidQueryError)) throw error;
      errorMessage = error.message;
    }
    const find = (key) => (errorMessage === null ? rangePairs.find(([name]) => name === key)?.[1] ?? "" : "");
    const isDated = find("from") !== "" || find("to") !== "";
    this.#select.value = isDated ? "dates" : find("last");
    this.#from.value = find("from");
    this.#to.value = find("to");
    this.#dates.hidden = !isDated;
    return errorMessage;
  }
}
