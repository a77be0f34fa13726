// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The insight types: for each its form, its parameters, and how its results are drawn.

import { cataloguePath, drawCatalogue } from "./catalogue.js";
import { Check, Choice, conditions, Group, Line, Measure, names } from "./form.js";
import { drawFunnel } from "./funnel.js";
import { drawLifecycle, drawStickiness } from "./habits.js";
import { drawPaths } from "./paths.js";
import { drawPlan, planPath, planQuery, planTime } from "./plan.js";
import { Range } from "./range.js";
import { drawRetention } from "./retention.js";
import { Steps } from "./steps.js";
import { drawTrends } from "./trends.js";

const interval = (first = "") => ({
  key: "interval", label: "Interval",
  options: [first === "" ? ["", "Automatic"] : [first, first], ...["minute", "hour", "day", "week", "month", "quarter", "year"].filter((name) => name !== first).map((name) => [name, name])].map(([value, text]) => [value, text[0].toUpperCase() + text.slice(1)]),
});
const periods = { key: "interval", label: "Interval", options: [["day", "Day"], ["week", "Week"], ["month", "Month"]] };
const scope = ["user", "installation"];

const noEvents = ["No events in this time range", "No events match the query. Choose a longer time range or fewer filters."];
const whoCounts = "Users include signed-in users, and installations without a signed-in user; events with neither are not counted.";
const noPeople = ["No users in this time range", `No users match the query. Choose a longer time range or fewer filters. ${whoCounts}`];
const emptyTrend = { users: noPeople, installations: ["No installations in this time range", "No installations match the query. Choose a longer time range or fewer filters. Events of clients that send no installation are not counted."] };

/**
 * Each insight type has: `title`; `about`; `path` (or a function of the parameters); `form(asked, changed)`, which returns its parts;
 * `extra` keys without a part; `interval`, the default of types with intervals and a zone (true: automatic); `isTimeless` for a type
 * without a time range; `query(asked)` and `time(asked)`, the parameters and the time label of such a type where they differ from the
 * default; `isNoCard` for a type that dashboards do not support; `empty(asked)`, the title and text of an empty result; `missing(asked)`,
 * what must be entered first; and `draw(answer, asked, range, go)`.
 */
export const kinds = {
  trends: {
    empty: (asked) => emptyTrend[asked.get("measure")] ?? noEvents,
    title: "Trends", about: "Events and users over time", path: "/v1/trends", extra: ["top"], draw: drawTrends, interval: true,
    form: (asked, changed) => [
      names(asked, changed), conditions(asked, changed), new Measure(asked), new Choice(asked, interval()), new Group(asked), new Range(asked, changed),
      new Check(asked, { key: "compare", value: "before", label: "Compare with the previous period" }),
    ],
    scope,
  },
  funnel: {
    empty: (asked) => ["No users at the first step", `No users did “${asked.all("step")[0]?.slice(0, 60) ?? ""}” in this time range. Choose a longer time range or fewer filters. ${whoCounts}`],
    title: "Funnel", about: "Conversion, step by step", path: "/v1/funnels", extra: ["top", "people"], draw: drawFunnel,
    missing: (asked) => (asked.all("step").length === 0 ? "Enter the steps, such as view_item and purchase." : null),
    form: (asked, changed) => [
      new Steps(asked, changed),
      new Choice(asked, { key: "window", label: "Conversion window", options: [["7d", "7 days"], ["30m", "30 minutes"], ["1h", "1 hour"], ["12h", "12 hours"], ["1d", "1 day"], ["14d", "14 days"], ["30d", "30 days"]] }),
      conditions(asked, changed, { label: "Filters for all steps" }), new Group(asked), new Range(asked, changed),
    ],
    scope,
  },
  retention: {
    empty: () => noPeople,
    title: "Retention", about: "How many users return after a start event", path: "/v1/retention", extra: [], draw: drawRetention, interval: "week",
    form: (asked, changed) => [
      names(asked, changed, { key: "first", label: "Start event" }), conditions(asked, changed, { key: "where.first", label: "Start event filters" }),
      names(asked, changed, { key: "return", label: "Return event" }), conditions(asked, changed, { key: "where.return", label: "Return event filters" }),
      conditions(asked, changed, { label: "Filters for both events" }),
      new Choice(asked, { key: "cohort", label: "Cohort entry", options: [["first", "First time"], ["each", "Recurring"]] }),
      new Choice(asked, { ...periods, options: [["week", "Week"], ["day", "Day"], ["month", "Month"]] }), new Range(asked, changed),
    ],
    scope,
  },
  lifecycle: {
    empty: () => noPeople,
    title: "Lifecycle", about: "New, returning, reactivated and dormant users", path: "/v1/lifecycle", extra: [], draw: drawLifecycle, interval: "day",
    form: (asked, changed) => [names(asked, changed), conditions(asked, changed), new Choice(asked, periods), new Range(asked, changed)],
    scope,
  },
  stickiness: {
    empty: () => noPeople,
    title: "Stickiness", about: "Number of intervals in which users were active", path: "/v1/stickiness", extra: [], draw: drawStickiness, interval: "day",
    form: (asked, changed) => [names(asked, changed), conditions(asked, changed), new Choice(asked, periods), new Range(asked, changed)],
    scope,
  },
  paths: {
    empty: () => ["No sessions in this time range", "No sessions match the query. Choose a longer time range, another start or end, or fewer filters. Events outside sessions are not included."],
    title: "Paths", about: "Steps of sessions from a start, or to an end", path: "/v1/paths", extra: [], draw: drawPaths,
    form: (asked, changed) => [
      new Choice(asked, { key: "of", label: "Show", options: [["screens", "Screens"], ["events", "Events"]] }),
      new Line(asked, { key: "start", label: "Starting at", placeholder: "first step", list: "places" }), new Line(asked, { key: "end", label: "Or ending at", placeholder: "screen or event", list: "places" }),
      new Choice(asked, { key: "steps", label: "Steps", options: ["5", "2", "3", "4", "6", "7", "8", "9", "10"].map((count) => [count, count]) }),
      new Choice(asked, { key: "top", label: "Names per step", options: ["8", "3", "5", "12", "20"].map((count) => [count, count]) }), new Range(asked, changed),
    ],
    scope: ["installation"],
  },
  catalogue: {
    title: "Catalog", about: "All event names and their attributes", path: cataloguePath, extra: ["after", "limit"], draw: drawCatalogue, isTimeless: true,
    empty: (asked) => ["No events", asked.has("search") ? "No event names match." : "No events received yet."],
    form: (asked) => [
      new Line(asked, { key: "search", label: "Name contains", placeholder: "any text" }),
      new Choice(asked, { key: "order", label: "Sort by", options: [["events", "Most frequent"], ["last", "Most recent"], ["name", "Name"]] }),
      new Line(asked, { key: "name", label: "Event details", placeholder: "all events", list: "event-names" }),
    ],
    scope: [],
  },
  plan: {
    title: "Tracking plan", about: "Planned events, and violations of the plan", path: planPath, query: planQuery, time: planTime, extra: ["after", "limit"], draw: drawPlan, isTimeless: true, isNoCard: true,
    form: (asked) => [
      new Choice(asked, { key: "view", label: "View", options: [["events", "Events"], ["violations", "Violations"]] }),
      new Choice(asked, { key: "show", label: "Status", options: [["all", "All"], ["planned", "Planned"], ["unplanned", "Not planned"], ["violated", "With violations"], ["missing", "Never received"]] }),
      new Line(asked, { key: "search", label: "Name contains", placeholder: "any text" }),
      new Line(asked, { key: "name", label: "Violations of one event", placeholder: "all events", list: "event-names" }),
      new Choice(asked, { key: "days", label: "Received", options: [["", "Since the plan took effect"], ["1d", "Today"], ["7d", "Last 7 days"], ["30d", "Last 30 days"]] }),
    ],
    scope: [],
  },
};
