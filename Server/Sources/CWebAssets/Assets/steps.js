// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A funnel's steps: an ordered list, each with its own filters.

import { h } from "./dom.js";
import { conditions, said } from "./form.js";

const most = 10;

/** The form's part for the steps. `changed()` is called when the order changes or a step is removed. */
export class Steps {
  #steps = [];
  #list = h("ol", { class: "form-steps" });
  #add = h("button", { type: "button", class: "link form-add", onclick: () => this.#append("", []).name.focus() }, "Add step");
  #changed;

  constructor(asked, changed) {
    this.#changed = changed;
    this.node = h("fieldset", { class: "form-part" }, h("legend", {}, "Steps, in order"), this.#list, this.#add);
    const names = asked.all("step");
    names.forEach((name, index) => this.#append(name, asked.all(`where.${index + 1}`)));
    while (this.#steps.length < 2) this.#append("", []);
  }

  get keys() {
    return ["step", ...Array.from({ length: most }, (_, index) => `where.${index + 1}`)];
  }

  read() {
    const filled = this.#steps.filter(({ name }) => name.value !== "");
    return filled.flatMap(({ name, where }, index) => [...said("step", name.value), ...where.read().map(([, text]) => [`where.${index + 1}`, text])]);
  }

  #append(value, texts) {
    const name = h("input", {
      type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", list: "event-names", placeholder: "event", "data-field": "step", value,
    });
    const own = { all: () => texts };
    const where = conditions(own, this.#changed, { label: "", add: "Add filter" });
    const step = { name, where };
    const button = (text, act) => h("button", { type: "button", class: "icon-button small", onclick: () => act(step) }, text);
    step.up = button("↑", () => this.#move(step, -1));
    step.down = button("↓", () => this.#move(step, 1));
    step.remove = button("×", () => this.#remove(step));
    where.node.classList.remove("form-part");
    step.item = h("li", {}, h("div", { class: "form-step" }, name, step.up, step.down, step.remove), where.node);
    this.#steps.push(step);
    this.#list.append(step.item);
    this.#number();
    return step;
  }

  #move(step, by) {
    const at = this.#steps.indexOf(step);
    const to = at + by;
    if (to < 0 || to >= this.#steps.length) return;
    this.#steps.splice(at, 1);
    this.#steps.splice(to, 0, step);
    this.#list.replaceChildren(...this.#steps.map(({ item }) => item));
    this.#number();
    (by < 0 ? step.up : step.down).focus();
    this.#changed();
  }

  #remove(step) {
    const at = this.#steps.indexOf(step);
    this.#steps.splice(at, 1);
    step.item.remove();
    this.#number();
    (this.#steps[Math.min(at, this.#steps.length - 1)]?.name ?? this.#add).focus();
    this.#changed();
  }

  #number() {
    this.#steps.forEach((step, index) => {
      const number = index + 1;
      step.name.setAttribute("aria-label", `Step ${number}`);
      step.where.node.setAttribute("aria-label", `Filters of step ${number}`);
      // Not disabled: a button that is disabled while it has the focus loses it.
      for (const [button, label, isOff] of [[step.up, "Move up", index === 0], [step.down, "Move down", number === this.#steps.length], [step.remove, "Remove", false]]) {
        button.setAttribute("aria-label", `${label}: step ${number}`);
        button.title = label;
        button.setAttribute("aria-disabled", String(isOff));
      }
    });
    this.#add.hidden = this.#steps.length >= most;
  }
}
