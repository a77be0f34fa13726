// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Trends: a line for each group, the previous period dashed, and a table of all values.

import { style } from "./axis.js";
import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { called, figure, figures, groupName } from "./figures.js";
import { counted } from "./format.js";
import { longMoment, shortMoment } from "./zones.js";

const words = { events: "Events", users: "Users", installations: "Installations", sum: "Sum of", average: "Average of", p95: "95th percentile of" };

/** The display text of the measure. */
export function measured(asked) {
  const [kind, ...rest] = (asked.get("measure") || "events").split(":");
  return [words[kind] ?? kind, rest.join(":")].filter(Boolean).join(" ");
}

/**
 * The intervals of a result as places of a chart. An interval that the range cuts is marked; the last one of an open range is labeled
 * differently.
 */
export const places = ({ edges, interval, zone, partial_intervals: partial = [] }, isOpen = false) => edges.slice(0, -1).map((ms, index) => {
  const isPartial = partial.includes(index) && !(isOpen && index === edges.length - 2);
  return { short: shortMoment(ms, interval, zone), long: longMoment(ms, interval, zone) + (isPartial ? ` (partial ${interval})` : ""), isPartial };
});

/** Counts the types of the measured attribute in all events, both periods together; null for measures without an attribute. */
function foundIn(series) {
  const parts = series.flatMap((one) => [one, one.before]).filter((part) => part?.numbers !== undefined);
  if (parts.length === 0) return null;
  const sum = (key) => parts.reduce((all, part) => all + Number(part[key]), 0);
  const found = { numbers: sum("numbers"), texts: sum("texts"), others: sum("others"), missing: sum("missing") };
  return { ...found, events: found.numbers + found.texts + found.others + found.missing };
}

/** Describes the events that a sum, an average or a percentile excludes; null if it excludes none. */
function leftOut(found, asked) {
  if (found === null || found.numbers === found.events) return null;
  const name = (asked.get("measure").split(":").slice(1).join(":")).slice(0, 60);
  const kinds = [[found.texts, "text value", "text values"], [found.others, "value of another type", "values of other types"]].filter(([count]) => count > 0).map(([count, one, many]) => counted(count, one, many));
  if (found.missing > 0) kinds.push(`${figure(found.missing)} without the attribute`);
  const left = found.events - found.numbers;
  return found.numbers === 0
    ? `${counted(found.events, "event")}, none with a number in “${name}”: ${kinds.join(", ")}.`
    : `Excluded: ${figure(left)} of ${counted(found.events, "event")}without a number in “${name}”: ${kinds.join(", ")}.`;
}

/** Draws the chart, the totals, and the table. `go(key, value)` changes a parameter; null if the query cannot be changed. */
export function drawTrends(answer, asked, range, go = null) {
  const by = asked.get("by");
  // Without events, groups do not exist either.
  const series = answer.series.map((one, index) => ({ ...one, name: groupName(one, by, asked.has("values")), style: "other" in one ? "cx" : style(index) }));
  const found = foundIn(series);
  // A sum of 0 is a valid result if there are events.
  const isEmpty = found === null ? series.every(({ values, before }) => [...values, ...(before?.values ?? [])].every((value) => value === 0 || value === null)) : found.events === 0;
  if (isEmpty) return null;
  const left = leftOut(found, asked);
  const readTexts = go !== null && found?.texts > 0 && !asked.has("texts") ? h("button", { type: "button", class: "link", onclick: () => go("texts", "numbers") }, "Parse text as numbers") : null;
  const note = left === null ? null : h("p", { class: "panel-note left-out" }, left, " ", readTexts);
  if (found?.numbers === 0) return [h("section", { class: "panel empty", "aria-label": "No numbers" }, h("p", { class: "empty-title" }, "No numeric values"), note)];
  const spots = places(answer, range.isOpen);
  const chart = new Chart({
    title: `${measured(asked)} from ${spots[0].long} to ${spots.at(-1).long}`, kind: "lines", places: spots, isOpen: range.isOpen,
    series: series.map(({ name, style, values, before }) => ({ name, style, values, before: before?.values })),
  });
  const totals = h("ul", { class: "sums", "aria-label": "Totals" }, series.map(({ name, style, total, before }) =>
    h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), h("span", { class: "sums-name" }, called(name === "all" ? measured(asked) : name, 60)), h("b", {}, figure(total)), before ? h("small", {}, change(total, before.total)) : null)));
  const compared = series.some(({ before }) => before);
  const columns = series.flatMap(({ name, before }) => [called(name === "all" ? measured(asked) : name, 40), ...(before ? [h("span", {}, called(name, 40), ", previous")] : [])]);
  const rows = spots.map(({ long }, index) => [long + (range.isOpen && index === spots.length - 1 ? ", so far" : ""), ...series.flatMap(({ values, before }) => [figure(values[index]), ...(before ? [figure(before.values[index])] : [])])]);
  rows.push(["Total", ...series.flatMap(({ total, before }) => [figure(total), ...(before ? [figure(before.total)] : [])])]);
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, measured(asked).slice(0, 80)),
      compared ? h("p", { class: "panel-note dashed-key" }, "previous period") : null), chart.node, totals, note),
    figures("Data", [{ minute: "Minute", hour: "Hour", day: "Day", week: "Week from", month: "Month", quarter: "Quarter from", year: "Year" }[answer.interval] ?? "Interval", ...columns], rows),
  ];
}

/** "+12.5 %": the difference between a total and the previous one. */
function change(total, before) {
  if (total === null || before === null || Number(before) === 0) return `previously ${figure(before)}`;
  const share = Math.round((1000 * (Number(total) - Number(before))) / Math.abs(Number(before))) / 10;
  return `${share > 0 ? "+" : share < 0 ? "−" : "±"}${figure(Math.abs(share))} % (previously ${figure(before)})`;
}
