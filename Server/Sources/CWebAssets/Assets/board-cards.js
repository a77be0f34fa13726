// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Draws the data of dashboard cards: the same charts as for insights, and small charts for cards that are not insights.

import { Chart } from "./chart.js";
import { seriesClass } from "./chart-axis.js";
import { dataTable, formatPercent, formatValue, nameNode } from "./data-table.js";
import { h, s } from "./dom.js";
import { formatCompact, formatDayAndTime, formatNumber, formatShortTime, pluralize, printable, truncate } from "./format.js";
import { insightTypes } from "./insight-types.js";
import { pageKeys, QueryParams } from "./query-params.js";
import { allTime } from "./time-range.js";
import { dateInZone, defaultZone, isDate, isTimeZone } from "./time-zones.js";
import { measureText } from "./trends.js";
import { encodeQuery, formatQuery, parseQuery } from "./url.js";

const oneMinute = 60_000;
const rangeKeys = ["last", "from", "to"];
/** The page's insight type for each kind of card. */
const insightTypeOf = { trends: "trends", funnels: "funnel", retention: "retention", lifecycle: "lifecycle", stickiness: "stickiness", paths: "paths", catalogue: "catalogue" };
const zonedKinds = new Set(["trends", "funnels", "retention", "lifecycle", "stickiness", "paths", "catalogue", "failed"]);
const timedKinds = new Set([...zonedKinds].filter((kind) => kind !== "catalogue"));

/** The kinds of cards that are not insights, with their default titles, sizes, and queries. */
export const plainCards = {
  live: { title: "Live events", size: "full", query: "minutes=60" },
  ledger: { title: "Missing events", size: "half", query: "" },
  failed: { title: "Rejected events", size: "half", query: "last=30d&top=8" },
};

/** Returns the kind of card for an insight type of the page. */
export const cardKind = (insightType) => Object.entries(insightTypeOf).find(([, name]) => name === insightType)[0];

/** Returns a card's parameters. An unreadable query has no parameters; the collector reports the error. */
function cardPairs({ query }) {
  try {
    return parseQuery(query).filter(([, value]) => value !== "");
  } catch {
    return [];
  }
}

/**
 * Returns the parameters to add to a card's query: the dashboard's time range and, if missing, the default time zone
 * and an interval of a day or an hour.
 */
export function extraParams(card, last) {
  const pairs = cardPairs(card);
  const has = (key) => pairs.some(([name]) => name === key);
  const change = [];
  if (last !== "" && timedKinds.has(card.kind)) change.push(["last", last]);
  if (zonedKinds.has(card.kind) && !has("zone")) change.push(["zone", defaultZone()]);
  // Use hours for one day and days for longer ranges, because the card's own interval could yield far too many or too
  // few points.
  const interval = pairs.find(([key]) => key === "interval")?.[1] ?? "";
  const isShort = (last || (pairs.find(([key]) => key === "last")?.[1] ?? "")) === "24h" || ["today", "yesterday"].includes(last || (pairs.find(([key]) => key === "last")?.[1] ?? ""));
  if (card.kind === "trends" && isShort && !["minute", "hour"].includes(interval)) change.push(["interval", "hour"]);
  if (card.kind === "trends" && last !== "" && !isShort && ["minute", "hour"].includes(interval)) change.push(["interval", "day"]);
  return change;
}

/** Returns the link to a card's insight or section. Timestamps are converted to dates. */
export function cardLink(card) {
  const insightType = insightTypeOf[card.kind];
  if (insightType === undefined) return { live: "/", ledger: "/?tab=ledger", failed: "/?tab=failed" }[card.kind];
  const pairs = cardPairs(card);
  const requestedZone = pairs.find(([key]) => key === "zone")?.[1] ?? "";
  const zone = isTimeZone(requestedZone || defaultZone()) ? requestedZone || defaultZone() : "UTC";
  const date = (key, value) => {
    const ms = Number(value);
    return Number.isFinite(ms) && !isDate(value) ? dateInZone(key === "to" ? ms - 1 : ms, zone) : value;
  };
  return `/${formatQuery([["questions", insightType], ...pairs.map(([key, value]) => [key, key === "from" || key === "to" ? date(key, value) : value]), ...chartPairs(card)])}`;
}

/** Returns the chart of a card as a parameter of the page. */
const chartPairs = ({ chart }) => (chart === undefined ? [] : [["chart", chart]]);

/** Returns the message of an empty card. */
export function emptyMessage(card) {
  if (card.kind === "failed") return "No events were rejected in this time range.";
  const insightType = insightTypeOf[card.kind];
  return insightType === undefined || card.kind === "catalogue" ? "No data yet." : `${insightTypes[insightType].empty(new QueryParams(cardPairs(card)))[0]}.`;
}

/** Draws a card's data. Returns {main, more}, where `more` is shown on demand; null without data. */
export function drawCard(card, result, { isReadOnly, zone }) {
  const draw = { live: drawLive, ledger: drawLedger, failed: drawRejected }[card.kind];
  const params = new QueryParams([...cardPairs(card), ...chartPairs(card)]);
  if (draw) return draw(result);
  const isOpen = !params.has("to");
  const parts = insightTypes[insightTypeOf[card.kind]].draw(result, params, { isOpen, zone: params.get("zone") || zone }, null);
  if (parts === null) return null;
  const nodes = parts.filter(Boolean);
  // Remove links, because visitors with a shared link cannot open other pages.
  if (isReadOnly) for (const node of nodes) for (const link of node.querySelectorAll("a[href]")) link.replaceWith(...link.childNodes);
  const tables = nodes.filter((node) => node.classList.contains("data-table-panel"));
  const main = nodes.find((node) => !tables.includes(node) && node.classList.contains("panel"));
  return main ? { main, more: tables } : { main: nodes[0], more: [] };
}

/** Returns a name's own count, ignoring members that every object inherits, such as “constructor”. */
const countOf = (names, name) => (names !== undefined && Object.hasOwn(names, name) ? names[name] : 0);

/** Draws the number of events per minute, with separate counts for the busiest names. */
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
  const series = shown.map((name, index) => ({ name, style: seriesClass(index), values: starts.map((start) => countOf(byMinute.get(start)?.names, name)) }));
  if (rest.some((value) => value > 0)) series.push({ name: "all others", style: "cx", values: rest });
  const sum = starts.reduce((all, start) => all + (byMinute.get(start)?.total ?? 0), 0);
  const chart = new Chart({ title: "Events per minute over the last hour", kind: "bars", isOpen: true, breaks: true, series, intervals: starts.map((start) => ({ short: formatShortTime(start), long: formatDayAndTime(start) })) });
  const legend = h("ul", { class: "series-totals" }, series.map(({ name, style }) => h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), h("span", { class: "series-name" }, nameNode(name, 40)))));
  return { more: [], main: h("section", { class: "panel chart-panel", "aria-label": "Chart" }, h("header", { class: "panel-head" }, h("h3", {}, `${formatCompact(sum)} in the last hour`), h("p", { class: "panel-note" }, sum === 0 ? "no events yet; new events will appear here" : "events per minute, as they arrive")), chart.node, legend) };
}

/** Draws the ledger's totals. */
function drawLedger(result) {
  const { writers, counted: includedCount, complete, recorded, received, missing, waiting, rejected, duplicates, dropped } = result;
  if (writers === 0) return null;
  const droppedCount = Object.values(dropped).reduce((sum, count) => sum + Number(count), 0);
  const parts = [["received", received, "c1"], ["dropped by devices", droppedCount, "cx"], ["rejected", rejected, "c2"], ["missing", missing, "bad"], ["in transit", waiting, "c0"]].filter(([, count]) => Number(count) > 0);
  const total = Math.max(parts.reduce((sum, [, count]) => sum + Number(count), 0), 1);
  let offset = 0;
  const bar = s("svg", { class: "funnel-svg", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, parts.map(([, count, style]) => {
    const width = (100 * Number(count)) / total;
    offset += width;
    return s("rect", { class: `fill ${style}`, x: offset - width, width, height: 1 });
  }));
  const list = h("dl", { class: "card-facts" }, parts.map(([name, count, style]) => h("div", {}, h("dt", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }), name), h("dd", {}, formatValue(count), h("small", {}, ` ${formatPercent(Number(count), Number(recorded))}`)))));
  const reasons = Object.entries(dropped).map(([reason, count]) => [printable(reason).replaceAll("_", " ").slice(0, 60), formatValue(count)]);
  const notes = [`${pluralize(writers, "process", "processes")} reported ${formatValue(recorded)} events`, includedCount < writers ? `only the newest ${formatNumber(includedCount)} are included` : `${formatNumber(complete)} complete`, duplicates > 0 ? `${formatValue(duplicates)} duplicates` : null].filter(Boolean).join(" · ");
  return {
    main: h("section", { class: "panel", "aria-label": "Ledger" },
      h("header", { class: "panel-head" }, h("h3", { class: Number(missing) > 0 ? "is-bad" : "is-good" }, Number(missing) > 0 ? `${formatValue(missing)} missing` : "No missing events")),
      h("div", { class: "card-bar" }, bar), list, h("p", { class: "panel-note card-note" }, notes)),
    more: reasons.length > 0 ? [dataTable("Dropped by devices", ["Reason", "Events"], reasons)] : [],
  };
}

/** Draws the groups of rejected events. */
function drawRejected({ groups, others, count, lost, reports }) {
  if (count === 0 && lost.length === 0 && reports.length === 0) return null;
  const maximum = Math.max(...groups.map((group) => group.count), 1);
  const rows = groups.map(({ code, field, name, version, count: size }) => h("li", {},
    h("p", {}, h("span", { class: "badge bad" }, printable(code)), field ? h("code", {}, printable(field).slice(0, 60)) : null, h("span", { class: "card-name" }, name === null ? "unnamed" : nameNode(name, 40), version === null ? null : h("small", {}, ` app ${printable(version).slice(0, 20)}`)), h("b", {}, formatValue(size))),
    s("svg", { class: "card-share-bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" }, s("rect", { class: "bar-track", width: 100, height: 1 }), s("rect", { class: "fill bad", width: (100 * size) / maximum, height: 1 }))));
  const notes = [others > 0 ? `${formatValue(others)} in other groups` : null,
    lost.length > 0 ? `dropped by devices: ${lost.map(({ reason, events }) => `${formatValue(events)} ${printable(reason).slice(0, 40).replaceAll("_", " ")}`).join(", ")}` : null,
    reports.length > 0 ? `reported by clients: ${reports.map(({ code, events }) => `${formatValue(events)} × ${printable(code).slice(0, 40)}`).join(", ")}` : null].filter(Boolean).join(" · ");
  return {
    more: [],
    main: h("section", { class: "panel", "aria-label": "Rejected" }, h("header", { class: "panel-head" }, h("h3", {}, count === 0 ? "No rejected events" : `${pluralize(count, "event")} rejected`)),
      h("ul", { class: "card-groups" }, rows), notes === "" ? null : h("p", { class: "panel-note card-note" }, notes)),
  };
}

/**
 * Converts an insight's parameters for a card. Dates are converted to timestamps, because the collector reads a card's
 * query; ranges such as the last week stay relative.
 */
export function cardQuery(pairs, range) {
  const ownPairs = pairs.filter(([key]) => !rangeKeys.includes(key) && !pageKeys.includes(key) && key !== "after");
  const last = pairs.find(([key]) => key === "last")?.[1];
  if (range === null) return ownPairs;
  if (pairs.some(([key]) => key === "from" || key === "to")) return [...ownPairs, ["from", String(range.from)], ["to", String(range.to)]];
  // All time soon has too many short intervals.
  const intervals = last !== allTime ? ownPairs : ownPairs.map(([key, value]) => (key === "interval" && ["minute", "hour"].includes(value) ? [key, "day"] : [key, value]));
  return [...intervals, ["last", last ?? "30d"]];
}

/** Copies a card and sets its time zone explicitly. */
export function withExplicitZone({ title, size, kind, query, chart }) {
  const hasZone = !zonedKinds.has(kind) || cardPairs({ query }).some(([key]) => key === "zone");
  return { title, size, kind, query: hasZone ? query : [query, encodeQuery([["zone", defaultZone()]])].filter(Boolean).join("&"), ...(chart === undefined ? {} : { chart }) };
}

/** Returns the default title of a card for an insight. */
export function defaultTitle(kind, params) {
  const events = params.getAll("name").join(", ");
  const title = {
    trends: () => [measureText(params), events === "" ? "" : `: ${events}`, params.has("by") ? ` by ${params.getAll("by").join(", ")}` : ""].join(""), funnel: () => params.getAll("step").join(" → "),
  }[kind]?.() ?? [insightTypes[kind].title, events].filter(Boolean).join(": ");
  return truncate(title.replace(/\p{Cc}/gu, " ").trim(), 60);
}
