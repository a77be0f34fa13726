// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The parts of an insight's form. Each has a `node`, the `keys` of its parameters, and `read()`, which returns its names and values.

import { comparisons, readCondition, writeCondition } from "./conditions.js";
import { h } from "./dom.js";

const typed = { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" };

/** A line of text with a label; `list` names the suggestions. */
export class Line {
  constructor(asked, { key, label, placeholder = null, list = null }) {
    this.keys = [key];
    this.input = h("input", { ...typed, "data-field": key, placeholder, list, value: asked.get(key) });
    this.node = h("label", { class: "form-part" }, h("span", {}, label), this.input);
  }

  read() {
    return said(this.keys[0], this.input.value);
  }
}

/** A choice of a few options; the first is the default. */
export class Choice {
  #first;

  constructor(asked, { key, label, options }) {
    this.keys = [key];
    this.#first = options[0][0];
    const chosen = asked.get(key) || this.#first;
    // A value from the URL remains selected even if it is not an option; the collector reports the error.
    const all = options.some(([value]) => value === chosen) ? options : [...options, [chosen, chosen.slice(0, 40)]];
    this.select = h("select", { "data-field": key }, all.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
    this.node = h("label", { class: "form-part" }, h("span", {}, label), this.select);
  }

  read() {
    return this.select.value === this.#first ? [] : [[this.keys[0], this.select.value]];
  }
}

/** A checkbox. */
export class Check {
  #value;

  constructor(asked, { key, value, label }) {
    this.keys = [key];
    this.#value = value;
    this.input = h("input", { type: "checkbox", "data-field": key, checked: asked.get(key) === value });
    this.node = h("label", { class: "form-check" }, this.input, label);
  }

  read() {
    return this.input.checked ? [[this.keys[0], this.#value]] : [];
  }
}

/** What is measured, and of which attribute. */
export class Measure {
  keys = ["measure", "texts"];
  #kind;
  #attribute;
  #texts;

  constructor(asked) {
    const [kind, ...rest] = (asked.get("measure") || "events").split(":");
    const options = [["events", "Events"], ["users", "Users"], ["installations", "Installations"], ["sum", "Sum of"], ["average", "Average of"], ["p95", "95th percentile of"]];
    if (!options.some(([value]) => value === kind)) options.push([kind, kind.slice(0, 40)]);
    this.#kind = h("select", { "data-field": "measure" }, options.map(([value, text]) => h("option", { value, selected: value === kind }, text)));
    this.#attribute = h("input", { ...typed, list: "attributes", placeholder: "attribute, such as total", "aria-label": "Measured attribute", value: rest.join(":") });
    this.#texts = h("input", { type: "checkbox", "data-field": "texts", checked: asked.get("texts") === "numbers" });
    const check = h("label", { class: "form-check" }, this.#texts, "Parse text such as “12.50” as numbers");
    const follow = () => {
      this.#attribute.hidden = !["sum", "average", "p95"].includes(this.#kind.value);
      check.hidden = this.#attribute.hidden;
    };
    this.#kind.addEventListener("change", follow);
    follow();
    this.node = h("div", { class: "form-part" }, h("label", {}, h("span", {}, "Measure"), this.#kind), this.#attribute, check);
  }

  read() {
    const kind = this.#kind.value;
    if (kind === "events") return [];
    if (this.#attribute.hidden) return [["measure", kind]];
    // The attribute has not been chosen yet.
    const attribute = this.#attribute.value.trim();
    if (attribute === "") return [];
    return [["measure", `${kind}:${attribute}`], ...(this.#texts.checked ? [["texts", "numbers"]] : [])];
  }
}

/** The attribute to group by, and whether values with the same text form one group. */
export class Group {
  keys = ["by", "values"];
  #by;
  #texts;

  constructor(asked) {
    this.#by = h("input", { ...typed, "data-field": "by", placeholder: "attribute, or context.app.version", list: "attributes", value: asked.get("by") });
    this.#texts = h("input", { type: "checkbox", "data-field": "values", checked: asked.get("values") === "texts" });
    const check = h("label", { class: "form-check" }, this.#texts, "Group values with the same text, such as 1 and “1”");
    const follow = () => (check.hidden = this.#by.value.trim() === "");
    this.#by.addEventListener("input", follow);
    follow();
    this.node = h("div", { class: "form-part" }, h("label", {}, h("span", {}, "Group by"), this.#by), check);
  }

  read() {
    const by = said("by", this.#by.value);
    return [...by, ...(by.length > 0 && this.#texts.checked ? [["values", "texts"]] : [])];
  }
}

/** Rows that can be added and removed. `make(value)` returns {node, first, read()}; `changed()` is called after a removal. */
export class Rows {
  #make;
  #most;
  #rows = [];
  #list = h("ul", { class: "form-rows" });
  #add;
  #changed;
  #what;

  constructor({ label, add, what, values, most, make, changed }) {
    this.#make = make;
    this.#most = most;
    this.#changed = changed;
    this.#what = what;
    this.#add = h("button", { type: "button", class: "link form-add", onclick: () => this.#append("").first.focus() }, add);
    this.node = h("fieldset", { class: "form-part" }, h("legend", {}, label), this.#list, this.#add);
    for (const value of values) this.#append(value);
  }

  read() {
    return this.#rows.flatMap((row) => row.read());
  }

  #append(value) {
    const row = this.#make(value);
    const number = () => this.#rows.indexOf(row) + 1;
    const remove = h("button", { type: "button", class: "icon-button small", "aria-label": `Remove this ${this.#what}`, title: `Remove this ${this.#what}` }, "×");
    remove.addEventListener("click", () => {
      const at = number() - 1;
      this.#rows.splice(at, 1);
      item.remove();
      (this.#rows[Math.min(at, this.#rows.length - 1)]?.first ?? this.#add).focus();
      this.#follow();
      this.#changed();
    });
    const item = h("li", {}, row.node, remove);
    this.#rows.push(row);
    this.#list.append(item);
    this.#follow();
    return row;
  }

  #follow() {
    this.#add.hidden = this.#rows.length >= this.#most;
    this.#list.hidden = this.#rows.length === 0;
  }
}

/** The events of a query; without any, all events count. */
export function names(asked, changed, { key = "name", label = "Events" } = {}) {
  const given = asked.all(key);
  const rows = new Rows({
    label, add: "Add event", what: "event", most: 10, changed, values: given.length > 0 ? given : [""],
    make: (value) => {
      const first = h("input", { ...typed, list: "event-names", "aria-label": label === "Events" ? "Event" : label, placeholder: "any event", "data-field": key, value });
      return { node: first, first, read: () => said(key, first.value) };
    },
  });
  rows.keys = [key];
  return rows;
}

/** Filters of one parameter (`where`, `where.2`). */
export function conditions(asked, changed, { key = "where", label = "Filters", add = "Add filter" } = {}) {
  const make = (text) => {
    const { name, comparison, value } = text === "" ? { name: "", comparison: "=", value: "" } : readCondition(text, key);
    const first = h("input", { ...typed, list: "attributes", "aria-label": "Attribute", placeholder: "attribute", "data-field": key, value: name });
    const select = h("select", { "aria-label": "Comparison" }, comparisons.map(([written, called]) => h("option", { value: written, selected: written === comparison }, called)));
    const input = h("input", { ...typed, "aria-label": "Value", placeholder: "value", value });
    const follow = () => (input.hidden = select.value.endsWith("*"));
    select.addEventListener("change", follow);
    follow();
    return {
      node: h("div", { class: "form-condition", role: "group", "aria-label": "Filter" }, first, select, input), first,
      read: () => said(key, writeCondition({ name: first.value.trim(), comparison: select.value, value: input.value })),
    };
  };
  const rows = new Rows({ label, add, what: "filter", most: 10, changed, make, values: asked.all(key).filter((text) => isReadable(text, key)) });
  rows.keys = [key];
  return rows;
}

// An unreadable filter is reported next to the results and is not put into the form.
function isReadable(text, key) {
  try {
    return Boolean(readCondition(text, key));
  } catch {
    return false;
  }
}

/** Returns the pair, or nothing for an empty text. */
export const said = (key, value) => (value === null || value === "" ? [] : [[key, value]]);
