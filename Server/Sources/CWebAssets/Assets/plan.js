// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The tracking plan: its events with their counts, unplanned events, and violations.

import { asQuery, writePairs } from "./address.js";
import { h, s } from "./dom.js";
import { called, figure, figures, percent } from "./figures.js";
import { counted } from "./format.js";
import { dateAndTime } from "./zones.js";

const words = {
  unplanned: "not planned", missing: "missing", unexpected: "not in the plan", type: "wrong type", enum: "value not allowed", minimum: "too small", maximum: "too large",
  min_length: "too short", max_length: "too long", date_time: "not a date and time", min_items: "too few", max_items: "too many", more: "more than listed", others: "other violations",
};
const oneDay = 86_400_000;

const isList = (asked) => asked.get("view") !== "violations" && !asked.has("name");

/** Returns the path of the query: the list of events, or of violations. */
export const planPath = (asked) => (isList(asked) ? "/v1/plan" : "/v1/plan/violations");

/** Returns the parameters of the query. */
export function planQuery(asked) {
  const own = isList(asked) ? ["search", "show", "after", "limit"] : ["name", "limit"];
  const days = asked.has("days") ? [["last", asked.get("days")]] : [];
  return [...asked.pairs.filter(([key]) => own.includes(key)), ...days];
}

/** The time range for display. */
export const planTime = (asked) => (asked.has("days") ? `${asked.get("days").slice(0, 12)} (UTC days)` : "Since the plan took effect");

/** Draws the list of events, or the groups of violations. `go` changes a parameter. */
export function drawPlan(answer, asked, { zone }, go) {
  if (!isList(asked)) return drawViolations(answer, asked, zone);
  if (answer.plan === null) return [h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, "No plan"), h("p", {}, "This collector runs without a tracking plan. Start it with ", h("code", {}, "trackway serve --plan plan.json"), "; ", h("code", {}, "trackway plan init"), " creates a first plan from the stored events."))];
  const rows = answer.events.map(({ name, planned, deprecated, owner, events, faulty, violations, sample }) => [
    violations > 0 ? h("a", { href: link([["name", name]]) }, called(name, 60)) : called(name, 60),
    h("span", { class: planned ? (deprecated ? "badge wait" : "badge good") : "badge bad" }, planned ? (deprecated ? "deprecated" : "planned") : "not planned"),
    figure(events), figure(faulty), violations > 0 ? h("span", { class: "remarked" }, figure(violations)) : figure(violations), owner === null ? "–" : called(owner, 30), example(sample),
    h("a", { href: `/${writePairs([["questions", "catalogue"], ["name", name]])}` }, "Catalog"),
  ]);
  const next = answer.next === undefined ? null : h("button", { type: "button", class: "button", onclick: () => go("after", answer.next) }, "More events");
  const others = answer.counted?.others > 0 ? ` ${counted(answer.counted.others, "event")} with other unplanned names.` : "";
  return [
    head(answer, zone),
    rows.length === 0 ? h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, "No such event"), h("p", {}, "Choose another status, or search for another name.")) : figures("Events", ["Event", "Plan", "Events", "Invalid", "Violations", "Owner", "Example", "Explore"], rows, [0, 1, 5, 6, 7]),
    h("p", { class: "answer-foot" }, `${counted(rows.length, "event")} on this page.${others}`, next),
  ];
}

function head({ plan, counted: era, former }, zone) {
  const facts = [
    ["In the plan", figure(plan.events)], ["Received", figure(plan.came)], ["Events checked", figure(era?.events ?? 0)],
    ["Valid", era?.events > 0 ? percent(era.events - era.faulty, era.events) : null], ["Violations", figure(era?.violations ?? 0)], ["Not planned", figure(era?.unplanned ?? 0)],
  ];
  const since = era?.since === undefined || era.since === null ? "No events received since this plan took effect." : `Counted since ${dateAndTime(era.since, zone)}, with plan ${plan.digest}.`;
  const earlier = former.length === 0 ? "" : ` Earlier plans: ${former.slice(0, 3).map((one) => `${one.digest}, ${counted(one.violations, "violation")} in ${counted(one.events, "event")}`).join("; ")}.`;
  return h("section", { class: "panel catalogued", "aria-label": "Plan" },
    h("header", { class: "panel-head" }, h("h3", {}, plan.title === null ? "Tracking plan" : called(plan.title)),
      h("p", { class: "catalogued-links" }, h("a", { href: link([["view", "violations"]]) }, "All violations"))),
    h("dl", { class: "catalogued-facts" }, facts.filter(([, value]) => value !== null).map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
    h("p", { class: "panel-note" }, since + earlier));
}

function drawViolations({ digest, violations, more, since }, asked, zone) {
  if (digest === null || violations.length === 0) {
    return [h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, digest === null ? "No plan" : "No violations"),
      h("p", {}, digest === null ? "This collector runs without a tracking plan." : since === null ? "No events received since this plan took effect." : "All received events match the plan."), h("p", {}, h("a", { href: link([]) }, "The plan's events")))];
  }
  const end = Math.max(...violations.flatMap(({ days }) => days.map(([day]) => day)));
  const rows = violations.map(({ name, path, code, version, expected, events, last, sample, days }) => [
    name === "" ? "other names" : h("a", { href: link([["name", name]]) }, called(name, 40)), path === "" ? "–" : h("code", { class: "plan-path" }, called(path, 60)), words[code] ?? code,
    expected === null ? "–" : called(expected, 60), figure(events), example(sample), version === null ? "–" : called(version, 20), bars(days, end), dateAndTime(last, zone),
  ]);
  const rest = more.groups > 0 ? ` ${counted(more.events, "event")} in ${counted(more.groups, "further group")}.` : "";
  return [
    figures(asked.has("name") ? "Violations" : "All violations", ["Event", "Path", "Violation", "Expected", "Events", "Example", "App", "Last 30 days", "Last seen"], rows, [0, 1, 2, 3, 5, 6, 7, 8]),
    h("p", { class: "answer-foot" }, `${counted(violations.length, "group")}.${rest} `, h("a", { href: link([]) }, "The plan's events")),
  ];
}

// Thirty days, ending with the last day that has violations.
function bars(days, end) {
  const most = Math.max(...days.map(([, events]) => events), 1);
  const shown = days.map(([day, events]) => [29 - Math.round((end - day) / oneDay), events]).filter(([index]) => index >= 0);
  return s("svg", { class: "plan-bars", viewBox: "0 0 90 16", role: "img", "aria-label": `${counted(shown.length, "day")} of the last 30 with violations` },
    shown.map(([index, events]) => s("rect", { class: "fill c0", x: 3 * index, y: 16 - (15 * events) / most - 1, width: 2, height: (15 * events) / most + 1 })));
}

const link = (pairs) => `/${writePairs([["questions", "plan"], ...pairs])}`;

const example = (id) => (id === null ? "–" : h("a", { href: `/?${asQuery([["event", id]])}` }, "Event"));
