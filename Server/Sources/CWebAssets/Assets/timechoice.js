// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The time range of the live table: any, the last hours or days, or from one date through another.

import { Asked } from "./asked.js";
import { byId, h } from "./dom.js";
import { rangeOf, WrongQuestion } from "./range.js";
import { dateAfter, dateOf, isDate, ownZone } from "./zones.js";

const choices = { "": "Any time", "24h": "Last 24 h", "7d": "Last 7 days", "30d": "Last 30 days", "90d": "Last 90 days", dates: "Dates" };

/** The control in the table's header. `changed()` is called when the range changes. */
export class TimeChoice {
  keys = ["last", "from", "to"];
  #changed;
  #select;
  #from;
  #to;
  #dates;

  constructor(changed) {
    this.#changed = changed;
    this.#select = h("select", { "aria-label": "Time range of the events" }, Object.entries(choices).map(([value, text]) => h("option", { value }, text)));
    const date = (label) => h("input", { type: "date", "aria-label": label, min: "1970-01-01", max: "2199-12-31" });
    this.#from = date("From");
    this.#to = date("Through");
    this.#dates = h("span", { class: "time-dates", hidden: true }, this.#from, h("span", { "aria-hidden": "true" }, "–"), this.#to);
    byId("time-choice").replaceChildren(this.#select, this.#dates);
    byId("time-choice").addEventListener("change", () => {
      const today = dateOf(Date.now(), ownZone());
      if (this.#select.value === "dates" && !isDate(this.#from.value)) [this.#from.value, this.#to.value] = [dateAfter(today, -6), today];
      this.#dates.hidden = this.#select.value !== "dates";
      this.#changed();
    });
  }

  /** The chosen range, for the URL. */
  get pairs() {
    const chosen = this.#select.value;
    if (chosen === "dates") return [["from", this.#from.value], ["to", this.#to.value]];
    return chosen === "" ? [] : [["last", chosen]];
  }

  /** The range: {from, to, isOpen}; null for any time, and while a date is being typed. */
  get range() {
    try {
      return this.pairs.length === 0 ? null : rangeOf(new Asked(this.pairs), Date.now());
    } catch (error) {
      if (!(error instanceof WrongQuestion)) throw error;
      return null;
    }
  }

  /** Resets the range to any time. */
  clear() {
    this.restore([]);
  }

  /** Restores the range from the URL. Returns an error message, or null; after an error the range is any time. */
  restore(pairs) {
    const own = pairs.filter(([key]) => this.keys.includes(key));
    let wrong = null;
    try {
      if (own.length > 0) rangeOf(new Asked([...own]), Date.now());
    } catch (error) {
      if (!(error instanceof WrongQuestion)) throw error;
      wrong = error.message;
    }
    const find = (key) => (wrong === null ? own.find(([name]) => name === key)?.[1] ?? "" : "");
    const isDated = find("from") !== "" || find("to") !== "";
    this.#select.value = isDated ? "dates" : find("last");
    this.#from.value = find("from");
    this.#to.value = find("to");
    this.#dates.hidden = !isDated;
    return wrong;
  }
}
