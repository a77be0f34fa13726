// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Two answers about habits: who is new, stays, returns or stays away; and in how many intervals people were active.

import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { figure, figures, percent } from "./figures.js";
import { places } from "./trends.js";

const parts = [["new", "New", "c1"], ["returning", "Returning", "c0"], ["resurrected", "Resurrected", "c4"], ["dormant", "Dormant", "c2"]];

/** Bars over time: who is there above zero, who stays away below. */
export function drawLifecycle(answer, asked, range) {
  if (parts.every(([key]) => answer[key].every((value) => value === 0))) return null;
  const spots = places(answer, range.isOpen);
  const chart = new Chart({
    title: "People who are new, returning, resurrected, and below zero dormant", kind: "bars", places: spots, isOpen: range.isOpen,
    series: parts.map(([key, name, style]) => ({ name, style, values: key === "dormant" ? answer[key].map((value) => -value) : answer[key] })),
  });
  const legend = h("ul", { class: "sums" }, parts.map(([, name, style]) => h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), name)));
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, "People"), h("p", { class: "panel-note" }, "dormant: there an interval before, and not in this one")), chart.node, legend),
    figures("Figures", ["Interval", ...parts.map(([, name]) => name)], spots.map(({ long }, index) => [long, ...parts.map(([key]) => figure(answer[key][index]))])),
  ];
}

/** Bars by the number of intervals somebody was active in. */
export function drawStickiness(answer) {
  const all = answer.people.reduce((sum, value) => sum + value, 0);
  if (all === 0) return null;
  const unit = answer.interval;
  const name = (index) => `${index + 1} ${unit}${index === 0 ? "" : "s"}`;
  const spots = answer.people.map((_, index) => ({ short: String(index + 1), long: `active in ${name(index)}` }));
  const chart = new Chart({
    title: `People by the number of ${unit}s they were active in`, kind: "bars", places: spots, isOpen: false,
    series: [{ name: "People", style: "c0", values: answer.people }],
  });
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, `People by ${unit}s they were active in`), h("p", { class: "panel-note" }, `of ${answer.edges.length - 1}`)), chart.node),
    figures("Figures", [`Active in`, "People", "Share"], answer.people.map((value, index) => [name(index), figure(value), percent(value, all)])),
  ];
}
