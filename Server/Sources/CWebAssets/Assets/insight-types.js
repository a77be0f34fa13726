// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The insight types. Each type defines its form, its parameters, and how its results are drawn.

import { catalogPath, drawCatalog } from "./catalog.js";
import { CheckboxField, eventFields, filterFields, GroupField, MeasureField, SelectField, TextField, UnitField } from "./form-fields.js";
import { drawFunnel } from "./funnel.js";
import { FunnelSteps } from "./funnel-steps.js";
import { drawLifecycle, drawStickiness } from "./lifecycle-stickiness.js";
import { drawPaths } from "./paths.js";
import { drawRetention } from "./retention.js";
import { TimeRangeField } from "./time-range.js";
import { drawPlan, planPath, planQuery, planTimeText } from "./tracking-plan.js";
import { drawTrends, trendCharts } from "./trends.js";

const intervalOptions = (first = "") => ({
  key: "interval", label: "Interval",
  options: [first === "" ? ["", "Automatic"] : [first, first], ...["minute", "hour", "day", "week", "month", "quarter", "year"].filter((name) => name !== first).map((name) => [name, name])].map(([value, text]) => [value, text[0].toUpperCase() + text.slice(1)]),
});
const periodOptions = { key: "interval", label: "Interval", options: [["day", "Day"], ["week", "Week"], ["month", "Month"]] };
const scope = ["user", "installation"];

const noEvents = ["No events in this time range", "No events match the query. Choose a longer time range or fewer filters."];
const userDefinition = "Users include signed-in users, and installations without a signed-in user; events with neither are not counted.";
const noUsers = ["No users in this time range", `No users match the query. Choose a longer time range or fewer filters. ${userDefinition}`];
const emptyTrends = { groups: ["No groups in this time range", "No event in a group of this type matches the query. Choose a longer time range or fewer filters."], users: noUsers, installations: ["No installations in this time range", "No installations match the query. Choose a longer time range or fewer filters. Events of clients that send no installation are not counted."] };

/**
 * Each insight type has: `title`; `description`; `path` (or a function of the parameters); `form(params, onChange)`,
 * which returns its parts; `extra`, the keys that have no part in the form; `interval`, the default of types with
 * intervals and a zone (true: automatic); `isTimeless` for a type without a time range; `query(params)` and
 * `time(params)`, the parameters and the time label of such a type where they differ from the default; `hasNoCard` for
 * a type that dashboards do not support; `empty(params)`, the title and text of an empty result; `missing(params)`,
 * what must be entered first; `listsPeople` for a type whose points list the people behind them; `charts`, the labels
 * of its charts by the parameter `chart`; `overallQuery(params, query)`, the query of a total over all groups, or null;
 * and `draw(result, params, range, setParam, openPeople)`.
 */
export const insightTypes = {
  trends: {
    empty: (params) => emptyTrends[params.get("measure")?.split(":")[0]] ?? noEvents,
    title: "Trends", description: "Events and users over time", path: "/v1/trends", extra: ["top"], draw: drawTrends, interval: true, listsPeople: true, charts: trendCharts,
    // The total over all groups, because people and installations can be in several groups.
    overallQuery: (params, query) => (params.get("chart") === "number" && params.has("by") ? query.filter(([key]) => !["by", "buckets", "values", "top"].includes(key)) : null),
    form: (params, onChange) => [
      eventFields(params, onChange), filterFields(params, onChange), new MeasureField(params), new SelectField(params, intervalOptions()), new GroupField(params), new TimeRangeField(params, onChange),
      new CheckboxField(params, { key: "compare", value: "before", label: "Compare with the previous period" }),
    ],
    scope,
  },
  funnel: {
    empty: (params) => ["No users at the first step", `No users did “${params.getAll("step")[0]?.slice(0, 60) ?? ""}” in this time range. Choose a longer time range or fewer filters. ${userDefinition}`],
    title: "Funnel", description: "Conversion, step by step", path: "/v1/funnels", extra: ["top"], draw: drawFunnel, listsPeople: true,
    missing: (params) => (params.getAll("step").length === 0 ? "Enter the steps, such as view_item and purchase." : null),
    form: (params, onChange) => [
      new FunnelSteps(params, onChange),
      new SelectField(params, { key: "window", label: "Conversion window", options: [["7d", "7 days"], ["30m", "30 minutes"], ["1h", "1 hour"], ["12h", "12 hours"], ["1d", "1 day"], ["14d", "14 days"], ["30d", "30 days"]] }),
      filterFields(params, onChange, { label: "Filters for all steps" }), new UnitField(params), new GroupField(params), new TimeRangeField(params, onChange),
    ],
    scope,
  },
  retention: {
    empty: () => noUsers,
    title: "Retention", description: "How many users return after a start event", path: "/v1/retention", extra: [], draw: drawRetention, interval: "week", listsPeople: true,
    form: (params, onChange) => [
      eventFields(params, onChange, { key: "first", label: "Start event" }), filterFields(params, onChange, { key: "where.first", label: "Start event filters" }),
      eventFields(params, onChange, { key: "return", label: "Return event" }), filterFields(params, onChange, { key: "where.return", label: "Return event filters" }),
      filterFields(params, onChange, { label: "Filters for both events" }),
      new SelectField(params, { key: "cohort", label: "Cohort entry", options: [["first", "First time"], ["each", "Recurring"]] }), new UnitField(params),
      new SelectField(params, { ...periodOptions, options: [["week", "Week"], ["day", "Day"], ["month", "Month"]] }), new TimeRangeField(params, onChange),
    ],
    scope,
  },
  lifecycle: {
    empty: () => noUsers,
    title: "Lifecycle", description: "New, returning, reactivated and dormant users", path: "/v1/lifecycle", extra: [], draw: drawLifecycle, interval: "day", listsPeople: true,
    form: (params, onChange) => [eventFields(params, onChange), filterFields(params, onChange), new UnitField(params), new SelectField(params, periodOptions), new TimeRangeField(params, onChange)],
    scope,
  },
  stickiness: {
    empty: () => noUsers,
    title: "Stickiness", description: "Number of intervals in which users were active", path: "/v1/stickiness", extra: [], draw: drawStickiness, interval: "day", listsPeople: true,
    form: (params, onChange) => [eventFields(params, onChange), filterFields(params, onChange), new UnitField(params), new SelectField(params, periodOptions), new TimeRangeField(params, onChange)],
    scope,
  },
  paths: {
    empty: () => ["No sessions in this time range", "No sessions match the query. Choose a longer time range, another start or end, or fewer filters. Events outside sessions are not included."],
    title: "Paths", description: "Steps within sessions, from a start or to an end", path: "/v1/paths", extra: [], draw: drawPaths,
    form: (params, onChange) => [
      new SelectField(params, { key: "of", label: "Show", options: [["screens", "Screens"], ["events", "Events"]] }),
      new TextField(params, { key: "start", label: "Starting at", placeholder: "first step", list: "path-steps" }), new TextField(params, { key: "end", label: "Or ending at", placeholder: "screen or event", list: "path-steps" }),
      new SelectField(params, { key: "steps", label: "Steps", options: ["5", "2", "3", "4", "6", "7", "8", "9", "10"].map((count) => [count, count]) }),
      new SelectField(params, { key: "top", label: "Names per step", options: ["8", "3", "5", "12", "20"].map((count) => [count, count]) }), new TimeRangeField(params, onChange),
    ],
    scope: ["installation"],
  },
  catalogue: {
    title: "Catalog", description: "All event names and their attributes", path: catalogPath, extra: ["after", "limit"], draw: drawCatalog, isTimeless: true,
    empty: (params) => ["No events", params.has("search") ? "No event names match." : "No events received yet."],
    form: (params) => [
      new TextField(params, { key: "search", label: "Name contains", placeholder: "any text" }),
      new SelectField(params, { key: "order", label: "Sort by", options: [["events", "Most frequent"], ["last", "Most recent"], ["name", "Name"]] }),
      new TextField(params, { key: "name", label: "Event details", placeholder: "all events", list: "event-names" }),
    ],
    scope: [],
  },
  plan: {
    title: "Tracking plan", description: "Planned events, and violations of the plan", path: planPath, query: planQuery, time: planTimeText, extra: ["after", "limit"], draw: drawPlan, isTimeless: true, hasNoCard: true,
    form: (params) => [
      new SelectField(params, { key: "view", label: "View", options: [["events", "Events"], ["violations", "Violations"]] }),
      new SelectField(params, { key: "show", label: "Status", options: [["all", "All"], ["planned", "Planned"], ["unplanned", "Not planned"], ["violated", "With violations"], ["missing", "Never received"]] }),
      new TextField(params, { key: "search", label: "Name contains", placeholder: "any text" }),
      new TextField(params, { key: "name", label: "Violations of one event", placeholder: "all events", list: "event-names" }),
      new SelectField(params, { key: "days", label: "Received", options: [["", "Since the plan took effect"], ["1d", "Today"], ["7d", "Last 7 days"], ["30d", "Last 30 days"]] }),
    ],
    scope: [],
  },
};
