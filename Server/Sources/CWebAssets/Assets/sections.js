// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The sections of the page: live events, users, devices, dashboards, alerts and insights. One section is shown at a
// time, and the URL names it.

import { byId, setText } from "./dom.js";
import { formatQuery, InvalidURLError, parseQuery } from "./url.js";

const titles = { live: "Trackway", users: "Users – Trackway", devices: "Devices – Trackway", boards: "Dashboards – Trackway", alerts: "Alerts – Trackway", insights: "Insights – Trackway" };
const live = "live";
/** The URL parameters of sections whose parameter differs from their name. */
const parameters = { users: "visitors", insights: "questions" };
const parameterOf = (name) => parameters[name] ?? name;

/**
 * Switches between the sections of the page. Each section has `setVisible(isVisible)` and, for the URL, either
 * `urlValue`, or `pairs` and `restore(pairs)`.
 */
export class Sections {
  #sections;
  #onLeave;
  #current = live;
  /** Whether URL updates are suspended: while the URL is being restored, or until all steps of a change are done. */
  #isUpdateSuspended = false;

  /** `onLeave()` is called before another section is shown. */
  constructor(sections, onLeave) {
    this.#sections = sections;
    byId("initial-skeleton").hidden = true;
    this.#onLeave = onLeave;
    for (const name of Object.keys(sections)) byId(`nav-${name}`).addEventListener("click", () => this.show(name));
    byId("skip").addEventListener("click", (event) => {
      // Do not follow the link, because the URL's fragment is the filter.
      event.preventDefault();
      this.#mainElement(this.#current).focus();
    });
    addEventListener("popstate", () => this.restore());
  }

  get current() {
    return this.#current;
  }

  /** Shows a section. */
  show(selected) {
    if (this.#current !== selected) this.#withoutURLUpdates(() => this.#onLeave());
    this.#current = selected;
    byId("views").hidden = selected !== live;
    for (const [name, section] of Object.entries(this.#sections)) {
      this.#mainElement(name).hidden = name !== selected;
      byId(`nav-${name}`).setAttribute("aria-pressed", String(name === selected));
      section.setVisible(name === selected);
    }
    this.updateURL();
  }

  /** Shows a section, or the live events if that section is already shown. */
  toggle(name) {
    this.show(this.#current === name ? live : name);
  }

  /** Shows the section in the URL, and reports invalid parameters. */
  restore() {
    this.#withoutURLUpdates(() => {
      let pairs = [];
      let urlError = null;
      try {
        pairs = parseQuery(location.search);
      } catch (error) {
        if (!(error instanceof InvalidURLError)) throw error;
        urlError = error.message;
      }
      const name = Object.keys(this.#sections).find((candidate) => pairs.some(([key]) => key === parameterOf(candidate))) ?? live;
      const section = this.#sections[name];
      if (section.restore) urlError = section.restore(pairs) ?? urlError;
      else {
        const value = pairs.find(([key]) => key === parameterOf(name))[1];
        if (section.urlValue !== value) section.urlValue = value;
        urlError ??= unknownParameterMessage(pairs.filter(([key]) => key !== parameterOf(name)));
      }
      this.show(name);
      showURLError(urlError);
    });
    this.#updateTitle();
  }

  /**
   * Writes the current section into the URL, so that the section can be shared, survives a reload, and can be reached
   * with the Back button. `isReplacement`: whether the current history entry is replaced.
   */
  updateURL(isReplacement = false) {
    if (this.#isUpdateSuspended) return;
    const section = this.#sections[this.#current];
    const wanted = location.pathname + formatQuery(section.pairs ?? [[parameterOf(this.#current), section.urlValue]]) + (section.hash ?? "");
    if (wanted === location.pathname + location.search + location.hash) return;
    history[isReplacement ? "replaceState" : "pushState"](null, "", wanted);
    showURLError(null);
    this.#updateTitle();
  }

  #withoutURLUpdates(change) {
    const wasSuspended = this.#isUpdateSuspended;
    this.#isUpdateSuspended = true;
    try {
      change();
    } finally {
      this.#isUpdateSuspended = wasSuspended;
    }
  }

  #updateTitle() {
    document.title = this.#sections[this.#current].title ?? titles[this.#current];
  }

  #mainElement(name) {
    return byId(name === live ? "main" : name);
  }
}

/** Returns a message about unknown URL parameters; null if there are none. */
export function unknownParameterMessage(pairs) {
  if (pairs.length === 0) return null;
  return `The URL contains the unknown parameter “${pairs[0][0].slice(0, 64)}”, which is ignored.`;
}

function showURLError(problem) {
  const notice = byId("url-error");
  notice.hidden = problem === null;
  setText(notice, problem ?? "");
}
