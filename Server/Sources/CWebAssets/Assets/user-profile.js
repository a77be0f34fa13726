// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A user's card: facts, attributes, and devices.

import { h } from "./dom.js";
import { formatDateTime, formatNumber, pluralize, printable, shortID, timeAgo, truncate } from "./format.js";

/** The maximum length of a value; longer values are truncated, but the collector's response contains the full value. */
const maximumValueLength = 400;

/**
 * Returns the user's card. `actions`: selectInstallation(id) shows one of the user's installations, loadMore() loads
 * further attributes, exportData(note) downloads everything about the user and reports progress in a node, erase() opens
 * the dialog that erases the user.
 */
export function profileCard(user, selected, actions) {
  const now = Date.now();
  const timeNode = (ms) => (Number.isFinite(ms) ? h("span", { title: formatDateTime(ms) }, formatDateTime(ms).slice(0, 16), h("small", {}, ` ${timeAgo(ms, now)}`)) : null);
  const codeNode = (text) => text && h("code", { title: text, dir: "auto" }, truncate(printable(text), maximumValueLength));
  const factNode = (key) => user[key] !== undefined && h("span", { dir: "auto" }, truncate(printable(typeof user[key] === "string" ? user[key] : JSON.stringify(user[key])), maximumValueLength));
  const facts = [
    ["User", user.id === undefined ? "not signed in" : h("span", { dir: "auto" }, printable(user.id))],
    ["First opened the app", timeNode(user.first_touch)],
    ["First seen", timeNode(user.first)],
    ["Last seen", timeNode(user.last)],
    ["First version", factNode("first_version")], ["First platform", factNode("first_platform")], ["First country", factNode("first_country")],
    ["Referrer", factNode("first_referrer")], ["First link", factNode("first_link")],
    ["Sessions", formatNumber(user.sessions)],
    ["Events", formatNumber(user.events)],
    ["Unique ID", codeNode(user.unique_id)],
    ["Anonymous ID", codeNode(user.anonymous_id)],
  ].filter(([, value]) => value !== null && value !== undefined && value !== "" && value !== false);
  return h("section", { class: "panel profile", "aria-label": "Profile" },
    h("dl", { class: "profile-facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    attributeTable(user, now, actions),
    deviceTable(user, selected, actions, now),
    actionBar(actions));
}

function actionBar(actions) {
  const note = h("span", { class: "panel-note", role: "status" });
  return h("div", { class: "profile-actions" },
    h("button", { type: "button", class: "button small", "data-key": "export", onclick: () => actions.exportData(note) }, "Export"),
    h("button", { type: "button", class: "button small danger", "data-key": "erase", onclick: actions.erase }, "Erase…"),
    note);
}

function attributeTable(user, now, actions) {
  const entries = Object.entries(user.attributes ?? {});
  if (entries.length === 0) return h("p", { class: "profile-empty" }, "The app has set no attributes for this user.");
  return h("div", { class: "detail-table-frame", tabindex: "0", role: "group", "aria-label": "Attributes" }, h("table", { class: "detail-table" },
    h("thead", {}, h("tr", {}, ["Attribute", "Value", "Set"].map((title) => h("th", { scope: "col" }, title)))),
    h("tbody", {}, entries.map(([name, attribute]) => h("tr", {},
      h("td", {}, h("code", { dir: "auto" }, truncate(printable(name), maximumValueLength))),
      h("td", { dir: "auto" }, truncate(printable(typeof attribute.value === "string" ? attribute.value : JSON.stringify(attribute.value)), maximumValueLength),
        attribute.omitted > 0 ? h("small", {}, ` and ${formatNumber(attribute.omitted)} more that did not fit`) : null),
      h("td", { class: "detail-table-date", title: attribute.set > 0 ? formatDateTime(attribute.set) : null }, attribute.set > 0 ? formatDateTime(attribute.set).slice(0, 16) : "–",
        attribute.installation ? h("small", { title: attribute.installation }, ` on ${shortID(attribute.installation)}`) : null))))),
    user.next === undefined ? null : h("p", { class: "detail-table-more" }, h("button", { type: "button", class: "button small", "data-key": "more-attributes", onclick: actions.loadMore }, "Load more attributes"), h("small", {}, ` ${formatNumber(entries.length)} shown`)));
}

function deviceTable(user, selected, actions, now) {
  if (!user.devices?.length) return null;
  const textNode = (text) => (text ? h("span", { dir: "auto", title: text }, truncate(printable(text), 60)) : h("span", { class: "muted" }, "–"));
  return h("div", { class: "user-devices", tabindex: "0", role: "group", "aria-label": "Devices" }, h("table", { class: "detail-table" },
    h("thead", {}, h("tr", {}, ["Device", "System", "App", "Events", "Last seen"].map((title) => h("th", { scope: "col", class: title === "Events" ? "number-cell" : null }, title)))),
    h("tbody", {}, user.devices.map((device) => h("tr", {},
      h("td", {}, textNode(device.model), " ", h("button", { type: "button", class: "link", title: device.installation, "data-key": `device:${device.installation}`, "aria-pressed": String(selected?.installation === device.installation), onclick: () => actions.selectInstallation(device.installation) }, shortID(device.installation))),
      h("td", {}, textNode(device.system)),
      h("td", {}, textNode([device.app, device.version].filter(Boolean).join(" "))),
      h("td", { class: "number-cell", title: pluralize(device.sessions, "session") }, formatNumber(device.events)),
      h("td", { class: "detail-table-date", title: formatDateTime(device.last) }, formatDateTime(device.last).slice(0, 16), h("small", {}, ` ${timeAgo(device.last, now)}`)))))),
    user.more_devices ? h("p", { class: "detail-table-more" }, h("small", {}, `The ${formatNumber(user.devices.length)} most recently used devices.`)) : null);
}

/** Returns the panel with the users who signed in on an installation. */
export function installationUsers(users, hasVisitor, onSelect) {
  return h("section", { class: "panel installation-users", "aria-label": "Users of this installation" },
    h("p", {}, hasVisitor ? "Below: events without a signed-in user, and all sessions. Users who signed in: " : "No events without a signed-in user. Users who signed in: ",
      users.map((user, index) => [index > 0 ? ", " : "", h("button", { type: "button", class: "link", dir: "auto", "data-key": user.id, onclick: () => onSelect(user) }, printable(user.id))]).flat(), "."));
}
