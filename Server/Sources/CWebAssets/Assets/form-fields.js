// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The parts of an insight's form. Each part has a `node`, the `keys` of its parameters, and `read()`, which returns the
// names and values of its parameters.

import { h } from "./dom.js";
import { comparisons, formatConditions, maximumAlternatives, parseConditions } from "./filter-conditions.js";
import { loadValues } from "./suggestions.js";

const textInputAttributes = { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false" };

/** A labeled text field; `list` identifies the list of suggestions. */
export class TextField {
  constructor(params, { key, label, placeholder = null, list = null }) {
    this.keys = [key];
    this.input = h("input", { ...textInputAttributes, "data-field": key, placeholder, list, value: params.get(key) });
    this.node = h("label", { class: "form-part" }, h("span", {}, label), this.input);
  }

  read() {
    return nonEmptyPair(this.keys[0], this.input.value);
  }
}

/** A selection from a few options; the first option is the default. */
export class SelectField {
  #defaultValue;

  constructor(params, { key, label, options }) {
    this.keys = [key];
    this.#defaultValue = options[0][0];
    const selected = params.get(key) || this.#defaultValue;
    // A value from the URL remains selected even if it is not an option; the collector reports the error.
    const allOptions = options.some(([value]) => value === selected) ? options : [...options, [selected, selected.slice(0, 40)]];
    this.select = h("select", { "data-field": key }, allOptions.map(([value, text]) => h("option", { value, selected: value === selected }, text)));
    this.node = h("label", { class: "form-part" }, h("span", {}, label), this.select);
  }

  read() {
    return this.select.value === this.#defaultValue ? [] : [[this.keys[0], this.select.value]];
  }
}

/** A labeled checkbox for one parameter. */
export class CheckboxField {
  #value;

  constructor(params, { key, value, label }) {
    this.keys = [key];
    this.#value = value;
    this.input = h("input", { type: "checkbox", "data-field": key, checked: params.get(key) === value });
    this.node = h("label", { class: "form-check" }, this.input, label);
  }

  read() {
    return this.input.checked ? [[this.keys[0], this.#value]] : [];
  }
}

/** The fields for the measure and its attribute. */
export class MeasureField {
  keys = ["measure", "texts"];
  #kind;
  #attribute;
  #checkbox;

  constructor(params) {
    const [kind, ...rest] = (params.get("measure") || "events").split(":");
    const options = [["events", "Events"], ["users", "Users"], ["installations", "Installations"], ["groups", "Groups (accounts)"], ["sum", "Sum of"], ["average", "Average of"], ["p95", "95th percentile of"]];
    if (!options.some(([value]) => value === kind)) options.push([kind, kind.slice(0, 40)]);
    this.#kind = h("select", { "data-field": "measure" }, options.map(([value, text]) => h("option", { value, selected: value === kind }, text)));
    this.#attribute = h("input", { ...textInputAttributes, list: "attributes", placeholder: "attribute, such as total", "aria-label": "Measured attribute", value: rest.join(":") });
    this.#checkbox = h("input", { type: "checkbox", "data-field": "texts", checked: params.get("texts") === "numbers" });
    const checkboxLabel = h("label", { class: "form-check" }, this.#checkbox, "Parse text such as “12.50” as numbers");
    const updateVisibility = () => {
      const hasNumbers = ["sum", "average", "p95"].includes(this.#kind.value);
      const hasGroups = this.#kind.value === "groups";
      this.#attribute.hidden = !hasNumbers && !hasGroups;
      this.#attribute.placeholder = hasGroups ? "type, such as company" : "attribute, such as total";
      this.#attribute.setAttribute("aria-label", hasGroups ? "Type of group" : "Measured attribute");
      this.#attribute.setAttribute("list", hasGroups ? "" : "attributes");
      checkboxLabel.hidden = !hasNumbers;
    };
    this.#kind.addEventListener("change", updateVisibility);
    updateVisibility();
    this.node = h("div", { class: "form-part" }, h("label", {}, h("span", {}, "Measure"), this.#kind), this.#attribute, checkboxLabel);
  }

  read() {
    const kind = this.#kind.value;
    if (kind === "events") return [];
    if (this.#attribute.hidden) return [["measure", kind]];
    // The attribute has not been entered yet.
    const attribute = this.#attribute.value.trim();
    if (attribute === "") return [];
    return [["measure", `${kind}:${attribute}`], ...(kind !== "groups" && this.#checkbox.checked ? [["texts", "numbers"]] : [])];
  }
}

/** The fields for what is counted: users, or the groups of one type. */
export class UnitField {
  keys = ["unit"];
  #kind;
  #type;

  constructor(params) {
    const unit = params.get("unit") || "person";
    const isGroup = unit.startsWith("group:");
    const options = [["person", "Users"], ["group", "Groups (accounts)"]];
    // A value from the URL remains selected even if it is not an option; the collector reports the error.
    if (!isGroup && unit !== "person") options.push([unit, unit.slice(0, 40)]);
    this.#kind = h("select", { "data-field": "unit" }, options.map(([value, text]) => h("option", { value, selected: value === (isGroup ? "group" : unit) }, text)));
    this.#type = h("input", { ...textInputAttributes, placeholder: "type, such as company", "aria-label": "Type of group", value: isGroup ? unit.slice("group:".length) : "" });
    const updateVisibility = () => (this.#type.hidden = this.#kind.value !== "group");
    this.#kind.addEventListener("change", updateVisibility);
    updateVisibility();
    this.node = h("div", { class: "form-part" }, h("label", {}, h("span", {}, "Count"), this.#kind), this.#type);
  }

  read() {
    if (this.#kind.value !== "group") return this.#kind.value === "person" ? [] : [["unit", this.#kind.value]];
    // The type has not been entered yet.
    const type = this.#type.value.trim();
    return type === "" ? [] : [["unit", `group:${type}`]];
  }
}

const maximumGroupings = 3;

/** The fields for up to three attributes to group by, for buckets, and for whether values with the same text form one group. */
export class GroupField {
  keys = ["by", "buckets", "values"];
  #inputs;
  #buckets;
  #checkbox;

  constructor(params) {
    const attributes = params.getAll("by");
    this.#inputs = Array.from({ length: maximumGroupings }, (_, index) =>
      h("input", { ...textInputAttributes, "data-field": index === 0 ? "by" : `by-${index + 1}`, placeholder: "attribute, context.app.version or person.plan", list: "attributes", value: attributes[index] ?? "" }));
    this.#buckets = h("input", { ...textInputAttributes, "data-field": "buckets", placeholder: "10,50,100", value: params.get("buckets") });
    this.#checkbox = h("input", { type: "checkbox", "data-field": "values", checked: params.get("values") === "texts" });
    const checkboxLabel = h("label", { class: "form-check" }, this.#checkbox, "Group values with the same text, such as 1 and “1”");
    const labels = this.#inputs.map((input, index) => h("label", {}, h("span", {}, index === 0 ? "Group by" : "and by"), input));
    const bucketsLabel = h("label", {}, h("span", {}, "Limits between groups of numbers"), this.#buckets);
    const updateVisibility = () => {
      const isUsed = this.#inputs.map((input) => input.value.trim() !== "");
      checkboxLabel.hidden = bucketsLabel.hidden = !isUsed.includes(true);
      // An empty input for the next attribute follows the last one.
      labels.forEach((label, index) => (label.hidden = index > isUsed.lastIndexOf(true) + 1));
    };
    for (const input of this.#inputs) input.addEventListener("input", updateVisibility);
    updateVisibility();
    this.node = h("div", { class: "form-part" }, labels[0], bucketsLabel, ...labels.slice(1), checkboxLabel);
  }

  read() {
    const by = this.#inputs.flatMap((input) => nonEmptyPair("by", input.value));
    if (by.length === 0) return [];
    return [...by, ...nonEmptyPair("buckets", this.#buckets.value), ...(this.#checkbox.checked ? [["values", "texts"]] : [])];
  }
}

/**
 * Rows that can be added and removed. `makeRow(value)` returns {node, first, read()}; `onChange()` is called after a
 * removal.
 */
export class RepeatedField {
  #makeRow;
  #maximum;
  #rows = [];
  #list = h("ul", { class: "form-rows" });
  #add;
  #onChange;
  #itemName;

  constructor({ label, add, itemName, values, maximum, makeRow, onChange }) {
    this.#makeRow = makeRow;
    this.#maximum = maximum;
    this.#onChange = onChange;
    this.#itemName = itemName;
    this.#add = h("button", { type: "button", class: "link form-add", onclick: () => this.#append("").first.focus() }, add);
    this.node = h("fieldset", { class: "form-part" }, h("legend", {}, label), this.#list, this.#add);
    for (const value of values) this.#append(value);
  }

  read() {
    return this.#rows.flatMap((row) => row.read());
  }

  #append(value) {
    const row = this.#makeRow(value);
    const number = () => this.#rows.indexOf(row) + 1;
    const remove = h("button", { type: "button", class: "icon-button small", "aria-label": `Remove this ${this.#itemName}`, title: `Remove this ${this.#itemName}` }, "×");
    remove.addEventListener("click", () => {
      const at = number() - 1;
      this.#rows.splice(at, 1);
      item.remove();
      (this.#rows[Math.min(at, this.#rows.length - 1)]?.first ?? this.#add).focus();
      this.#updateVisibility();
      this.#onChange();
    });
    const item = h("li", {}, row.node, remove);
    this.#rows.push(row);
    this.#list.append(item);
    this.#updateVisibility();
    return row;
  }

  #updateVisibility() {
    this.#add.hidden = this.#rows.length >= this.#maximum;
    this.#list.hidden = this.#rows.length === 0;
  }
}

/** Returns the fields for the events of a query; without names, all events count. */
export function eventFields(params, onChange, { key = "name", label = "Events" } = {}) {
  const values = params.getAll(key);
  const rows = new RepeatedField({
    label, add: "Add event", itemName: "event", maximum: 10, onChange, values: values.length > 0 ? values : [""],
    makeRow: (value) => {
      const first = h("input", { ...textInputAttributes, list: "event-names", "aria-label": label === "Events" ? "Event" : label, placeholder: "any event", "data-field": key, value });
      return { node: first, first, read: () => nonEmptyPair(key, first.value) };
    },
  });
  rows.keys = [key];
  return rows;
}

/** The fields of one condition. `remove(fields)` is called by its button; the first condition of a filter has none. */
function conditionFields({ name, comparison, value }, key, remove = null) {
  const first = h("input", { ...textInputAttributes, list: "attributes", "aria-label": "Attribute", placeholder: "attribute", "data-field": key, value: name });
  const select = h("select", { "aria-label": "Comparison" }, comparisons.map(([operator, label]) => h("option", { value: operator, selected: operator === comparison }, label)));
  const input = h("input", { ...textInputAttributes, "aria-label": "Value", placeholder: "value", value });
  const updateVisibility = () => {
    input.hidden = select.value.endsWith("*");
    const isCohort = first.value.trim() === "cohort";
    input.placeholder = select.value.endsWith("[]") ? "pro, team" : isCohort ? "cohort name" : "value";
    input.setAttribute("list", isCohort ? "cohort-names" : select.value.endsWith("[]") ? "" : "field-values");
  };
  input.addEventListener("focus", () => {
    const names = [...(input.form?.querySelectorAll("input[list=event-names]") ?? [])].map((node) => node.value).filter((text) => text !== "");
    loadValues(first.value.trim(), [...new Set(names)]);
  });
  select.addEventListener("change", updateVisibility);
  first.addEventListener("input", updateVisibility);
  updateVisibility();
  const node = h("div", { class: "form-condition" }, first, select, input);
  const fields = { first, node, read: () => ({ name: first.value.trim(), comparison: select.value, value: input.value }) };
  if (remove !== null) {
    const button = h("button", { type: "button", class: "icon-button small", "aria-label": "Remove this alternative", title: "Remove this alternative", onclick: () => remove(fields) }, "×");
    fields.node = h("div", { class: "form-alternative" }, h("span", { class: "form-or" }, "or"), node, button);
  }
  return fields;
}

/** Returns the fields for the filters of one parameter (`where`, `where.2`). */
export function filterFields(params, onChange, { key = "where", label = "Filters", add = "Add filter" } = {}) {
  const makeRow = (text) => {
    const [condition, ...alternatives] = text === "" ? [{ name: "", comparison: "=", value: "" }] : parseConditions(text, key);
    const own = conditionFields(condition, key);
    const all = [own];
    const orButton = h("button", { type: "button", class: "link form-add", "aria-label": "Or: add an alternative to this filter", onclick: () => append({ name: own.first.value.trim(), comparison: "=", value: "" }).first.focus() }, "or…");
    const node = h("div", { class: "form-filter", role: "group", "aria-label": "Filter" }, own.node, orButton);
    const updateVisibility = () => (orButton.hidden = all.length >= maximumAlternatives);
    const append = (alternative) => {
      const fields = conditionFields(alternative, key, (removed) => {
        all.splice(all.indexOf(removed), 1);
        removed.node.remove();
        updateVisibility();
        orButton.focus();
        onChange();
      });
      all.push(fields);
      orButton.before(fields.node);
      updateVisibility();
      return fields;
    };
    for (const alternative of alternatives) append(alternative);
    return { node, first: own.first, read: () => nonEmptyPair(key, formatConditions(all.map((fields) => fields.read()))) };
  };
  const rows = new RepeatedField({ label, add, itemName: "filter", maximum: 10, onChange, makeRow, values: params.getAll(key).filter((text) => isParsable(text, key)) });
  rows.keys = [key];
  return rows;
}

// Returns whether a filter can be parsed. An invalid filter is reported next to the results and omitted from the form.
function isParsable(text, key) {
  try {
    return parseConditions(text, key).length > 0;
  } catch {
    return false;
  }
}

/** Returns a list with the pair, or an empty list for an empty value. */
export const nonEmptyPair = (key, value) => (value === null || value === "" ? [] : [[key, value]]);
