// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A funnel's steps as an ordered list, each with its own filters.

import { h } from "./dom.js";
import { filterFields, nonEmptyPair } from "./form-fields.js";

const maximumSteps = 10;

/** The part of the form that contains the steps. `onChange()` is called when the order changes or a step is removed. */
export class FunnelSteps {
  #steps = [];
  #list = h("ol", { class: "form-steps" });
  #add = h("button", { type: "button", class: "link form-add", onclick: () => this.#append("", []).name.focus() }, "Add step");
  #onChange;

  constructor(params, onChange) {
    this.#onChange = onChange;
    this.node = h("fieldset", { class: "form-part" }, h("legend", {}, "Steps, in order"), this.#list, this.#add);
    const names = params.getAll("step");
    names.forEach((name, index) => this.#append(name, params.getAll(`where.${index + 1}`)));
    while (this.#steps.length < 2) this.#append("", []);
  }

  get keys() {
    return ["step", ...Array.from({ length: maximumSteps }, (_, index) => `where.${index + 1}`)];
  }

  read() {
    const filled = this.#steps.filter(({ name }) => name.value !== "");
    return filled.flatMap(({ name, where }, index) => [...nonEmptyPair("step", name.value), ...where.read().map(([, text]) => [`where.${index + 1}`, text])]);
  }

  #append(value, filters) {
    const name = h("input", {
      type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", list: "event-names", placeholder: "event", "data-field": "step", value,
    });
    const filterParams = { getAll: () => filters };
    const where = filterFields(filterParams, this.#onChange, { label: "", add: "Add filter" });
    const step = { name, where };
    const button = (text, action) => h("button", { type: "button", class: "icon-button small", onclick: () => action(step) }, text);
    step.up = button("↑", () => this.#move(step, -1));
    step.down = button("↓", () => this.#move(step, 1));
    step.remove = button("×", () => this.#remove(step));
    where.node.classList.remove("form-part");
    step.item = h("li", {}, h("div", { class: "form-step" }, name, step.up, step.down, step.remove), where.node);
    this.#steps.push(step);
    this.#list.append(step.item);
    this.#renumber();
    return step;
  }

  #move(step, offset) {
    const index = this.#steps.indexOf(step);
    const to = index + offset;
    if (to < 0 || to >= this.#steps.length) return;
    this.#steps.splice(index, 1);
    this.#steps.splice(to, 0, step);
    this.#list.replaceChildren(...this.#steps.map(({ item }) => item));
    this.#renumber();
    (offset < 0 ? step.up : step.down).focus();
    this.#onChange();
  }

  #remove(step) {
    const index = this.#steps.indexOf(step);
    this.#steps.splice(index, 1);
    step.item.remove();
    this.#renumber();
    (this.#steps[Math.min(index, this.#steps.length - 1)]?.name ?? this.#add).focus();
    this.#onChange();
  }

  #renumber() {
    this.#steps.forEach((step, index) => {
      const number = index + 1;
      step.name.setAttribute("aria-label", `Step ${number}`);
      step.where.node.setAttribute("aria-label", `Filters of step ${number}`);
      // The buttons are not disabled, because a button that is disabled while it has the focus loses the focus.
      for (const [button, label, isDisabled] of [[step.up, "Move up", index === 0], [step.down, "Move down", number === this.#steps.length], [step.remove, "Remove", false]]) {
        button.setAttribute("aria-label", `${label}: step ${number}`);
        button.title = label;
        button.setAttribute("aria-disabled", String(isDisabled));
      }
    });
    this.#add.hidden = this.#steps.length >= maximumSteps;
  }
}
