// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The funnel: the users of each step, their share, and the median time they took.

import { style } from "./axis.js";
import { h, s } from "./dom.js";
import { called, figure, figures, groupName, percent } from "./figures.js";
import { counted, dateAndClock, shortID, span } from "./format.js";
import { printable } from "./stream.js";

const time = (ms) => (ms === null || ms === undefined ? "–" : span(Number(ms)));

/** Draws the steps as bars, the table, and the users who dropped off after a chosen step. `go(key, value)` changes a parameter. */
export function drawFunnel(answer, asked, range, go) {
  const series = answer.series.map((one, index) => ({ ...one, name: groupName(one, asked.get("by"), asked.has("values")), style: "other" in one ? "cx" : style(index) }));
  const most = Math.max(...series.map(({ steps }) => steps[0]?.people ?? 0), 0);
  if (most === 0) return null;
  const all = answer.steps.map((_, index) => series.reduce((sum, { steps }) => sum + steps[index].people, 0));
  const steps = h("ol", { class: "funnel" }, answer.steps.map((name, index) => h("li", {},
    h("div", { class: "funnel-head" }, h("span", { class: "funnel-number", "aria-hidden": "true" }, String(index + 1)), h("b", {}, called(name, 60)),
      index === 0 ? null : h("span", { class: "funnel-lost" }, `${figure(all[index - 1] - all[index])} dropped off`)),
    series.map(({ name: group, style, steps }) => bar(group, style, steps, index, most)))));
  const last = all.length - 1;
  const head = h("header", { class: "panel-head" }, h("h3", {}, `${percent(all[last], all[0])} conversion`),
    h("p", { class: "panel-note" }, `${counted(all[last], "user")} of ${figure(all[0])}, within ${time(answer.window)}`));
  const isGrouped = series.length > 1 || series[0].name !== "all";
  const rows = series.flatMap(({ name: group, steps }) => steps.map((step, index) => [
    h("span", {}, `${index + 1}. `, called(answer.steps[index], 40)), ...(isGrouped ? [called(group, 40)] : []), figure(step.people), percent(step.people, steps[0].people),
    index === 0 ? "–" : percent(step.people, steps[index - 1].people), time(step.median), time(step.median_total),
  ]));
  const columns = ["Step", ...(isGrouped ? ["Group"] : []), "Users", "Overall conversion", "Step conversion", "Median from previous step", "Median from first step"];
  return [h("section", { class: "panel chart-panel", "aria-label": "Chart" }, head, steps), figures("Data", columns, rows, isGrouped ? 2 : 1), stopped(answer, asked, go)];
}

function bar(group, style, steps, index, most) {
  const { people, median } = steps[index];
  const notes = [`${percent(people, steps[0].people)} overall`, index > 0 ? `${percent(people, steps[index - 1].people)} from previous step` : null, index > 0 && median !== undefined ? `median ${time(median)}` : null];
  return h("div", { class: "funnel-bar" }, group === "all" ? null : h("span", { class: "funnel-group" }, called(group, 40)),
    s("svg", { class: "funnel-svg", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
      s("rect", { class: "line-ground", width: (100 * steps[0].people) / most, height: 1 }), s("rect", { class: `fill ${style}`, width: (100 * people) / most, height: 1 })),
    h("p", {}, h("b", {}, figure(people)), h("small", {}, ` ${notes.filter(Boolean).join(" · ")}`)));
}

/** Lists the users who dropped off after a step; they are loaded when the step is chosen. */
function stopped(answer, asked, go) {
  const chosen = asked.get("people");
  const select = h("select", { "data-field": "people", "aria-label": "Dropped off after step", onchange: () => go("people", select.value) },
    h("option", { value: "" }, "choose a step"), answer.steps.map((name, index) => h("option", { value: index + 1, selected: chosen === String(index + 1) }, `${index + 1}. ${printable(name).slice(0, 60)}`)));
  const people = answer.people ?? [];
  const list = chosen === "" ? null : people.length === 0 ? h("p", { class: "nothing" }, "No users dropped off there.") : h("ul", { class: "stopped" }, people.map((person) => h("li", {},
    h("a", { href: `/?visitors=${encodeURIComponent(person.user === null || person.user === undefined ? `installation:${person.installation}` : `user:${person.user}`)}` }, person.user === null || person.user === undefined ? `Visitor ${shortID(person.installation)}` : called(person.user, 60)),
    h("small", {}, dateAndClock(person.at).slice(0, 16)))));
  return h("section", { class: "panel", "aria-label": "Drop-off" }, h("header", { class: "panel-head" }, h("h3", {}, "Users who dropped off after"), select), list);
}
