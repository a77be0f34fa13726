// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Lifecycle and stickiness: new, returning, reactivated and dormant users, and the number of intervals in which users were active.

import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { figure, figures, percent } from "./figures.js";
import { places } from "./trends.js";

const parts = [["new", "New", "c1"], ["returning", "Returning", "c0"], ["resurrected", "Reactivated", "c4"], ["dormant", "Dormant", "c2"]];

/** Draws bars over time: active users above zero, dormant ones below. */
export function drawLifecycle(answer, asked, range) {
  if (parts.every(([key]) => answer[key].every((value) => value === 0))) return null;
  const spots = places(answer, range.isOpen);
  const chart = new Chart({
    title: "New, returning and reactivated users; dormant users below the axis", kind: "bars", places: spots, isOpen: range.isOpen,
    series: parts.map(([key, name, style]) => ({ name, style, values: key === "dormant" ? answer[key].map((value) => -value) : answer[key] })),
  });
  const legend = h("ul", { class: "sums" }, parts.map(([, name, style]) => h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), name)));
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, "Users"), h("p", { class: "panel-note" }, "dormant: active in the previous interval, but not in this one")), chart.node, legend),
    figures("Data", ["Interval", ...parts.map(([, name]) => name)], spots.map(({ long }, index) => [long, ...parts.map(([key]) => figure(answer[key][index]))])),
  ];
}

/** Draws bars by the number of active intervals. */
export function drawStickiness(answer) {
  const all = answer.people.reduce((sum, value) => sum + value, 0);
  if (all === 0) return null;
  const unit = answer.interval;
  const name = (index) => `${index + 1} ${unit}${index === 0 ? "" : "s"}`;
  const spots = answer.people.map((_, index) => ({ short: String(index + 1), long: `active in ${name(index)}` }));
  const chart = new Chart({
    title: `Users by number of active ${unit}s`, kind: "bars", places: spots, isOpen: false,
    series: [{ name: "Users", style: "c0", values: answer.people }],
  });
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, `Users by active ${unit}s`), h("p", { class: "panel-note" }, `of ${answer.edges.length - 1} ${unit}s`)), chart.node),
    figures("Data", [`Active in`, "Users", "Share"], answer.people.map((value, index) => [name(index), figure(value), percent(value, all)])),
  ];
}
