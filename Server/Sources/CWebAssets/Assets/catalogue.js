// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The event catalog: a table of names, each with links to its details and its trends.

import { writePairs } from "./address.js";
import { h } from "./dom.js";
import { called, figure, figures } from "./figures.js";
import { counted } from "./format.js";
import { drawName } from "./catalogued.js";
import { dateAndTime } from "./zones.js";

const columns = ["Event", "Events", "Today", "30 days", "First seen", "Last seen", "Warnings", "Explore"];

/** Returns the path of a query: all names, or one. */
export const cataloguePath = (asked) => (asked.has("name") ? `/v1/catalogue/${encodeURIComponent(asked.get("name").toWellFormed?.() ?? asked.get("name"))}` : "/v1/catalogue");

/** Draws the table of names, or the details of one. `zone` is the query's time zone. */
export function drawCatalogue(answer, asked, { zone }, go) {
  if (asked.has("name")) return drawName(answer, zone);
  if (answer.events.length === 0) return null;
  const rows = answer.events.map(({ name, events, first, last, today, days_30: lately, remarks }) => [
    h("a", { href: link("catalogue", name) }, called(name, 60)), figure(events), figure(today), figure(lately), moment(first, zone), moment(last, zone),
    remarks.length === 0 ? "–" : h("span", { class: "remarked" }, counted(remarks.length, "warning")), h("a", { href: link("trends", name) }, "Trends"),
  ]);
  const isWhole = !asked.has("after") && answer.next === undefined;
  const notes = [
    asked.has("search") ? "Filtered by name." : null,
    isWhole ? counted(answer.events.length, "name") + "." : `${counted(answer.events.length, "name")} on this page.`,
    answer.others > 0 ? `${figure(answer.names)} names are tracked; ${counted(answer.others, "event")} with other names are not listed.` : null,
  ].filter(Boolean).join(" ");
  const next = answer.next === undefined ? null : h("button", { type: "button", class: "button", onclick: () => go("after", answer.next) }, "More names");
  return [
    figures("Events", columns, rows, [0, 6, 7]),
    h("p", { class: "answer-foot" }, notes, next),
  ];
}

/** Returns the link to an insight about an event name. */
export const link = (kind, name) => `/${writePairs([["questions", kind], ["name", name]])}`;

const moment = (ms, zone) => (Number.isFinite(ms) ? dateAndTime(ms, zone) : "–");
