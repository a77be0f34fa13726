// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The funnel: the number of users who reached each step, their share, and the median time that they took.

import { seriesClass } from "./chart-axis.js";
import { dataTable, formatPercent, formatValue, groupName, nameNode } from "./data-table.js";
import { h, s } from "./dom.js";
import { formatLongDuration, pluralize } from "./format.js";
import { groupParam, pointValue } from "./point-people.js";

const durationText = (ms) => (ms === null || ms === undefined ? "–" : formatLongDuration(Number(ms)));

/** Draws the steps as bars, and the table. `openPeople(point)` lists the users behind a number, unless it is null. */
export function drawFunnel(result, params, range, setParam = null, openPeople = null) {
  const series = result.series.map((item, index) => ({ ...item, name: groupName(item, params), style: "other" in item ? "cx" : seriesClass(index) }));
  const maximum = Math.max(...series.map(({ steps }) => steps[0]?.people ?? 0), 0);
  if (maximum === 0) return null;
  const totals = result.steps.map((_, index) => series.reduce((sum, { steps }) => sum + steps[index].people, 0));
  const steps = h("ol", { class: "funnel" }, result.steps.map((name, index) => h("li", {},
    h("div", { class: "funnel-head" }, h("span", { class: "funnel-number", "aria-hidden": "true" }, String(index + 1)), h("b", {}, nameNode(name, 60)),
      index === 0 ? null : h("span", { class: "funnel-drop-off" }, pointValue(`${formatValue(totals[index - 1] - totals[index])} dropped off`, totals[index - 1] - totals[index], { point: `${index}/dropped` }, openPeople))),
    series.map((item) => stepBar(item, index, maximum, openPeople)))));
  const lastStep = totals.length - 1;
  const header = h("header", { class: "panel-head" }, h("h3", {}, `${formatPercent(totals[lastStep], totals[0])} conversion`),
    h("p", { class: "panel-note" }, `${pluralize(totals[lastStep], "user")} of ${formatValue(totals[0])}, within ${durationText(result.window)}`));
  const isGrouped = series.length > 1 || series[0].name !== "all";
  const rows = series.flatMap((item) => item.steps.map((step, index) => [
    h("span", {}, `${index + 1}. `, nameNode(result.steps[index], 40)), ...(isGrouped ? [nameNode(item.name, 40)] : []), reached(item, index, openPeople), formatPercent(step.people, item.steps[0].people),
    index === 0 ? "–" : formatPercent(step.people, item.steps[index - 1].people), durationText(step.median), durationText(step.median_total),
  ]));
  const columns = ["Step", ...(isGrouped ? ["Group"] : []), "Users", "Overall conversion", "Step conversion", "Median from previous step", "Median from first step"];
  return [h("section", { class: "panel chart-panel", "aria-label": "Chart" }, header, steps), dataTable("Data", columns, rows, isGrouped ? 2 : 1)];
}

/** Returns the number of users of a series who reached a step. */
const reached = (series, index, openPeople) => pointValue(formatValue(series.steps[index].people), series.steps[index].people, { point: `${index + 1}/reached`, ...groupParam(series) }, openPeople);

function stepBar(series, index, maximum, openPeople) {
  const { name: group, style, steps } = series;
  const { people: users, median } = steps[index];
  const notes = [`${formatPercent(users, steps[0].people)} overall`, index > 0 ? `${formatPercent(users, steps[index - 1].people)} from previous step` : null, index > 0 && median !== undefined ? `median ${durationText(median)}` : null];
  return h("div", { class: "funnel-bar" }, group === "all" ? null : h("span", { class: "funnel-group" }, nameNode(group, 40)),
    s("svg", { class: "funnel-svg", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
      s("rect", { class: "bar-track", width: (100 * steps[0].people) / maximum, height: 1 }), s("rect", { class: `fill ${style}`, width: (100 * users) / maximum, height: 1 })),
    h("p", {}, h("b", {}, reached(series, index, openPeople)), h("small", {}, ` ${notes.filter(Boolean).join(" · ")}`)));
}
