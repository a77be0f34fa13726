// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// All devices: as an overview table, and as a list next to the chosen one.

import { h } from "./dom.js";
import { ago, cut, dateAndClock, number, shortID } from "./format.js";
import { battery, longestWord } from "./meter.js";
import { printable } from "./stream.js";

/** After this time without events a device counts as away: snapshots arrive every two minutes while its app is visible. */
const presence = 150_000;

/** In characters; the full name is among the device's properties. */
const longestName = 60;

/** The name of a device: its model, or its installation if the model is unknown. */
export const deviceName = (device) => (device.model ? cut(printable(device.model), longestName) : `Device ${shortID(device.installation)}`);

/** The table; `choose(installation)` shows one device in detail. */
export function fleetTable(devices, choose, now) {
  const titles = ["Device", "System", "User", "Battery", "State", "Snapshots", "Changes", "Last seen"];
  return h("section", { class: "panel fleet", "aria-label": "All devices" },
    h("table", { class: "fleet-table" },
      h("thead", {}, h("tr", {}, titles.map((title, index) => h("th", { scope: "col", class: index === 5 || index === 6 ? "figure-cell" : null }, title)))),
      h("tbody", {}, devices.map((device) => row(device, choose, now)))));
}

function row(device, choose, now) {
  const cell = (name, ...content) => h("td", { class: `fleet-${name}` }, ...content);
  const open = h("button", { type: "button", class: "link fleet-open", "data-key": device.installation, onclick: () => choose(device.installation) }, deviceName(device));
  const line = h("tr", {},
    cell("name", h("span", { class: "fleet-line" }, presenceDot(device, now), h("span", {}, open, h("code", { title: device.installation }, shortID(device.installation), device.app ? ` · ${printable([device.app, device.version].filter(Boolean).join(" "))}` : "")))),
    cell("system", device.system ? printable(device.system) : unknown()),
    cell("user", device.user ? printable(device.user) : h("span", { class: "quiet-text" }, "not signed in")),
    cell("battery", battery(device.battery_level, device.battery_state) ?? unknown()),
    cell("state", device.application_state ? cut(printable(device.application_state), longestWord) : unknown()),
    h("td", { class: "fleet-count figure-cell" }, number(device.states)),
    h("td", { class: "fleet-count figure-cell" }, number(device.property_changes)),
    h("td", { class: "fleet-seen", title: dateAndClock(device.last_seen) }, ago(device.last_seen, now)));
  line.addEventListener("click", (event) => {
    // The whole row is a large target for pointers; keyboards and assistive technology use its button.
    if (!event.target.closest("button") && getSelection()?.isCollapsed !== false) choose(device.installation);
  });
  return line;
}

/** Fills the list next to the chosen device. The buttons are replaced only when the devices change, and keep the focus. */
export function fleetList(list, devices, chosen, choose, now) {
  const state = JSON.stringify([devices, chosen]) + Math.floor(now / 5000);
  if (list.dataset.drawn === state) return;
  list.dataset.drawn = state;
  const focused = document.activeElement?.closest?.("#fleet button")?.dataset.key;
  const entry = (key, isChosen, name, note) => h("li", {}, h("button", {
    type: "button", class: "person", "data-key": key, "aria-pressed": String(isChosen), onclick: () => choose(key === "" ? null : key),
  }, name, note));
  list.replaceChildren(
    entry("", false, h("span", { class: "person-line" }, h("b", {}, "All devices")), h("span", { class: "person-note bare" }, "overview")),
    ...devices.map((device) => entry(device.installation, device.installation === chosen,
      h("span", { class: "person-line" }, presenceDot(device, now), h("b", {}, deviceName(device)), battery(device.battery_level, device.battery_state)),
      h("span", { class: "person-note" }, [device.user ? printable(device.user) : device.system ? printable(device.system) : null, ago(device.last_seen, now)].filter(Boolean).join(" · ")))),
  );
  if (focused !== undefined) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

const presenceDot = (device, now) => h("span", { class: Math.abs(now - device.last_seen) < presence ? "presence here" : "presence", "aria-hidden": "true" });
const unknown = () => h("span", { class: "quiet-text" }, "–");
