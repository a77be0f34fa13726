// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What admission refused, newest first.

import { byId, h, setText } from "./dom.js";
import { ago, dateAndClock, number } from "./format.js";
import { printable } from "./stream.js";

/** The list of refused events. `open(failure)` is called when one is chosen. */
export class Failures {
  #open;
  #last = "";

  constructor(open) {
    this.#open = open;
  }

  show(failures, total, now) {
    const badge = byId("failed-count");
    badge.hidden = total === 0;
    setText(badge, number(total));
    const state = JSON.stringify(failures.map((failure) => failure.position)) + Math.floor(now / 10_000);
    if (state === this.#last) return;
    this.#last = state;
    const list = byId("failures");
    if (failures.length === 0) {
      list.replaceChildren(h("li", { class: "nothing" }, "Nothing was refused. An event that is not valid is kept here with its reason."));
      return;
    }
    list.replaceChildren(...failures.map((failure) => h("li", {}, h(
      "button",
      { type: "button", class: "failure", onclick: () => this.#open(failure) },
      h("span", { class: "account-line" },
        h("span", { class: "badge bad" }, printable(failure.code)),
        failure.field ? h("code", {}, printable(failure.field)) : null,
        h("span", { class: "account-seen", title: dateAndClock(failure.received) }, ago(failure.received, now))),
      h("span", { class: "failure-text" }, printable(failure.message || "")),
      h("code", { class: "failure-body" }, printable((failure.content ?? "").slice(0, 160))),
    ))));
  }
}
