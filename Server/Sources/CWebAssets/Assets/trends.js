// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Trends: lines, bars or a number for each group, the previous period, and a table of all values.

import { Chart } from "./chart.js";
import { seriesClass } from "./chart-axis.js";
import { dataTable, formatValue, groupName, nameNode } from "./data-table.js";
import { h, s } from "./dom.js";
import { pluralize, printable } from "./format.js";
import { groupParam, pointValue } from "./point-people.js";
import { fieldsFor } from "./suggestions.js";
import { longIntervalLabel, shortIntervalLabel } from "./time-zones.js";

const measureTexts = { events: "Events", users: "Users", installations: "Installations", groups: "Groups by", sum: "Sum of", average: "Average of", p95: "95th percentile of" };

/** The charts by the parameter `chart`; the first is the default. */
export const trendCharts = { line: "Line", bars: "Bars", number: "Number", table: "Table" };

/** Returns the display text of the measure. */
export function measureText(params) {
  const [kind, ...rest] = (params.get("measure") || "events").split(":");
  return [measureTexts[kind] ?? kind, rest.join(":")].filter(Boolean).join(" ");
}

/**
 * Returns the intervals of a result for a chart. An interval that is only partly in the range is marked; the last
 * interval of an open range is labeled differently.
 */
export const chartIntervals = ({ edges, interval, zone, partial_intervals: partial = [] }, isOpen = false) => edges.slice(0, -1).map((ms, index) => {
  const isPartial = partial.includes(index) && !(isOpen && index === edges.length - 2);
  return { short: shortIntervalLabel(ms, interval, zone), long: longIntervalLabel(ms, interval, zone) + (isPartial ? ` (partial ${interval})` : ""), isPartial };
});

/**
 * Counts the types of the measured attribute's values in all events of both periods; null for measures without an
 * attribute.
 */
function countValueTypes(series) {
  const parts = series.flatMap((item) => [item, item.before]).filter((part) => part?.numbers !== undefined);
  if (parts.length === 0) return null;
  const sum = (key) => parts.reduce((all, part) => all + Number(part[key]), 0);
  const counts = { numbers: sum("numbers"), texts: sum("texts"), others: sum("others"), missing: sum("missing") };
  return { ...counts, events: counts.numbers + counts.texts + counts.others + counts.missing };
}

/**
 * Returns a description of the events excluded from a sum, an average or a percentile; null if no events are excluded.
 */
function excludedText(counts, params) {
  if (counts === null || counts.numbers === counts.events) return null;
  const name = (params.get("measure").split(":").slice(1).join(":")).slice(0, 60);
  const kinds = [[counts.texts, "text value", "text values"], [counts.others, "value of another type", "values of other types"]].filter(([count]) => count > 0).map(([count, item, plural]) => pluralize(count, item, plural));
  if (counts.missing > 0) kinds.push(`${formatValue(counts.missing)} without the attribute`);
  const excludedCount = counts.events - counts.numbers;
  return counts.numbers === 0
    ? `${pluralize(counts.events, "event")}, none with a number in “${name}”: ${kinds.join(", ")}.`
    : `Excluded: ${formatValue(excludedCount)} of ${pluralize(counts.events, "event")} without a number in “${name}”: ${kinds.join(", ")}.`;
}

/**
 * Draws the chart, the totals, and the table. `setParam(key, value)` changes a parameter; `setParam` is null if the
 * query cannot be changed. `openPeople(point)` lists the people behind a value; it is null if they cannot be listed.
 */
export function drawTrends(result, params, range, setParam = null, openPeople = null) {
  const by = params.getAll("by").length === 1 && !params.has("buckets") ? params.get("by") : "";
  // Without events, there are no groups either.
  const series = result.series.map((item, index) => ({ ...item, name: groupName(item, params), style: "other" in item ? "cx" : seriesClass(index) }));
  const counts = countValueTypes(series);
  // A sum of 0 is a valid result if there are events.
  const isEmpty = counts === null ? series.every(({ values, before }) => [...values, ...(before?.values ?? [])].every((value) => value === 0 || value === null)) : counts.events === 0;
  if (isEmpty) return null;
  const excludedNote = excludedText(counts, params);
  const parseButton = setParam !== null && counts?.texts > 0 && !params.has("texts") ? h("button", { type: "button", class: "link", onclick: () => setParam("texts", "numbers") }, "Parse text as numbers") : null;
  const note = excludedNote !== null ? h("p", { class: "panel-note excluded-note" }, excludedNote, " ", parseButton)
    : setParam !== null && by !== "" && series.every(({ group, total }) => group === null && Number(total) > 0) ? missingFieldNote(by, setParam) : null;
  if (counts?.numbers === 0) return [h("section", { class: "panel empty", "aria-label": "No numbers" }, h("p", { class: "empty-title" }, "No numeric values"), note)];
  const intervals = chartIntervals(result, range.isOpen);
  const kind = params.get("chart") || "line";
  const before = (item, point, value) => pointValue(formatValue(value), value, { point: String(point), ...groupParam(item), period: "before" }, openPeople);
  const now = (item, point, value) => pointValue(formatValue(value), value, { point: String(point), ...groupParam(item) }, openPeople);
  const totals = h("ul", { class: "series-totals", "aria-label": "Totals" }, series.map(({ name, style, total, before }) =>
    h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), h("span", { class: "series-name" }, nameNode(name === "all" ? measureText(params) : name, 60)), h("b", {}, formatValue(total)), before ? h("small", {}, changeText(total, before.total)) : null)));
  const hasComparison = series.some(({ before }) => before);
  const columns = series.flatMap(({ name, before }) => [nameNode(name === "all" ? measureText(params) : name, 40), ...(before ? [h("span", {}, nameNode(name, 40), ", previous")] : [])]);
  const rows = intervals.map(({ long }, index) => [long + (range.isOpen && index === intervals.length - 1 ? ", so far" : ""), ...series.flatMap((item) => [now(item, result.edges[index], item.values[index]), ...(item.before ? [before(item, result.edges_before[index], item.before.values[index])] : [])])]);
  rows.push(["Total", ...series.flatMap((item) => [now(item, "total", item.total), ...(item.before ? [before(item, "total", item.before.total)] : [])])]);
  const table = dataTable("Data", [{ minute: "Minute", hour: "Hour", day: "Day", week: "Week of", month: "Month", quarter: "Quarter starting", year: "Year" }[result.interval] ?? "Interval", ...columns], rows);
  const selector = setParam === null ? null : chartSelector(kind, (name) => setParam("chart", name));
  if (kind === "table") {
    table.querySelector("h3").textContent = measureText(params).slice(0, 80);
    if (selector !== null) table.querySelector("h3").after(selector);
    return [table, note === null ? null : h("section", { class: "panel" }, note)];
  }
  const head = (...notes) => h("header", { class: "panel-head" }, h("h3", {}, measureText(params).slice(0, 80)), notes, selector);
  if (kind === "number") return [h("section", { class: "panel number-panel", "aria-label": "Number" }, head(), numberNodes(series, result.overall, params, openPeople), note), table];
  // Bars of events are stacked. People can be in several groups, and averages cannot be added, so their bars are not.
  const hasPartial = range.isOpen || intervals.some(({ isPartial }) => isPartial);
  const isStacked = ["events", "sum"].includes((params.get("measure") || "events").split(":")[0]);
  const chart = new Chart({
    title: `${measureText(params)} from ${intervals[0].long} to ${intervals.at(-1).long}`, kind: kind === "line" ? "lines" : isStacked ? "bars" : "columns", intervals, isOpen: range.isOpen,
    series: series.map(({ name, style, values, before: previous }) => ({ name, style, values, before: previous?.values })),
    onSelect: openPeople && ((index, item) => openPeople({ point: String(result.edges[index]), ...groupParam(series[item]) })),
  });
  return [
    h("section", { class: "panel chart-panel", "aria-label": "Chart" }, head(hasPartial && setParam !== null ? h("p", { class: "panel-note" }, `${kind === "line" ? "dotted" : "faded"}: incomplete ${result.interval}`) : null, hasComparison && kind === "line" ? h("p", { class: "panel-note dashed-key" }, "previous period") : null), chart.node, totals, note),
    table,
  ];
}

/** Returns a note that no matching event has the field, with the known fields that can be meant instead. */
function missingFieldNote(by, setParam) {
  const note = h("p", { class: "panel-note excluded-note" }, `No matching event has “${printable(by).slice(0, 60)}”.`);
  fieldsFor(by).then((fields) => {
    if (fields.length > 0) note.append(" Group by ", ...fields.slice(0, 3).flatMap((field, index) => [index > 0 ? " or " : "", h("button", { type: "button", class: "link", onclick: () => setParam("by", field) }, field)]), " instead.");
  });
  return note;
}

/** Returns the buttons that select a chart. */
function chartSelector(selected, onSelect) {
  return h("div", { class: "segmented chart-selector", role: "group", "aria-label": "Chart type" }, Object.entries(trendCharts).map(([name, text]) => h("button", { type: "button", "aria-pressed": String(name === selected), onclick: () => name === selected || onSelect(name) }, text)));
}

/** Returns the total as a number, and a bar for the total of each group. `overall` is the total over all groups, or null. */
function numberNodes(series, overall, params, openPeople) {
  const [kind] = (params.get("measure") || "events").split(":");
  const isGrouped = "group" in series[0] || "other" in series[0];
  const total = isGrouped && params.has("by") ? overall : series[0];
  const value = (item, point) => pointValue(formatValue(item.total), item.total, { point: "total", ...point }, openPeople);
  const number = total === null || total === undefined ? null : h("p", { class: "big-number" }, h("b", {}, value(total, {})), total.before ? h("small", {}, changeText(total.total, total.before.total)) : null);
  if (!isGrouped || !params.has("by")) return [number];
  const maximum = Math.max(...series.map((item) => Math.abs(Number(item.total ?? 0))), 0) || 1;
  const bars = h("ol", { class: "group-bars", "aria-label": "Totals" }, series.map((item) => h("li", {},
    h("span", { class: "series-name" }, nameNode(item.name, 60)), h("b", {}, value(item, groupParam(item))), item.before ? h("small", {}, changeText(item.total, item.before.total)) : null,
    s("svg", { class: "group-bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, s("rect", { class: `fill ${item.style}`, width: (100 * Math.abs(Number(item.total ?? 0))) / maximum, height: 1 })))));
  const subject = { users: "A user", installations: "An installation", groups: "A group" }[kind];
  return [number, bars, subject && number ? h("p", { class: "panel-note number-note" }, `${subject} counts once in the total, but can be in several rows.`) : null];
}

/** Formats the change from the previous total: "+12.5%". */
function changeText(total, before) {
  if (total === null || before === null || Number(before) === 0) return `previously ${formatValue(before)}`;
  const share = Math.round((1000 * (Number(total) - Number(before))) / Math.abs(Number(before))) / 10;
  return `${share > 0 ? "+" : share < 0 ? "−" : "±"}${formatValue(Math.abs(share))}% (previously ${formatValue(before)})`;
}
