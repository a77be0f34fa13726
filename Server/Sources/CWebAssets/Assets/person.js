// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A user's card: facts, attributes, and devices.

import { h } from "./dom.js";
import { ago, counted, cut, dateAndClock, number, shortID } from "./format.js";
import { printable } from "./stream.js";

/** Longer values are truncated; the collector's response contains the full value. */
const longestValue = 400;

/** The card. `go`: choose(installation) shows one of the user's installations, more() loads further attributes. */
export function card(user, chosen, go) {
  const now = Date.now();
  const moment = (ms) => (Number.isFinite(ms) ? h("span", { title: dateAndClock(ms) }, dateAndClock(ms).slice(0, 16), h("small", {}, ` ${ago(ms, now)}`)) : null);
  const code = (text) => text && h("code", { title: text, dir: "auto" }, cut(printable(text), longestValue));
  const facts = [
    ["User", user.id === undefined ? "not signed in" : h("span", { dir: "auto" }, printable(user.id))],
    ["First opened the app", moment(user.first_touch)],
    ["First seen", moment(user.first)],
    ["Last seen", moment(user.last)],
    ["Sessions", number(user.sessions)],
    ["Events", number(user.events)],
    ["Unique id", code(user.unique_id)],
    ["Anonymous id", code(user.anonymous_id)],
  ].filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("section", { class: "panel profile", "aria-label": "Profile" },
    h("dl", { class: "profile-facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    attributes(user, now, go),
    devices(user, chosen, go, now));
}

function attributes(user, now, go) {
  const entries = Object.entries(user.attributes ?? {});
  if (entries.length === 0) return h("p", { class: "profile-none" }, "The app has set no attributes for this user.");
  return h("div", { class: "told-frame", tabindex: "0", role: "group", "aria-label": "Attributes" }, h("table", { class: "told" },
    h("thead", {}, h("tr", {}, ["Attribute", "Value", "Set"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, entries.map(([name, attribute]) => h("tr", {},
      h("td", {}, h("code", { dir: "auto" }, cut(printable(name), longestValue))),
      h("td", { dir: "auto" }, cut(printable(typeof attribute.value === "string" ? attribute.value : JSON.stringify(attribute.value)), longestValue),
        attribute.omitted > 0 ? h("small", {}, ` and ${number(attribute.omitted)} more that did not fit`) : null),
      h("td", { class: "told-set", title: attribute.set > 0 ? dateAndClock(attribute.set) : null }, attribute.set > 0 ? dateAndClock(attribute.set).slice(0, 16) : "–",
        attribute.installation ? h("small", { title: attribute.installation }, ` on ${shortID(attribute.installation)}`) : null))))),
    user.next === undefined ? null : h("p", { class: "told-more" }, h("button", { type: "button", class: "button small", "data-key": "more-attributes", onclick: go.more }, "More attributes"), h("small", {}, ` ${number(entries.length)} shown`)));
}

function devices(user, chosen, go, now) {
  if (!user.devices?.length) return null;
  const told = (text) => (text ? h("span", { dir: "auto", title: text }, cut(printable(text), 60)) : h("span", { class: "quiet-text" }, "–"));
  return h("div", { class: "person-devices", tabindex: "0", role: "group", "aria-label": "Devices" }, h("table", { class: "told" },
    h("thead", {}, h("tr", {}, ["Device", "System", "App", "Events", "Last seen"].map((title) => h("th", { scope: "col", class: title === "Events" ? "figure-cell" : null }, title)))),
    h("tbody", {}, user.devices.map((device) => h("tr", {},
      h("td", {}, told(device.model), " ", h("button", { type: "button", class: "link", title: device.installation, "data-key": `device:${device.installation}`, "aria-pressed": String(chosen?.installation === device.installation), onclick: () => go.choose(device.installation) }, shortID(device.installation))),
      h("td", {}, told(device.system)),
      h("td", {}, told([device.app, device.version].filter(Boolean).join(" "))),
      h("td", { class: "figure-cell", title: counted(device.sessions, "session") }, number(device.events)),
      h("td", { class: "told-set", title: dateAndClock(device.last) }, dateAndClock(device.last).slice(0, 16), h("small", {}, ` ${ago(device.last, now)}`)))))),
    user.more_devices ? h("p", { class: "told-more" }, h("small", {}, `The ${number(user.devices.length)} most recently used devices.`)) : null);
}

/** The users who signed in on an installation. */
export function peopleHere(users, hasVisitor, choose) {
  return h("section", { class: "panel people-here", "aria-label": "Users of this installation" },
    h("p", {}, hasVisitor ? "Below: events without a signed-in user, and all sessions. Users who signed in: " : "No events without a signed-in user. Users who signed in: ",
      users.map((user, index) => [index > 0 ? ", " : "", h("button", { type: "button", class: "link", dir: "auto", "data-key": user.id, onclick: () => choose(user) }, printable(user.id))]).flat(), "."));
}
