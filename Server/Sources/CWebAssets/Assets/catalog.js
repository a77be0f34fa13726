// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The event catalog: a table of names, each with links to its details and its trends.

import { dataTable, formatValue, nameNode } from "./data-table.js";
import { h } from "./dom.js";
import { drawEventDescription } from "./event-description.js";
import { pluralize } from "./format.js";
import { formatDateTimeInZone } from "./time-zones.js";
import { formatQuery } from "./url.js";

const columns = ["Event", "Events", "Today", "30 days", "First seen", "Last seen", "Warnings", "Explore"];

/** Returns the API path for all names, or for the name in the parameters. */
export const catalogPath = (params) => (params.has("name") ? `/v1/catalogue/${encodeURIComponent(params.get("name").toWellFormed?.() ?? params.get("name"))}` : "/v1/catalogue");

/** Draws the table of names, or the details of one name. `zone` is the query's time zone. */
export function drawCatalog(result, params, { zone }, setParam) {
  if (params.has("name")) return drawEventDescription(result, zone);
  if (result.events.length === 0) return null;
  const rows = result.events.map(({ name, events, first, last, today, days_30: last30Days, remarks: warnings }) => [
    h("a", { href: insightLink("catalogue", name) }, nameNode(name, 60)), formatValue(events), formatValue(today), formatValue(last30Days), timeText(first, zone), timeText(last, zone),
    warnings.length === 0 ? "–" : h("span", { class: "warning-count" }, pluralize(warnings.length, "warning")), h("a", { href: insightLink("trends", name) }, "Trends"),
  ]);
  const isComplete = !params.has("after") && result.next === undefined;
  const notes = [
    params.has("search") ? "Filtered by name." : null,
    isComplete ? pluralize(result.events.length, "name") + "." : `${pluralize(result.events.length, "name")} on this page.`,
    result.others > 0 ? `${formatValue(result.names)} names are tracked; ${pluralize(result.others, "event")} with other names are not listed.` : null,
  ].filter(Boolean).join(" ");
  const next = result.next === undefined ? null : h("button", { type: "button", class: "button", onclick: () => setParam("after", result.next) }, "Load more names");
  return [
    dataTable("Events", columns, rows, [0, 6, 7]),
    h("p", { class: "results-footer" }, notes, next),
  ];
}

/** Returns the link to an insight of the given type about an event name. */
export const insightLink = (kind, name) => `/${formatQuery([["questions", kind], ["name", name]])}`;

const timeText = (ms, zone) => (Number.isFinite(ms) ? formatDateTimeInZone(ms, zone) : "–");
