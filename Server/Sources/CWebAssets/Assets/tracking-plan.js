// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The tracking plan: its events with their counts, unplanned events, and violations.

import { dataTable, formatPercent, formatValue, nameNode } from "./data-table.js";
import { h, s } from "./dom.js";
import { pluralize } from "./format.js";
import { formatDateTimeInZone } from "./time-zones.js";
import { encodeQuery, formatQuery } from "./url.js";

const violationTexts = {
  unplanned: "not planned", missing: "missing", unexpected: "not in the plan", type: "wrong type", enum: "value not allowed", minimum: "too small", maximum: "too large",
  min_length: "too short", max_length: "too long", date_time: "not a date and time", min_items: "too few", max_items: "too many", more: "more violations in one event", others: "other violations",
};
const oneDay = 86_400_000;
const recentDays = new Map([["1d", "Today"], ["7d", "Last 7 days"], ["30d", "Last 30 days"]]);

const isEventList = (params) => params.get("view") !== "violations" && !params.has("name");

/** Returns the API path for the list of events or of violations. */
export const planPath = (params) => (isEventList(params) ? "/v1/plan" : "/v1/plan/violations");

/** Returns the query parameters for the collector. */
export function planQuery(params) {
  const supported = isEventList(params) ? ["search", "show", "after", "limit"] : ["name", "limit"];
  const days = params.has("days") ? [["last", params.get("days")]] : [];
  return [...params.pairs.filter(([key]) => supported.includes(key)), ...days];
}

/** Returns the display text of the time range. */
export const planTimeText = (params) => (params.has("days") ? `${recentDays.get(params.get("days")) ?? params.get("days").slice(0, 12)} (UTC)` : "Since the plan took effect");

/** Draws the list of events, or the groups of violations. `setParam` changes a parameter. */
export function drawPlan(result, params, { zone }, setParam) {
  if (!isEventList(params)) return drawViolations(result, params, zone);
  if (result.plan === null) return [h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, "No plan"), h("p", {}, "This collector runs without a tracking plan. Start it with ", h("code", {}, "trackway serve --plan plan.json"), "; ", h("code", {}, "trackway plan init"), " creates an initial plan from the stored events."))];
  const rows = result.events.map(({ name, planned, deprecated, owner, events, faulty, violations, sample }) => [
    violations > 0 ? h("a", { href: planLink([["name", name]]) }, nameNode(name, 60)) : nameNode(name, 60),
    h("span", { class: planned ? (deprecated ? "badge info" : "badge good") : "badge bad" }, planned ? (deprecated ? "deprecated" : "planned") : "not planned"),
    formatValue(events), formatValue(faulty), violations > 0 ? h("span", { class: "warning-count" }, formatValue(violations)) : formatValue(violations), owner === null ? "–" : nameNode(owner, 30), exampleLink(sample),
    h("a", { href: `/${formatQuery([["questions", "catalogue"], ["name", name]])}` }, "Catalog"),
  ]);
  const next = result.next === undefined ? null : h("button", { type: "button", class: "button", onclick: () => setParam("after", result.next) }, "Load more events");
  const others = result.counted?.others > 0 ? ` ${pluralize(result.counted.others, "event")} with other unplanned names.` : "";
  return [
    planSummary(result, zone),
    rows.length === 0 ? h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, "No such event"), h("p", {}, "Choose another status, or search for another name.")) : dataTable("Events", ["Event", "Plan", "Events", "Invalid", "Violations", "Owner", "Example", "Explore"], rows, [0, 1, 5, 6, 7]),
    h("p", { class: "results-footer" }, `${pluralize(rows.length, "event")} on this page.${others}`, next),
  ];
}

function planSummary({ plan, counted: counts, former: earlierPlans }, zone) {
  const facts = [
    ["In the plan", formatValue(plan.events)], ["Received", formatValue(plan.came)], ["Events checked", formatValue(counts?.events ?? 0)],
    ["Valid", counts?.events > 0 ? formatPercent(counts.events - counts.faulty, counts.events) : null], ["Violations", formatValue(counts?.violations ?? 0)], ["Not planned", formatValue(counts?.unplanned ?? 0)],
  ];
  const since = counts?.since === undefined || counts.since === null ? "No events received since this plan took effect." : `Counted since ${formatDateTimeInZone(counts.since, zone)}, with plan ${plan.digest}.`;
  const earlierText = earlierPlans.length === 0 ? "" : ` Earlier plans: ${earlierPlans.slice(0, 3).map((item) => `${item.digest}, ${pluralize(item.violations, "violation")} in ${pluralize(item.events, "event")}`).join("; ")}.`;
  return h("section", { class: "panel summary-panel", "aria-label": "Plan" },
    h("header", { class: "panel-head" }, h("h3", {}, plan.title === null ? "Tracking plan" : nameNode(plan.title)),
      h("p", { class: "summary-links" }, h("a", { href: planLink([["view", "violations"]]) }, "All violations"))),
    h("dl", { class: "summary-facts" }, facts.filter(([, value]) => value !== null).map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    h("p", { class: "panel-note" }, since + earlierText));
}

function drawViolations({ digest, violations, more, since }, params, zone) {
  if (digest === null || violations.length === 0) {
    return [h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, digest === null ? "No plan" : "No violations"),
      h("p", {}, digest === null ? "This collector runs without a tracking plan." : since === null ? "No events received since this plan took effect." : "All received events match the plan."), h("p", {}, h("a", { href: planLink([]) }, "The plan's events")))];
  }
  const end = Math.max(...violations.flatMap(({ days }) => days.map(([day]) => day)));
  const rows = violations.map(({ name, path, code, version, expected, events, last, sample, days }) => [
    name === "" ? "other names" : h("a", { href: planLink([["name", name]]) }, nameNode(name, 40)), path === "" ? "–" : h("code", { class: "plan-path" }, nameNode(path, 60)), violationTexts[code] ?? code,
    expected === null ? "–" : nameNode(expected, 60), formatValue(events), exampleLink(sample), version === null ? "–" : nameNode(version, 20), dailyBars(days, end), formatDateTimeInZone(last, zone),
  ]);
  const omitted = more.groups > 0 ? ` ${pluralize(more.events, "event")} in ${pluralize(more.groups, "further group")}.` : "";
  return [
    dataTable(params.has("name") ? "Violations" : "All violations", ["Event", "Path", "Violation", "Expected", "Events", "Example", "App", "Last 30 days", "Last seen"], rows, [0, 1, 2, 3, 5, 6, 7, 8]),
    h("p", { class: "results-footer" }, `${pluralize(violations.length, "group")}.${omitted} `, h("a", { href: planLink([]) }, "The plan's events")),
  ];
}

// Draws thirty days as small bars, ending with the last day that has violations.
function dailyBars(days, end) {
  const maximum = Math.max(...days.map(([, events]) => events), 1);
  const shown = days.map(([day, events]) => [29 - Math.round((end - day) / oneDay), events]).filter(([index]) => index >= 0);
  return s("svg", { class: "plan-bars", viewBox: "0 0 90 16", role: "img", "aria-label": `${pluralize(shown.length, "day")} of the last 30 with violations` },
    shown.map(([index, events]) => s("rect", { class: "fill c0", x: 3 * index, y: 16 - (15 * events) / maximum - 1, width: 2, height: (15 * events) / maximum + 1 })));
}

const planLink = (pairs) => `/${formatQuery([["questions", "plan"], ...pairs])}`;

const exampleLink = (id) => (id === null ? "–" : h("a", { href: `/?${encodeQuery([["event", id]])}` }, "Event"));
