// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What is looked at: the live events, the visitors or the devices. One at a time, and the address says which.

import { byId } from "./dom.js";

const live = "live";

/** The choice between the live events and `views`, each with `show(isShown)` and a `place` for the address. */
export class Modes {
  #views;
  #changing;
  #shown = live;

  /** `changing()` is called before another part is shown. */
  constructor(views, changing) {
    this.#views = views;
    this.#changing = changing;
    for (const name of this.#names) byId(`mode-${name}`).addEventListener("click", () => this.show(name));
    byId("skip").addEventListener("click", (event) => {
      // Not by its address: what stands there is the filter.
      event.preventDefault();
      this.#main(this.#shown).focus();
    });
  }

  /** What belongs into the address before the filter: "", "?visitors", "?devices=…". */
  get search() {
    if (this.#shown === live) return "";
    const { place } = this.#views[this.#shown];
    return place === "" ? `?${this.#shown}` : `?${this.#shown}=${encodeURIComponent(place)}`;
  }

  /** Shows the live events or one of the views. */
  show(shown) {
    this.#changing();
    this.#shown = shown;
    byId("tabs").hidden = shown !== live;
    for (const name of this.#names) {
      this.#main(name).hidden = name !== shown;
      byId(`mode-${name}`).setAttribute("aria-pressed", String(name === shown));
      this.#views[name]?.show(name === shown);
    }
    this.remember();
  }

  /** Shows this view, or the live events when it is shown already. */
  toggle(name) {
    this.show(this.#shown === name ? live : name);
  }

  /** Shows what the address asks for. */
  restore(search) {
    const wished = new URLSearchParams(search);
    const name = Object.keys(this.#views).find((candidate) => wished.has(candidate));
    if (name === undefined) return;
    this.#views[name].place = wished.get(name);
    this.show(name);
  }

  /** Puts what is shown into the address, so that it can be shared and survives a reload. */
  remember(hash = location.hash) {
    history.replaceState(null, "", location.pathname + this.search + hash);
  }

  get #names() {
    return [live, ...Object.keys(this.#views)];
  }

  #main(name) {
    return byId(name === live ? "main" : name);
  }
}
