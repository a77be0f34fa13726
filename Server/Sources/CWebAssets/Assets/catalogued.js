// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The events of one name: their attributes with types, fill rates and values, and format warnings.

import { writePairs } from "./address.js";
import { h, s } from "./dom.js";
import { called, figure, percent } from "./figures.js";
import { counted } from "./format.js";
import { printable } from "./stream.js";
import { dateAndTime } from "./zones.js";

const longestValue = 40;

/** Draws a name's details: its counts, its attributes, and its apps and platforms. */
export function drawName(answer, zone) {
  const when = (ms) => (Number.isFinite(ms) ? dateAndTime(ms, zone) : null);
  const facts = [["Events", answer.events], ["Today", answer.today], ["30 days", answer.days_30]].map(([key, value]) => [key, value === undefined ? null : figure(value)]);
  const all = [...facts, ["First seen", when(answer.first)], ["Last seen", when(answer.last)], ["Max. attributes", figure(answer.max_attributes)],
    ["With items", answer.items?.events > 0 ? `${figure(answer.items.events)}, at most ${figure(answer.items.max)} each` : null]];
  const own = answer.attributes.filter(({ scope }) => scope !== "global");
  const global = answer.attributes.filter(({ scope }) => scope === "global");
  const looked = `Based on the latest ${counted(answer.read, "event")}${when(answer.since) === null ? "" : `, arrived since ${when(answer.since)}`}.`;
  return [
    h("section", { class: "panel catalogued", "aria-label": "Event" },
      h("header", { class: "panel-head" }, h("h3", {}, called(answer.name)),
        h("p", { class: "catalogued-links" }, h("a", { href: question("trends", answer.name) }, "Trends"), h("a", { href: question("catalogue", null) }, "All events"))),
      h("dl", { class: "catalogued-facts" }, all.filter(([, value]) => value !== null).map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, value)))),
      remarkList(answer.remarks), h("p", { class: "panel-note" }, looked)),
    attributes("Attributes", own, answer),
    global.length > 0 ? attributes("Global attributes", global, answer) : null,
    origins(answer),
  ].filter(Boolean);
}

const question = (kind, name) => `/${writePairs([["questions", kind], ...(name === null ? [] : [["name", name]])])}`;

/** Draws violations of format recommendations; null without any. */
export function remarkList(remarks) {
  if (!remarks || remarks.length === 0) return null;
  return h("ul", { class: "remarks", "aria-label": "Warnings" }, remarks.map(({ format, message }) => h("li", {}, h("b", {}, printable(format)), " ", printable(message))));
}

function attributes(title, list, { read, omitted }) {
  const note = omitted > 0 ? ` ${counted(omitted, "value")} of other attributes are not listed separately.` : "";
  return h("section", { class: "panel", "aria-label": title }, h("header", { class: "panel-head" }, h("h3", {}, title), h("p", { class: "panel-note" }, counted(list.length, "attribute") + (note === "" ? "" : `.${note}`))),
    list.length === 0 ? h("p", { class: "nothing" }, "No attributes in the sampled events.") : h("ul", { class: "attributes" }, list.map((one) => attribute(one, read))));
}

function attribute({ name, events, types, conflict, min, max, values, distinct, more, longest, remarks }, read) {
  const kinds = Object.entries(types).map(([type, count]) => h("span", { class: conflict && type !== "null" ? "badge bad" : "badge wait" }, Object.keys(types).length > 1 ? `${type} ${figure(count)}` : type));
  const extent = [
    min === undefined ? null : min === max ? `always ${figure(min)}` : `${figure(min)} to ${figure(max)}`,
    longest === undefined ? null : `at most ${counted(longest, "byte")}`,
    distinct > 0 ? `${counted(distinct, "distinct value")}${more ? " or more" : ""}` : null,
  ].filter(Boolean).join(" · ");
  return h("li", {},
    h("p", { class: "attribute-head" }, h("b", {}, called(name, 60)), kinds, h("span", { class: "attribute-extent" }, extent)),
    h("p", { class: "attribute-fill" }, h("span", {}, percent(events, read)), bar(events, read), h("small", {}, `${figure(events)} of ${figure(read)}`)),
    values.length === 0 ? null : h("ul", { class: "top-values", "aria-label": "Most frequent values" }, values.map(({ value, events: count }) => h("li", {}, written(value), h("small", {}, figure(count))))),
    remarkList(remarks));
}

const bar = (part, whole) => s("svg", { class: "fill-bar", viewBox: "0 0 100 1", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
  s("rect", { class: "line-ground", width: 100, height: 1 }), s("rect", { class: "fill c0", width: whole > 0 ? (100 * part) / whole : 0, height: 1 }));

// Quotes a string that is blank, or could be mistaken for another type.
function written(value) {
  if (typeof value !== "string") return h("code", {}, typeof value === "number" ? figure(value) : String(value));
  return /^(?:true|false|null|-?\d[\d.eE+,-]*|\s*)$/.test(value) ? h("code", {}, JSON.stringify(value)) : called(value, longestValue);
}

function origins({ app_versions: versions = [], platforms = [], read }) {
  const lists = [["App versions", versions], ["Platforms", platforms]].filter(([, list]) => list.length > 0);
  if (lists.length === 0) return null;
  return h("section", { class: "panel", "aria-label": "Sources" }, h("header", { class: "panel-head" }, h("h3", {}, "Sources")),
    h("div", { class: "origins" }, lists.map(([title, list]) => h("section", { "aria-label": title }, h("h4", {}, title), h("ul", {}, list.map(({ value, events }) => h("li", {},
      h("span", { class: "origin-name" }, called(String(value), longestValue)), bar(events, read), h("b", {}, figure(events)), h("small", {}, percent(events, read)))))))));
}
