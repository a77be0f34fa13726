// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Lifecycle and stickiness: new, returning, reactivated and dormant users, and the number of intervals in which users
// were active.

import { Chart } from "./chart.js";
import { dataTable, formatPercent, formatValue } from "./data-table.js";
import { h } from "./dom.js";
import { pointValue } from "./point-people.js";
import { chartIntervals } from "./trends.js";

const userStates = [["new", "New", "c1"], ["returning", "Returning", "c0"], ["resurrected", "Reactivated", "c4"], ["dormant", "Dormant", "c2"]];

/** Draws bars over time: active users above zero, dormant users below zero. */
export function drawLifecycle(result, params, range, setParam = null, openPeople = null) {
  if (userStates.every(([key]) => result[key].every((value) => value === 0))) return null;
  const intervals = chartIntervals(result, range.isOpen);
  const point = (key, index) => ({ point: `${result.edges[index]}/${key}` });
  const chart = new Chart({
    title: "New, returning and reactivated users; dormant users below the axis", kind: "bars", intervals, isOpen: range.isOpen,
    series: userStates.map(([key, name, style]) => ({ name, style, values: key === "dormant" ? result[key].map((value) => -value) : result[key] })),
    onSelect: openPeople && ((index, item) => openPeople(point(userStates[item][0], index))),
  });
  const value = (key, index) => pointValue(formatValue(result[key][index]), result[key][index], point(key, index), openPeople);
  const legend = h("ul", { class: "series-totals" }, userStates.map(([, name, style]) => h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), name)));
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, "Users"), h("p", { class: "panel-note" }, "dormant: active in the previous interval, but not in this one")), chart.node, legend),
    dataTable("Data", ["Interval", ...userStates.map(([, name]) => name)], intervals.map(({ long }, index) => [long, ...userStates.map(([key]) => value(key, index))])),
  ];
}

/** Draws a bar for each number of active intervals. */
export function drawStickiness(result, params, range, setParam = null, openPeople = null) {
  const total = result.people.reduce((sum, value) => sum + value, 0);
  if (total === 0) return null;
  const unit = result.interval;
  const name = (index) => `${index + 1} ${unit}${index === 0 ? "" : "s"}`;
  const intervals = result.people.map((_, index) => ({ short: String(index + 1), long: `active in ${name(index)}` }));
  const chart = new Chart({
    title: `Users by number of active ${unit}s`, kind: "bars", intervals, isOpen: false,
    series: [{ name: "Users", style: "c0", values: result.people }],
    onSelect: openPeople && ((index) => openPeople({ point: String(index + 1) })),
  });
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, `Users by active ${unit}s`), h("p", { class: "panel-note" }, `of ${result.edges.length - 1} ${unit}s`)), chart.node),
    dataTable("Data", [`Active in`, "Users", "Share"], result.people.map((value, index) => [name(index), pointValue(formatValue(value), value, { point: String(index + 1) }, openPeople), formatPercent(value, total)])),
  ];
}
