// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The sections of the page: live events, users, devices, dashboards, alerts and insights. One is shown at a time; the
// URL names it.

import { readPairs, WrongAddress, writePairs } from "./address.js";
import { byId, setText } from "./dom.js";

const titles = { live: "Trackway", visitors: "Users – Trackway", devices: "Devices – Trackway", boards: "Dashboards – Trackway", alerts: "Alerts – Trackway", questions: "Insights – Trackway" };
const live = "live";

/** Switches between the sections of the page. Each has `show(isShown)`, and a `place`, or `pairs` and `restore(pairs)`, for the URL. */
export class Modes {
  #views;
  #changing;
  #shown = live;
  /** While the URL is being restored, or a change has further steps, the URL is not updated. */
  #isQuiet = false;

  /** `changing()` is called before another section is shown. */
  constructor(views, changing) {
    this.#views = views;
    byId("beginning").hidden = true;
    this.#changing = changing;
    for (const name of Object.keys(views)) byId(`mode-${name}`).addEventListener("click", () => this.show(name));
    byId("skip").addEventListener("click", (event) => {
      // Do not follow the link: the URL's fragment is the filter.
      event.preventDefault();
      this.#main(this.#shown).focus();
    });
    addEventListener("popstate", () => this.restore());
  }

  get shown() {
    return this.#shown;
  }

  /** Shows a section. */
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

  /** Shows this section, or the live events if it is already shown. */
  toggle(name) {
    this.show(this.#shown === name ? live : name);
  }

  /** Shows the section in the URL, and reports invalid parameters. */
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

  /**
   * Writes the current view into the URL, so that it can be shared, survives a reload, and is reached with “back”. `replacing`: replaces
   * the current history entry.
   */
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

/** Returns a message about unknown URL parameters, or null without any. */
export function unknown(pairs) {
  if (pairs.length === 0) return null;
  return `The URL contains the unknown parameter “${pairs[0][0].slice(0, 64)}”, which is ignored.`;
}

function tellWrong(problem) {
  const notice = byId("wrong-address");
  notice.hidden = problem === null;
  setText(notice, problem ?? "");
}
