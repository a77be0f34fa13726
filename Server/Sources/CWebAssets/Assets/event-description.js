// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The events of one name: format warnings, and attributes with their types, fill rates and values.

import { formatPercent, formatValue, nameNode } from "./data-table.js";
import { h, s } from "./dom.js";
import { pluralize, printable } from "./format.js";
import { formatDateTimeInZone } from "./time-zones.js";
import { formatQuery } from "./url.js";

const maximumValueLength = 40;

/** Draws the details of a name: counts, attributes, apps and platforms. */
export function drawEventDescription(result, zone) {
  const timeText = (ms) => (Number.isFinite(ms) ? formatDateTimeInZone(ms, zone) : null);
  const counts = [["Events", result.events], ["Today", result.today], ["30 days", result.days_30]].map(([key, value]) => [key, value === undefined ? null : formatValue(value)]);
  const facts = [...counts, ["First seen", timeText(result.first)], ["Last seen", timeText(result.last)], ["Max. attributes", formatValue(result.max_attributes)],
    ["With items", result.items?.events > 0 ? `${formatValue(result.items.events)}, at most ${formatValue(result.items.max)} each` : null]];
  const ownAttributes = result.attributes.filter(({ scope }) => scope !== "global");
  const global = result.attributes.filter(({ scope }) => scope === "global");
  const basis = `Based on the latest ${pluralize(result.read, "event")}${timeText(result.since) === null ? "" : `, received since ${timeText(result.since)}`}.`;
  return [
    h("section", { class: "panel summary-panel", "aria-label": "Event" },
      h("header", { class: "panel-head" }, h("h3", {}, nameNode(result.name)),
        h("p", { class: "summary-links" }, h("a", { href: insightLink("trends", result.name) }, "Trends"), h("a", { href: insightLink("catalogue", null) }, "All events"))),
      h("dl", { class: "summary-facts" }, facts.filter(([, value]) => value !== null).map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
      warningList(result.remarks), h("p", { class: "panel-note" }, basis)),
    attributes("Attributes", ownAttributes, result),
    global.length > 0 ? attributes("Global attributes", global, result) : null,
    sources(result),
  ].filter(Boolean);
}

const insightLink = (kind, name) => `/${formatQuery([["questions", kind], ...(name === null ? [] : [["name", name]])])}`;

/** Draws violations of format recommendations; null without violations. */
export function warningList(warnings) {
  if (!warnings || warnings.length === 0) return null;
  return h("ul", { class: "warnings", "aria-label": "Warnings" }, warnings.map(({ format, message }) => h("li", {}, h("b", {}, printable(format)), " ", printable(message))));
}

function attributes(title, list, { read, omitted }) {
  const note = omitted > 0 ? ` ${pluralize(omitted, "value")} of other attributes are not listed separately.` : "";
  return h("section", { class: "panel", "aria-label": title }, h("header", { class: "panel-head" }, h("h3", {}, title), h("p", { class: "panel-note" }, pluralize(list.length, "attribute") + (note === "" ? "" : `.${note}`))),
    list.length === 0 ? h("p", { class: "empty-note" }, "No attributes in the sampled events.") : h("ul", { class: "attributes" }, list.map((item) => attribute(item, read))));
}

function attribute({ name, events, types, conflict, min, max, values, distinct, more, longest, remarks: warnings }, read) {
  const typeBadges = Object.entries(types).map(([type, count]) => h("span", { class: conflict && type !== "null" ? "badge bad" : "badge info" }, Object.keys(types).length > 1 ? `${type} ${formatValue(count)}` : type));
  const range = [
    min === undefined ? null : min === max ? `always ${formatValue(min)}` : `${formatValue(min)} to ${formatValue(max)}`,
    longest === undefined ? null : `at most ${pluralize(longest, "byte")}`,
    distinct > 0 ? `${pluralize(distinct, "distinct value")}${more ? " or more" : ""}` : null,
  ].filter(Boolean).join(" · ");
  return h("li", {},
    h("p", { class: "attribute-head" }, h("b", {}, nameNode(name, 60)), typeBadges, h("span", { class: "attribute-range" }, range)),
    h("p", { class: "attribute-fill" }, h("span", {}, formatPercent(events, read)), shareBar(events, read), h("small", {}, `${formatValue(events)} of ${formatValue(read)}`)),
    values.length === 0 ? null : h("ul", { class: "top-values", "aria-label": "Most frequent values" }, values.map(({ value, events: count }) => h("li", {}, quotedValue(value), h("small", {}, formatValue(count))))),
    warningList(warnings));
}

const shareBar = (part, whole) => s("svg", { class: "share-bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
  s("rect", { class: "bar-track", width: 100, height: 1 }), s("rect", { class: "fill c0", width: whole > 0 ? (100 * part) / whole : 0, height: 1 }));

// Returns a node for a value. A string that is blank or could be mistaken for another type is quoted.
function quotedValue(value) {
  if (typeof value !== "string") return h("code", {}, typeof value === "number" ? formatValue(value) : String(value));
  return /^(?:true|false|null|-?\d[\d.eE+,-]*|\s*)$/.test(value) ? h("code", {}, JSON.stringify(value)) : nameNode(value, maximumValueLength);
}

function sources({ app_versions: versions = [], platforms = [], read }) {
  const lists = [["App versions", versions], ["Platforms", platforms]].filter(([, list]) => list.length > 0);
  if (lists.length === 0) return null;
  return h("section", { class: "panel", "aria-label": "Sources" }, h("header", { class: "panel-head" }, h("h3", {}, "Sources")),
    h("div", { class: "sources" }, lists.map(([title, list]) => h("section", { "aria-label": title }, h("h4", {}, title), h("ul", {}, list.map(({ value, events }) => h("li", {},
      h("span", { class: "source-name" }, nameNode(String(value), maximumValueLength)), shareBar(events, read), h("b", {}, formatValue(events)), h("small", {}, formatPercent(events, read)))))))));
}
