// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What is looked at: the live events, the visitors, the devices, boards, alerts or questions. One at a time, and the address says which.

import { readPairs, WrongAddress, writePairs } from "./address.js";
import { byId, setText } from "./dom.js";

const titles = { live: "Trackway", visitors: "Visitors – Trackway", devices: "Devices – Trackway", boards: "Boards – Trackway", alerts: "Alerts – Trackway", questions: "Questions – Trackway" };
const live = "live";

/** The choice between the parts of the page. Each has `show(isShown)`, and a `place`, or `pairs` and `restore(pairs)`, for the address. */
export class Modes {
  #views;
  #changing;
  #shown = live;
  /** While the address is followed, or a change has further steps, nothing is put into it. */
  #isQuiet = false;

  /** `changing()` is called before another part is shown. */
  constructor(views, changing) {
    this.#views = views;
    byId("beginning").hidden = true;
    this.#changing = changing;
    for (const name of Object.keys(views)) byId(`mode-${name}`).addEventListener("click", () => this.show(name));
    byId("skip").addEventListener("click", (event) => {
      // Not by its address: what stands there is the filter.
      event.preventDefault();
      this.#main(this.#shown).focus();
    });
    addEventListener("popstate", () => this.restore());
  }

  get shown() {
    return this.#shown;
  }

  /** Shows one of the views. */
  show(shown) {
    if (this.#shown !== shown) this.#quietly(() => this.#changing());
    this.#shown = shown;
    byId("views").hidden = shown !== live;
    for (const [name, view] of Object.entries(this.#views)) {
      this.#main(name).hidden = name !== shown;
      byId(`mode-${name}`).setAttribute("aria-pressed", String(name === shown));
      view.show(name === shown);
    }
    this.remember();
  }

  /** Shows this view, or the live events when it is shown already. */
  toggle(name) {
    this.show(this.#shown === name ? live : name);
  }

  /** Shows what the address asks for, and says what in it is not understood. */
  restore() {
    this.#quietly(() => {
      let pairs = [];
      let wrong = null;
      try {
        pairs = readPairs(location.search);
      } catch (error) {
        if (!(error instanceof WrongAddress)) throw error;
        wrong = error.message;
      }
      const name = Object.keys(this.#views).find((candidate) => pairs.some(([key]) => key === candidate)) ?? live;
      const view = this.#views[name];
      if (view.restore) wrong = view.restore(pairs) ?? wrong;
      else {
        const place = pairs.find(([key]) => key === name)[1];
        if (view.place !== place) view.place = place;
        wrong ??= unknown(pairs.filter(([key]) => key !== name));
      }
      this.show(name);
      tellWrong(wrong);
    });
    this.#entitle();
  }

  /** Puts what is shown into the address, so that it can be shared, survives a reload, and “back” leads here. `replacing`: instead of what stands there. */
  remember(replacing = false) {
    if (this.#isQuiet) return;
    const view = this.#views[this.#shown];
    const wanted = location.pathname + writePairs(view.pairs ?? [[this.#shown, view.place]]) + (view.hash ?? "");
    if (wanted === location.pathname + location.search + location.hash) return;
    history[replacing ? "replaceState" : "pushState"](null, "", wanted);
    tellWrong(null);
    this.#entitle();
  }

  #quietly(change) {
    const before = this.#isQuiet;
    this.#isQuiet = true;
    try {
      change();
    } finally {
      this.#isQuiet = before;
    }
  }

  #entitle() {
    document.title = this.#views[this.#shown].title ?? titles[this.#shown];
  }

  #main(name) {
    return byId(name === live ? "main" : name);
  }
}

/** What is to be said of parts of an address that nobody asked for; null when there are none. */
export function unknown(pairs) {
  if (pairs.length === 0) return null;
  return `The address asks for “${pairs[0][0].slice(0, 64)}”, which this page does not know. What is shown leaves it out.`;
}

function tellWrong(problem) {
  const notice = byId("wrong-address");
  notice.hidden = problem === null;
  setText(notice, problem ?? "");
}
