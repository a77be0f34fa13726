// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Retention: a row for each cohort, darker for larger shares.

import { h, setText } from "./dom.js";
import { figure, percent } from "./figures.js";
import { counted } from "./format.js";
import { longMoment } from "./zones.js";

const shades = 10;
const names = { day: "Day", week: "Week", month: "Month" };

/** Draws the triangle as a table that can be read and copied. */
export function drawRetention(answer) {
  const { cohorts, interval, zone, edges, partial_intervals: partial = [] } = answer;
  if (cohorts.every(({ people }) => people === 0)) return null;
  const columns = Math.max(...cohorts.map(({ returned }) => returned.length), 0);
  // The first cohort has the most intervals to return in: all of them, or all after its own.
  const first = cohorts.length - columns > 0 ? 1 : 0;
  const name = names[interval] ?? "Interval";
  const table = h("table", { class: "figures triangle" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `Cohort (${name})`), h("th", { scope: "col" }, "Users"),
      Array.from({ length: columns }, (_, index) => h("th", { scope: "col" }, `${name} ${index + first}`)))));
  const body = h("tbody", {});
  const cell = (part, whole, isCounted) => {
    const share = whole > 0 ? part / whole : 0;
    return h("td", { class: `heat-${part === 0 ? 0 : Math.max(1, Math.round(share * shades))}`, title: `${figure(part)} of ${counted(whole, "user")}` }, isCounted ? figure(part) : percent(part, whole));
  };
  const draw = (isCounted) => {
    const mean = Array.from({ length: columns }, (_, index) => {
      // Only cohorts that have had time to return.
      const able = cohorts.filter(({ returned }) => returned.length > index);
      return cell(able.reduce((sum, { returned }) => sum + returned[index], 0), able.reduce((sum, { people }) => sum + people, 0), isCounted);
    });
    body.replaceChildren(
      h("tr", { class: "mean" }, h("th", { scope: "row" }, "All cohorts"), h("td", {}, figure(cohorts.reduce((sum, { people }) => sum + people, 0))), mean),
      ...cohorts.map(({ people, returned }, index) => h("tr", {}, h("th", { scope: "row" }, longMoment(edges[index], interval, zone).replace(/^\w+, /, ""), partial.includes(index) ? h("small", {}, ` partial ${interval}`) : null), h("td", {}, figure(people)),
        returned.map((part) => cell(part, people, isCounted)), returned.length < columns ? h("td", { class: "heat-none", colspan: columns - returned.length }) : null)));
  };
  const button = (text, isCounted) => h("button", {
    type: "button", "aria-pressed": String(!isCounted), onclick: (event) => {
      draw(isCounted);
      for (const other of event.target.parentNode.children) other.setAttribute("aria-pressed", String(other === event.target));
    },
  }, text);
  table.append(body);
  draw(false);
  const note = h("p", { class: "panel-note" });
  setText(note, `the last ${interval}s of each row may be incomplete`);
  return [h("section", { class: "panel chart-panel", "aria-label": "Retention" },
    h("header", { class: "panel-head" }, h("h3", {}, "Retention"), note, h("div", { class: "segmented", role: "group", "aria-label": "Cell values" }, button("Percent", false), button("Counts", true))),
    h("div", { class: "figures-frame", tabindex: "0", role: "region", "aria-label": "Retention, table" }, table))];
}
