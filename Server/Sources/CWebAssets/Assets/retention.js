// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Retention: a row for each cohort; larger shares are darker.

import { formatPercent, formatValue } from "./data-table.js";
import { h, setText } from "./dom.js";
import { pluralize } from "./format.js";
import { pointValue } from "./point-people.js";
import { longIntervalLabel } from "./time-zones.js";

const shadeCount = 10;
const intervalNames = { day: "Day", week: "Week", month: "Month" };

/** Draws the cohorts as a table that can be read and copied. */
export function drawRetention(result, params, range, setParam = null, openPeople = null) {
  const { cohorts, interval, zone, edges, partial_intervals: partial = [] } = result;
  if (cohorts.every(({ people }) => people === 0)) return null;
  const columns = Math.max(...cohorts.map(({ returned }) => returned.length), 0);
  // The first cohort has the most intervals in which users can return: all intervals, or all after the cohort's own.
  const first = cohorts.length - columns > 0 ? 1 : 0;
  const name = intervalNames[interval] ?? "Interval";
  const table = h("table", { class: "data-table cohort-table" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `Cohort (${name})`), h("th", { scope: "col" }, "Users"),
      Array.from({ length: columns }, (_, index) => h("th", { scope: "col" }, `${name} ${index + first}`)))));
  const body = h("tbody", {});
  const cell = (part, whole, showsCounts, point = null) => {
    const share = whole > 0 ? part / whole : 0;
    return h("td", { class: `heat-${part === 0 ? 0 : Math.max(1, Math.round(share * shadeCount))}`, title: `${formatValue(part)} of ${pluralize(whole, "user")}` }, pointValue(showsCounts ? formatValue(part) : formatPercent(part, whole), part, point, point === null ? null : openPeople));
  };
  const draw = (showsCounts) => {
    const averages = Array.from({ length: columns }, (_, index) => {
      // Include only cohorts whose users have had time to return.
      const eligible = cohorts.filter(({ returned }) => returned.length > index);
      return cell(eligible.reduce((sum, { returned }) => sum + returned[index], 0), eligible.reduce((sum, { people }) => sum + people, 0), showsCounts);
    });
    body.replaceChildren(
      h("tr", { class: "average" }, h("th", { scope: "row" }, "All cohorts"), h("td", {}, formatValue(cohorts.reduce((sum, { people }) => sum + people, 0))), averages),
      ...cohorts.map(({ people, returned }, index) => h("tr", {}, h("th", { scope: "row" }, longIntervalLabel(edges[index], interval, zone).replace(/^\w+, /, ""), partial.includes(index) ? h("small", {}, ` partial ${interval}`) : null), h("td", {}, pointValue(formatValue(people), people, { point: String(edges[index]) }, openPeople)),
        returned.map((part, later) => cell(part, people, showsCounts, { point: `${edges[index]}/${later}` })), returned.length < columns ? h("td", { class: "heat-none", colspan: columns - returned.length }) : null)));
  };
  const button = (text, showsCounts) => h("button", {
    type: "button", "aria-pressed": String(!showsCounts), onclick: (event) => {
      draw(showsCounts);
      for (const other of event.target.parentNode.children) other.setAttribute("aria-pressed", String(other === event.target));
    },
  }, text);
  table.append(body);
  draw(false);
  const note = h("p", { class: "panel-note" });
  setText(note, `the last ${interval}s of each row may be incomplete`);
  return [h("section", { class: "panel chart-panel", "aria-label": "Retention" },
    h("header", { class: "panel-head" }, h("h3", {}, "Retention"), note, h("div", { class: "segmented", role: "group", "aria-label": "Cell values" }, button("Percent", false), button("Counts", true))),
    h("div", { class: "data-table-frame", tabindex: "0", role: "region", "aria-label": "Retention, table" }, table))];
}
