// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// How a dashboard card draws its data: the same charts as for insights, and small ones for cards that are not insights.

import { asQuery, readPairs, writePairs } from "./address.js";
import { Asked } from "./asked.js";
import { style } from "./axis.js";
import { Chart } from "./chart.js";
import { h, s } from "./dom.js";
import { called, figure, figures, percent } from "./figures.js";
import { compact, counted, cut, minute as clockMinute, number } from "./format.js";
import { kinds } from "./kinds.js";
import { printable } from "./stream.js";
import { measured } from "./trends.js";
import { dateOf, isDate, isZone, ownZone } from "./zones.js";

const oneMinute = 60_000;
const times = ["last", "from", "to"];
/** The page's insight type for each kind of card. */
const questionOf = { trends: "trends", funnels: "funnel", retention: "retention", lifecycle: "lifecycle", stickiness: "stickiness", paths: "paths", catalogue: "catalogue" };
const zoned = new Set(["trends", "funnels", "retention", "lifecycle", "stickiness", "paths", "catalogue", "failed"]);
const timed = new Set([...zoned].filter((kind) => kind !== "catalogue"));

/** The kinds of cards that are not insights, with their default title and query. */
export const plainCards = {
  live: { title: "Live events", size: "full", query: "minutes=60" },
  ledger: { title: "Missing events", size: "half", query: "" },
  failed: { title: "Rejected events", size: "half", query: "last=30d&top=8" },
};

/** The kind of card for an insight type of the page. */
export const cardOf = (question) => Object.entries(questionOf).find(([, name]) => name === question)[0];

/** Returns a card's parameters; an unreadable query yields none, and the collector reports the error. */
function pairsOf({ query }) {
  try {
    return readPairs(query).filter(([, value]) => value !== "");
  } catch {
    return [];
  }
}

/**
 * Returns the parameters to add to a card's query: the dashboard's time range, and where missing this browser's zone and an interval of a
 * day or an hour.
 */
export function changeOf(card, last) {
  const pairs = pairsOf(card);
  const has = (key) => pairs.some(([name]) => name === key);
  const change = [];
  if (last !== "" && timed.has(card.kind)) change.push(["last", last]);
  if (zoned.has(card.kind) && !has("zone")) change.push(["zone", ownZone()]);
  // Hours for one day, days for more: the card's own interval could yield far too many points, or too few.
  const interval = pairs.find(([key]) => key === "interval")?.[1] ?? "";
  const isShort = (last || (pairs.find(([key]) => key === "last")?.[1] ?? "")) === "24h";
  if (card.kind === "trends" && isShort && !["minute", "hour"].includes(interval)) change.push(["interval", "hour"]);
  if (card.kind === "trends" && last !== "" && !isShort && ["minute", "hour"].includes(interval)) change.push(["interval", "day"]);
  return change;
}

/** Returns the link to a card's insight, or to its section. Timestamps are converted to their dates. */
export function linkOf(card) {
  const question = questionOf[card.kind];
  if (question === undefined) return { live: "/", ledger: "/?tab=ledger", failed: "/?tab=failed" }[card.kind];
  const pairs = pairsOf(card);
  const wanted = pairs.find(([key]) => key === "zone")?.[1] ?? "";
  const zone = isZone(wanted || ownZone()) ? wanted || ownZone() : "UTC";
  const date = (key, value) => {
    const ms = Number(value);
    return Number.isFinite(ms) && !isDate(value) ? dateOf(key === "to" ? ms - 1 : ms, zone) : value;
  };
  return `/${writePairs([["questions", question], ...pairs.map(([key, value]) => [key, key === "from" || key === "to" ? date(key, value) : value])])}`;
}

/** The message of an empty card. */
export function emptyCard(card) {
  if (card.kind === "failed") return "No events were rejected in this time range.";
  const question = questionOf[card.kind];
  return question === undefined || card.kind === "catalogue" ? "Nothing yet." : `${kinds[question].empty(new Asked(pairsOf(card)))[0]}.`;
}

/** Draws the data: {main, more}, `more` being shown on demand. Null without data. */
export function drawCard(card, answer, { isStill, zone }) {
  const draw = { live: drawLive, ledger: drawLedger, failed: drawRefused }[card.kind];
  const asked = new Asked(pairsOf(card));
  if (draw) return draw(answer);
  const isOpen = !asked.has("to");
  const parts = kinds[questionOf[card.kind]].draw(answer, asked, { isOpen, zone: asked.get("zone") || zone }, null);
  if (parts === null) return null;
  const nodes = parts.filter(Boolean);
  // Visitors with a link cannot open other pages.
  if (isStill) for (const node of nodes) for (const link of node.querySelectorAll("a[href]")) link.replaceWith(...link.childNodes);
  const tables = nodes.filter((node) => node.classList.contains("figures-panel"));
  const main = nodes.find((node) => !tables.includes(node) && node.classList.contains("panel"));
  return main ? { main, more: tables } : { main: nodes[0], more: [] };
}

/** Returns a name's count. Names such as “constructor”, which every object inherits, are not counted. */
const countOf = (names, name) => (names !== undefined && Object.hasOwn(names, name) ? names[name] : 0);

/** Draws events per minute, with the busiest names counted separately. */
function drawLive({ minutes }, now = Date.now()) {
  const last = Math.floor(now / oneMinute) * oneMinute;
  const byMinute = new Map(minutes.map(([start, total, names]) => [start, { total, names }]));
  const starts = Array.from({ length: 60 }, (_, index) => last - (59 - index) * oneMinute);
  const totals = new Map();
  for (const [, , names] of minutes) for (const [name, count] of Object.entries(names)) totals.set(name, (totals.get(name) ?? 0) + count);
  const shown = [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a) || (a < b ? -1 : 1)).slice(0, 7);
  const rest = starts.map((start) => {
    const { total = 0, names = {} } = byMinute.get(start) ?? {};
    return total - shown.reduce((sum, name) => sum + countOf(names, name), 0);
  });
  const series = shown.map((name, index) => ({ name, style: style(index), values: starts.map((start) => countOf(byMinute.get(start)?.names, name)) }));
  if (rest.some((value) => value > 0)) series.push({ name: "all others", style: "cx", values: rest });
  const sum = starts.reduce((all, start) => all + (byMinute.get(start)?.total ?? 0), 0);
  const chart = new Chart({ title: "Events per minute over the last hour", kind: "bars", isOpen: true, breaks: true, series, places: starts.map((start) => ({ short: clockMinute(start), long: clockMinute(start) })) });
  const legend = h("ul", { class: "sums" }, series.map(({ name, style }) => h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), h("span", { class: "sums-name" }, called(name, 40)))));
  return { more: [], main: h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, `${compact(sum)} in the last hour`), h("p", { class: "panel-note" }, sum === 0 ? "no events yet; new events will appear here" : "events per minute, as they arrive")), chart.node, legend) };
}

/** Draws the ledger's totals. */
function drawLedger(answer) {
  const { writers, counted: looked, complete, recorded, received, missing, waiting, rejected, duplicates, dropped } = answer;
  if (writers === 0) return null;
  const lost = Object.values(dropped).reduce((sum, count) => sum + Number(count), 0);
  const parts = [["received", received, "c1"], ["dropped by devices", lost, "cx"], ["rejected", rejected, "c2"], ["missing", missing, "bad"], ["in transit", waiting, "c0"]].filter(([, count]) => Number(count) > 0);
  const whole = Math.max(parts.reduce((sum, [, count]) => sum + Number(count), 0), 1);
  let at = 0;
  const bar = s("svg", { class: "funnel-svg", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, parts.map(([, count, style]) => {
    const width = (100 * Number(count)) / whole;
    at += width;
    return s("rect", { class: `fill ${style}`, x: at - width, width, height: 1 });
  }));
  const list = h("dl", { class: "card-facts" }, parts.map(([name, count, style]) => h("div", {}, h("dt", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), name), h("dd", {}, figure(count), h("small", {}, ` ${percent(Number(count), Number(recorded))}`)))));
  const reasons = Object.entries(dropped).map(([reason, count]) => [printable(reason).replaceAll("_", " ").slice(0, 60), figure(count)]);
  const notes = [`${counted(writers, "process", "processes")} reported ${figure(recorded)} events`, looked < writers ? `the newest ${number(looked)} are included` : `${number(complete)} complete`, duplicates > 0 ? `${figure(duplicates)} duplicates` : null].filter(Boolean).join(" · ");
  return {
    main: h("section", { class: "panel", "aria-label": "Ledger" },
      h("header", { class: "panel-head" }, h("h3", { class: Number(missing) > 0 ? "is-bad" : "is-good" }, Number(missing) > 0 ? `${figure(missing)} missing` : "No missing events")),
      h("div", { class: "card-bar" }, bar), list, h("p", { class: "panel-note card-note" }, notes)),
    more: reasons.length > 0 ? [figures("Dropped by devices", ["Reason", "Events"], reasons)] : [],
  };
}

/** Draws rejected events, in groups. */
function drawRefused({ groups, others, count, lost, reports }) {
  if (count === 0 && lost.length === 0 && reports.length === 0) return null;
  const most = Math.max(...groups.map((group) => group.count), 1);
  const rows = groups.map(({ code, field, name, version, count: size }) => h("li", {},
    h("p", {}, h("span", { class: "badge bad" }, printable(code)), field ? h("code", {}, printable(field).slice(0, 60)) : null, h("span", { class: "card-name" }, name === null ? "unnamed" : called(name, 40), version === null ? null : h("small", {}, ` app ${printable(version).slice(0, 20)}`)), h("b", {}, figure(size))),
    s("svg", { class: "card-line", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, s("rect", { class: "line-ground", width: 100, height: 1 }), s("rect", { class: "fill bad", width: (100 * size) / most, height: 1 }))));
  const notes = [others > 0 ? `${figure(others)} in other groups` : null,
    lost.length > 0 ? `dropped by devices: ${lost.map(({ reason, events }) => `${figure(events)} ${printable(reason).slice(0, 40).replaceAll("_", " ")}`).join(", ")}` : null,
    reports.length > 0 ? `reported by clients: ${reports.map(({ code, events }) => `${figure(events)} × ${printable(code).slice(0, 40)}`).join(", ")}` : null].filter(Boolean).join(" · ");
  return {
    more: [],
    main: h("section", { class: "panel", "aria-label": "Rejected" }, h("header", { class: "panel-head" }, h("h3", {}, count === 0 ? "No rejected events" : `${counted(count, "event")} rejected`)),
      h("ul", { class: "card-groups" }, rows), notes === "" ? null : h("p", { class: "panel-note card-note" }, notes)),
  };
}

/** Converts an insight's parameters for a card. Dates become timestamps, because the collector reads a card's query. */
export function cardQuery(pairs, range) {
  const own = pairs.filter(([key]) => !times.includes(key) && key !== "people" && key !== "after");
  const last = pairs.find(([key]) => key === "last")?.[1];
  const isDated = pairs.some(([key]) => key === "from" || key === "to");
  if (range === null) return own;
  return isDated ? [...own, ["from", String(range.from)], ["to", String(range.to)]] : [...own, ["last", last ?? "30d"]];
}


/** Copies a card and sets its time zone explicitly. */
export function withZone({ title, size, kind, query }) {
  const isZoned = !zoned.has(kind) || pairsOf({ query }).some(([key]) => key === "zone");
  return { title, size, kind, query: isZoned ? query : [query, asQuery([["zone", ownZone()]])].filter(Boolean).join("&") };
}

/** Returns the default title of a card for an insight. */
export function titleOf(kind, asked) {
  const events = asked.all("name").join(", ");
  const title = {
    trends: () => [measured(asked), events === "" ? "" : `: ${events}`, asked.has("by") ? ` by ${asked.get("by")}` : ""].join(""), funnel: () => asked.all("step").join(" → "),
  }[kind]?.() ?? [kinds[kind].title, events].filter(Boolean).join(": ");
  return cut(title.replace(/\p{Cc}/gu, " ").trim(), 60);
}
