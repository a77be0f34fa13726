// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What can be asked: for each kind of question its form, its parameters, and how its answer is drawn.

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
  options: [first === "" ? ["", "By the time"] : [first, first], ...["minute", "hour", "day", "week", "month", "quarter", "year"].filter((name) => name !== first).map((name) => [name, name])].map(([value, text]) => [value, text[0].toUpperCase() + text.slice(1)]),
});
const periods = { key: "interval", label: "Interval", options: [["day", "Day"], ["week", "Week"], ["month", "Month"]] };
const scope = ["user", "installation"];

const noEvents = ["No events in this time", "No event matches the query. Choose a longer time, or fewer conditions."];
const whoCounts = "People are signed-in users, and installations where nobody is signed in; events with neither count as no person.";
const noPeople = ["No people in this time", `No person matches the query. Choose a longer time, or fewer conditions. ${whoCounts}`];
const emptyTrend = { users: noPeople, installations: ["No installations in this time", "No installation matches the query. Choose a longer time, or fewer conditions. Events of clients that send no installation count as none."] };

/** Each kind: `title`, `about`, `path` (or what gives it for what is asked), `form(asked, changed)` with its parts, `extra` keys without a part, `interval` the usual one (true: by the time) of kinds that have intervals and a zone, `isTimeless` of one that asks for no stretch of time, `query(asked)` and `time(asked)` what such a one asks and how it calls its time where that is not plain, `isNoCard` of one that boards do not have, `empty(asked)` the title and the text of an empty answer, `missing(asked)` what to do before it can be asked, and `draw(answer, asked, range, go)`. */
export const kinds = {
  trends: {
    empty: (asked) => emptyTrend[asked.get("measure")] ?? noEvents,
    title: "Trends", about: "How much happened when", path: "/v1/trends", extra: ["top"], draw: drawTrends, interval: true,
    form: (asked, changed) => [
      names(asked, changed), conditions(asked, changed), new Measure(asked), new Choice(asked, interval()), new Group(asked), new Range(asked, changed),
      new Check(asked, { key: "compare", value: "before", label: "Compare with the period before" }),
    ],
    scope,
  },
  funnel: {
    empty: (asked) => ["No people at the first step", `No person did “${asked.all("step")[0]?.slice(0, 60) ?? ""}” in this time. Choose a longer time, or fewer conditions. ${whoCounts}`],
    title: "Funnel", about: "How many people come through, step by step", path: "/v1/funnels", extra: ["top", "people"], draw: drawFunnel,
    missing: (asked) => (asked.all("step").length === 0 ? "Name the steps, such as view_item and purchase." : null),
    form: (asked, changed) => [
      new Steps(asked, changed),
      new Choice(asked, { key: "window", label: "Through all steps within", options: [["7d", "7 days"], ["30m", "30 minutes"], ["1h", "1 hour"], ["12h", "12 hours"], ["1d", "1 day"], ["14d", "14 days"], ["30d", "30 days"]] }),
      conditions(asked, changed, { label: "Where, in every step" }), new Group(asked), new Range(asked, changed),
    ],
    scope,
  },
  retention: {
    empty: () => noPeople,
    title: "Retention", about: "How many people come back, by when they began", path: "/v1/retention", extra: [], draw: drawRetention, interval: "week",
    form: (asked, changed) => [
      names(asked, changed, { key: "first", label: "Began with" }), conditions(asked, changed, { key: "where.first", label: "Where, at the beginning" }),
      names(asked, changed, { key: "return", label: "Came back with" }), conditions(asked, changed, { key: "where.return", label: "Where, coming back" }),
      conditions(asked, changed, { label: "Where, both times" }),
      new Choice(asked, { key: "cohort", label: "Counted from", options: [["first", "the first time ever"], ["each", "each interval's first time"]] }),
      new Choice(asked, { ...periods, options: [["week", "Week"], ["day", "Day"], ["month", "Month"]] }), new Range(asked, changed),
    ],
    scope,
  },
  lifecycle: {
    empty: () => noPeople,
    title: "Lifecycle", about: "Who is new, stays, returns, or stays away", path: "/v1/lifecycle", extra: [], draw: drawLifecycle, interval: "day",
    form: (asked, changed) => [names(asked, changed), conditions(asked, changed), new Choice(asked, periods), new Range(asked, changed)],
    scope,
  },
  stickiness: {
    empty: () => noPeople,
    title: "Stickiness", about: "In how many intervals people were active", path: "/v1/stickiness", extra: [], draw: drawStickiness, interval: "day",
    form: (asked, changed) => [names(asked, changed), conditions(asked, changed), new Choice(asked, periods), new Range(asked, changed)],
    scope,
  },
  paths: {
    empty: () => ["No sessions in this time", "No session matches the query. Choose a longer time, another beginning, or fewer conditions. Events outside of sessions are not followed."],
    title: "Paths", about: "Where sessions go from somewhere, or come from", path: "/v1/paths", extra: [], draw: drawPaths,
    form: (asked, changed) => [
      new Choice(asked, { key: "of", label: "Of", options: [["screens", "Screens"], ["events", "Events"]] }),
      new Line(asked, { key: "start", label: "Beginning at", placeholder: "the first", list: "places" }), new Line(asked, { key: "end", label: "Or ending at", placeholder: "screen or event", list: "places" }),
      new Choice(asked, { key: "steps", label: "Steps", options: ["5", "2", "3", "4", "6", "7", "8", "9", "10"].map((count) => [count, count]) }),
      new Choice(asked, { key: "top", label: "Told apart in each step", options: ["8", "3", "5", "12", "20"].map((count) => [count, count]) }), new Range(asked, changed),
    ],
    scope: ["installation"],
  },
  catalogue: {
    title: "Catalogue", about: "Which events there are, and what they look like", path: cataloguePath, extra: ["after", "limit"], draw: drawCatalogue, isTimeless: true,
    empty: (asked) => ["No events", asked.has("search") ? "No event has such a name." : "No event has arrived yet."],
    form: (asked) => [
      new Line(asked, { key: "search", label: "Name contains", placeholder: "any text" }),
      new Choice(asked, { key: "order", label: "First", options: [["events", "The most frequent"], ["last", "The latest"], ["name", "By the alphabet"]] }),
      new Line(asked, { key: "name", label: "One event in full", placeholder: "all events", list: "event-names" }),
    ],
    scope: [],
  },
  plan: {
    title: "Plan", about: "Which events are planned, and what does not keep to the plan", path: planPath, query: planQuery, time: planTime, extra: ["after", "limit"], draw: drawPlan, isTimeless: true, isNoCard: true,
    form: (asked) => [
      new Choice(asked, { key: "view", label: "Look at", options: [["events", "Events"], ["violations", "What does not keep to the plan"]] }),
      new Choice(asked, { key: "show", label: "Which events", options: [["all", "All"], ["planned", "Planned"], ["unplanned", "Not planned"], ["violated", "With violations"], ["missing", "That never came"]] }),
      new Line(asked, { key: "search", label: "Name contains", placeholder: "any text" }),
      new Line(asked, { key: "name", label: "Violations of one event", placeholder: "all events", list: "event-names" }),
      new Choice(asked, { key: "days", label: "Arrived", options: [["", "Since the plan counts"], ["1d", "Today"], ["7d", "In 7 days"], ["30d", "In 30 days"]] }),
    ],
    scope: [],
  },
};
