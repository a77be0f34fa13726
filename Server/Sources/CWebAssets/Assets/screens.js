// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Screen statistics: views, engagement time, transitions, and clicks.

import { h, s } from "./dom.js";
import { formatLongDuration, formatNumber, pluralize, printable } from "./format.js";
import { clicksByScreen } from "./interactions.js";

const maximumScreens = 12;
const maximumTransitions = 12;
const colorCount = 8;

/** One color per screen, kept while the page is open. */
export class ScreenColors {
  #slotByName = new Map();

  /** Assigns free colors to the most-viewed screens. */
  assign(ranked) {
    for (const name of ranked) {
      if (this.#slotByName.size >= colorCount) return;
      if (!this.#slotByName.has(name)) this.#slotByName.set(name, this.#slotByName.size);
    }
  }

  /** Returns the style class of a screen. */
  of(name) {
    return this.#slotByName.has(name) ? `c${this.#slotByName.get(name)}` : "cx";
  }
}

/** Returns the panel with screens and transitions. */
export function screensPanel(flow, colors, isSingleInstallation) {
  const title = h("header", { class: "panel-head" }, h("h2", {}, "Screens"), h("p", { class: "panel-note" }, isSingleInstallation ? "this installation" : flow.latest === undefined ? "all users" : `latest ${formatNumber(flow.latest)} views of all users`));
  const clicks = clicksByScreen(flow.elements, colors);
  if (flow.screens.length === 0) {
    return h("section", { class: "panel screens" }, title, clicks ?? h("p", { class: "empty-note" }, "No screen views yet. Screens appear here with their engagement time and clicks."));
  }
  const longest = Math.max(1, ...flow.screens.map((screen) => screen.engagement));
  const bar = (screen) => s("svg", { class: "engagement-bar", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "engagement-track", width: 100, height: 6 }),
    s("rect", { class: `fill ${colors.of(screen.name)}`, width: (100 * screen.engagement) / longest, height: 6 }));
  return h("section", { class: "panel screens" }, title,
    h("div", { class: "screens-columns" },
      h("table", { class: "screens-table" },
        h("thead", {}, h("tr", {}, ["Screen", "Views", "Entries", "Exits", "Time"].map((name, index) => h("th", { scope: "col", class: index > 0 ? "number-cell" : null }, name)))),
        h("tbody", {}, flow.screens.slice(0, maximumScreens).map((screen) => h("tr", {},
          h("td", {}, h("span", { class: "screen-name" }, h("span", { class: `dot ${colors.of(screen.name)}`, "aria-hidden": "true" }), printable(screen.name)), bar(screen)),
          h("td", { class: "number-cell" }, formatNumber(screen.views)),
          h("td", { class: "number-cell" }, formatNumber(screen.entrances)),
          h("td", { class: "number-cell" }, formatNumber(screen.exits)),
          h("td", { class: "number-cell", title: `${formatLongDuration(screen.engagement / Math.max(1, screen.views))} per view` }, screen.engagement > 0 ? formatLongDuration(screen.engagement) : "–"))))),
      transitionList(flow.steps, colors)),
    clicks);
}

function transitionList(list, colors) {
  if (list.length === 0) return null;
  const maximum = Math.max(...list.map((step) => step.count));
  return h("ol", { class: "transitions", "aria-label": "Transitions between screens" }, list.slice(0, maximumTransitions).map((step) => h("li", { title: pluralize(step.count, "time") },
    s("svg", { class: "row-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: `fill ${colors.of(step.to)}`, width: (100 * step.count) / maximum, height: 10 })),
    h("span", { class: "row-text" }, printable(step.from), h("span", { class: "arrow" }, " → "), printable(step.to)),
    h("b", {}, formatNumber(step.count)))));
}
