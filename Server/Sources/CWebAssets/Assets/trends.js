// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The answer how much happened when: a line for each group, the period before dashed, and all figures.

import { style } from "./axis.js";
import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { called, figure, figures, groupName } from "./figures.js";
import { longMoment, shortMoment } from "./zones.js";

const words = { events: "Events", users: "People", installations: "Installations", sum: "Sum of", average: "Average of", p95: "95th percentile of" };

/** What is counted, in words. */
export function measured(asked) {
  const [kind, ...rest] = (asked.get("measure") || "events").split(":");
  return [words[kind] ?? kind, rest.join(":")].filter(Boolean).join(" ");
}

/** The intervals of an answer as places of a chart. */
export const places = ({ edges, interval, zone }) => edges.slice(0, -1).map((ms) => ({ short: shortMoment(ms, interval, zone), long: longMoment(ms, interval, zone) }));

/** The chart, the totals, and the table. */
export function drawTrends(answer, asked, range) {
  const by = asked.get("by");
  // Of no event at all there are no groups either.
  const series = answer.series.map((one, index) => ({ ...one, name: groupName(one, by), style: "other" in one ? "cx" : style(index) }));
  const isEmpty = series.every(({ values, before }) => [...values, ...(before?.values ?? [])].every((value) => value === 0 || value === null));
  if (isEmpty) return null;
  const spots = places(answer);
  const chart = new Chart({
    title: `${measured(asked)} from ${spots[0].long} to ${spots.at(-1).long}`, kind: "lines", places: spots, isOpen: range.isOpen,
    series: series.map(({ name, style, values, before }) => ({ name, style, values, before: before?.values })),
  });
  const totals = h("ul", { class: "sums", "aria-label": "Of the whole time" }, series.map(({ name, style, total, before }) =>
    h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), h("span", { class: "sums-name" }, called(name === "all" ? measured(asked) : name, 60)), h("b", {}, figure(total)), before ? h("small", {}, change(total, before.total)) : null)));
  const compared = series.some(({ before }) => before);
  const columns = series.flatMap(({ name, before }) => [called(name === "all" ? measured(asked) : name, 40), ...(before ? [h("span", {}, called(name, 40), " before")] : [])]);
  const rows = spots.map(({ long }, index) => [long + (range.isOpen && index === spots.length - 1 ? ", so far" : ""), ...series.flatMap(({ values, before }) => [figure(values[index]), ...(before ? [figure(before.values[index])] : [])])]);
  rows.push(["Whole time", ...series.flatMap(({ total, before }) => [figure(total), ...(before ? [figure(before.total)] : [])])]);
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, measured(asked).slice(0, 80)),
      compared ? h("p", { class: "panel-note dashed-key" }, "the period before") : null), chart.node, totals),
    figures("Figures", [{ minute: "Minute", hour: "Hour", day: "Day", week: "Week from", month: "Month" }[answer.interval] ?? "Interval", ...columns], rows),
  ];
}

/** "+12.5 %": how a total differs from the one before. */
function change(total, before) {
  if (total === null || before === null || Number(before) === 0) return `before ${figure(before)}`;
  const share = Math.round((1000 * (Number(total) - Number(before))) / Math.abs(Number(before))) / 10;
  return `${share > 0 ? "+" : share < 0 ? "−" : "±"}${figure(Math.abs(share))} % (before ${figure(before)})`;
}
