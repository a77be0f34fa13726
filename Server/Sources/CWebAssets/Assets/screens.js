// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Screen statistics: views, engagement time, transitions, and clicks.

import { h, s } from "./dom.js";
import { clicked } from "./elements.js";
import { counted, number, span } from "./format.js";
import { printable } from "./stream.js";

const mostScreens = 12;
const mostSteps = 12;
const slots = 8;

/** One color per screen, kept while the page is open. */
export class ScreenColours {
  #slotOf = new Map();

  /** Assigns free colors to the most viewed screens. */
  assign(ranked) {
    for (const name of ranked) {
      if (this.#slotOf.size >= slots) return;
      if (!this.#slotOf.has(name)) this.#slotOf.set(name, this.#slotOf.size);
    }
  }

  /** Returns the style class of a screen. */
  of(name) {
    return this.#slotOf.has(name) ? `c${this.#slotOf.get(name)}` : "cx";
  }
}

/** The panel with screens and transitions. */
export function screensTable(flow, colours, isOne) {
  const title = h("header", { class: "panel-head" }, h("h2", {}, "Screens"), h("p", { class: "panel-note" }, isOne ? "this installation" : flow.latest === undefined ? "all users" : `latest ${number(flow.latest)} views of all users`));
  const clicks = clicked(flow.elements, colours);
  if (flow.screens.length === 0) {
    return h("section", { class: "panel screens" }, title, clicks ?? h("p", { class: "nothing" }, "No screen views yet. Screens appear here with their engagement time and clicks."));
  }
  const longest = Math.max(1, ...flow.screens.map((screen) => screen.engagement));
  const bar = (screen) => s("svg", { class: "use", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" },
    s("rect", { class: "use-ground", width: 100, height: 6 }),
    s("rect", { class: `fill ${colours.of(screen.name)}`, width: (100 * screen.engagement) / longest, height: 6 }));
  return h("section", { class: "panel screens" }, title,
    h("div", { class: "screens-both" },
      h("table", { class: "screens-table" },
        h("thead", {}, h("tr", {}, ["Screen", "Views", "Entries", "Exits", "Time"].map((name, index) => h("th", { scope: "col", class: index > 0 ? "figure-cell" : null }, name)))),
        h("tbody", {}, flow.screens.slice(0, mostScreens).map((screen) => h("tr", {},
          h("td", {}, h("span", { class: "screen-name" }, h("span", { class: `dot ${colours.of(screen.name)}`, "aria-hidden": "true" }), printable(screen.name)), bar(screen)),
          h("td", { class: "figure-cell" }, number(screen.views)),
          h("td", { class: "figure-cell" }, number(screen.entrances)),
          h("td", { class: "figure-cell" }, number(screen.exits)),
          h("td", { class: "figure-cell", title: `${span(screen.engagement / Math.max(1, screen.views))} per view` }, screen.engagement > 0 ? span(screen.engagement) : "–"))))),
      steps(flow.steps, colours)),
    clicks);
}

function steps(list, colours) {
  if (list.length === 0) return null;
  const most = Math.max(...list.map((step) => step.count));
  return h("ol", { class: "steps", "aria-label": "Transitions between screens" }, list.slice(0, mostSteps).map((step) => h("li", { title: counted(step.count, "time") },
    s("svg", { class: "step-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: `fill ${colours.of(step.to)}`, width: (100 * step.count) / most, height: 10 })),
    h("span", { class: "step-text" }, printable(step.from), h("span", { class: "arrow" }, " → "), printable(step.to)),
    h("b", {}, number(step.count)))));
}
