// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The card of one person: who it is, and everything the app said about them.

import { h } from "./dom.js";
import { ago, dateAndClock, number, shortID } from "./format.js";
import { printable } from "./stream.js";

/** The card. `choose(installation)` shows what happened on one of the person's installations. */
export function card(user, chosen, choose) {
  const now = Date.now();
  const moment = (ms) => (Number.isFinite(ms) ? h("span", { title: dateAndClock(ms) }, dateAndClock(ms).slice(0, 16), h("small", {}, ` ${ago(ms, now)}`)) : null);
  const code = (text) => text && h("code", { title: text }, printable(text));
  const facts = [
    ["User", chosen?.installation ? (user.id === undefined ? "not signed in" : printable(user.id)) : null],
    ["First opened the app", moment(user.first_touch)],
    ["First seen here", moment(user.first)],
    ["Last seen", moment(user.last)],
    ["Sessions", number(user.sessions)],
    ["Events", number(user.events)],
    ["Unique id", code(user.unique_id)],
    ["Anonymous id", code(user.anonymous_id)],
    [user.installations.length === 1 ? "Installation" : "Installations", user.installations.map((id) => h("button", {
      type: "button", class: "link", title: id, "aria-pressed": String(chosen?.installation === id), onclick: () => choose(id),
    }, shortID(id)))],
  ].filter(([, value]) => value !== null && value !== undefined && value !== "" && value.length !== 0);
  return h("section", { class: "panel card", "aria-label": "The person" },
    h("dl", { class: "card-facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    attributes(user.attributes ?? {}, now));
}

function attributes(told, now) {
  const entries = Object.entries(told);
  if (entries.length === 0) return h("p", { class: "card-none" }, "The app has said nothing about this person.");
  return h("div", { class: "told-frame" }, h("table", { class: "told" },
    h("thead", {}, h("tr", {}, ["Attribute", "Value", "Set"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, entries.map(([name, attribute]) => h("tr", {},
      h("td", {}, h("code", {}, printable(name))),
      h("td", {}, printable(typeof attribute.value === "string" ? attribute.value : JSON.stringify(attribute.value)),
        attribute.omitted > 0 ? h("small", {}, ` and ${number(attribute.omitted)} more that the list has no room for`) : null),
      h("td", { class: "told-set", title: dateAndClock(attribute.set) }, attribute.set > 0 ? ago(attribute.set, now) : "–"))))));
}
