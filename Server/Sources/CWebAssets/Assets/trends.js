// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The answer how much happened when: a line for each group, the period before dashed, and all figures.

import { style } from "./axis.js";
import { Chart } from "./chart.js";
import { h } from "./dom.js";
import { called, figure, figures, groupName } from "./figures.js";
import { counted } from "./format.js";
import { longMoment, shortMoment } from "./zones.js";

const words = { events: "Events", users: "People", installations: "Installations", sum: "Sum of", average: "Average of", p95: "95th percentile of" };

/** What is counted, in words. */
export function measured(asked) {
  const [kind, ...rest] = (asked.get("measure") || "events").split(":");
  return [words[kind] ?? kind, rest.join(":")].filter(Boolean).join(" ");
}

/** The intervals of an answer as places of a chart. One that the range cuts is marked; the last of an open range is called otherwise. */
export const places = ({ edges, interval, zone, partial_intervals: partial = [] }, isOpen = false) => edges.slice(0, -1).map((ms, index) => {
  const isPartial = partial.includes(index) && !(isOpen && index === edges.length - 2);
  return { short: shortMoment(ms, interval, zone), long: longMoment(ms, interval, zone) + (isPartial ? ` (partial ${interval})` : ""), isPartial };
});

/** What the measured attribute held in all events of the answer, both periods together; null for measures without an attribute. */
function foundIn(series) {
  const parts = series.flatMap((one) => [one, one.before]).filter((part) => part?.numbers !== undefined);
  if (parts.length === 0) return null;
  const sum = (key) => parts.reduce((all, part) => all + Number(part[key]), 0);
  const found = { numbers: sum("numbers"), texts: sum("texts"), others: sum("others"), missing: sum("missing") };
  return { ...found, events: found.numbers + found.texts + found.others + found.missing };
}

/** The events that a sum, an average or a percentile leaves out, and why; null when it leaves out none. */
function leftOut(found, asked) {
  if (found === null || found.numbers === found.events) return null;
  const name = (asked.get("measure").split(":").slice(1).join(":")).slice(0, 60);
  const kinds = [[found.texts, "text", "texts"], [found.others, "value of another type", "values of other types"]].filter(([count]) => count > 0).map(([count, one, many]) => counted(count, one, many));
  if (found.missing > 0) kinds.push(`${figure(found.missing)} without it`);
  const left = found.events - found.numbers;
  return found.numbers === 0
    ? `${counted(found.events, "event")}, none with a number in “${name}”: ${kinds.join(", ")}.`
    : `Left out: ${figure(left)} of ${counted(found.events, "event")}, which have no number in “${name}”: ${kinds.join(", ")}.`;
}

/** The chart, the totals, and the table. `go(key, value)` asks with another parameter; null where nothing can be asked. */
export function drawTrends(answer, asked, range, go = null) {
  const by = asked.get("by");
  // Of no event at all there are no groups either.
  const series = answer.series.map((one, index) => ({ ...one, name: groupName(one, by, asked.has("values")), style: "other" in one ? "cx" : style(index) }));
  const found = foundIn(series);
  // A sum of 0 is an answer where there are events.
  const isEmpty = found === null ? series.every(({ values, before }) => [...values, ...(before?.values ?? [])].every((value) => value === 0 || value === null)) : found.events === 0;
  if (isEmpty) return null;
  const left = leftOut(found, asked);
  const readTexts = go !== null && found?.texts > 0 && !asked.has("texts") ? h("button", { type: "button", class: "link", onclick: () => go("texts", "numbers") }, "Read texts as numbers") : null;
  const note = left === null ? null : h("p", { class: "panel-note left-out" }, left, " ", readTexts);
  if (found?.numbers === 0) return [h("section", { class: "panel empty", "aria-label": "No numbers" }, h("p", { class: "empty-title" }, "No numbers to add up"), note)];
  const spots = places(answer, range.isOpen);
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
      compared ? h("p", { class: "panel-note dashed-key" }, "the period before") : null), chart.node, totals, note),
    figures("Figures", [{ minute: "Minute", hour: "Hour", day: "Day", week: "Week from", month: "Month", quarter: "Quarter from", year: "Year" }[answer.interval] ?? "Interval", ...columns], rows),
  ];
}

/** "+12.5 %": how a total differs from the one before. */
function change(total, before) {
  if (total === null || before === null || Number(before) === 0) return `before ${figure(before)}`;
  const share = Math.round((1000 * (Number(total) - Number(before))) / Math.abs(Number(before))) / 10;
  return `${share > 0 ? "+" : share < 0 ? "−" : "±"}${figure(Math.abs(share))} % (before ${figure(before)})`;
}
