// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// All devices: as an overview table, and as a list next to the selected device.

import { batteryLabel, maximumStateLength } from "./battery-icon.js";
import { h } from "./dom.js";
import { formatDateTime, formatNumber, printable, shortID, timeAgo, truncate } from "./format.js";

/**
 * The time without events after which a device is considered offline; snapshots arrive every two minutes while the
 * device's app is visible.
 */
const onlineThreshold = 150_000;

/** The maximum length of a name in characters; the full name is among the device's properties. */
const maximumNameLength = 60;

/** Returns the name of a device: its model, or its installation if the model is unknown. */
export const deviceName = (device) => (device.model ? truncate(printable(device.model), maximumNameLength) : `Device ${shortID(device.installation)}`);

/** Returns the table of devices. `onSelect(installation)` shows one device in detail. */
export function deviceTable(devices, onSelect, now) {
  const titles = ["Device", "System", "User", "Battery", "State", "Snapshots", "Changes", "Last seen"];
  return h("section", { class: "panel device-table-panel", "aria-label": "All devices" },
    h("table", { class: "device-table" },
      h("thead", {}, h("tr", {}, titles.map((title, index) => h("th", { scope: "col", class: index === 5 || index === 6 ? "number-cell" : null }, title)))),
      h("tbody", {}, devices.map((device) => row(device, onSelect, now)))));
}

function row(device, onSelect, now) {
  const cell = (name, ...content) => h("td", { class: `device-cell-${name}` }, ...content);
  const open = h("button", { type: "button", class: "link device-open", "data-key": device.installation, onclick: () => onSelect(device.installation) }, deviceName(device));
  const tableRow = h("tr", {},
    cell("name", h("span", { class: "device-cell-line" }, presenceIndicator(device, now), h("span", {}, open, h("code", { title: device.installation }, shortID(device.installation), device.app ? ` · ${printable([device.app, device.version].filter(Boolean).join(" "))}` : "")))),
    cell("system", device.system ? printable(device.system) : dash()),
    cell("user", device.user ? printable(device.user) : h("span", { class: "muted" }, "not signed in")),
    cell("battery", batteryLabel(device.battery_level, device.battery_state) ?? dash()),
    cell("state", device.application_state ? truncate(printable(device.application_state), maximumStateLength) : dash()),
    h("td", { class: "device-cell-count number-cell" }, formatNumber(device.states)),
    h("td", { class: "device-cell-count number-cell" }, formatNumber(device.property_changes)),
    h("td", { class: "device-cell-seen", title: formatDateTime(device.last_seen) }, timeAgo(device.last_seen, now)));
  tableRow.addEventListener("click", (event) => {
    // The whole row is a large target for pointers; keyboards and assistive technology use the button in the row.
    if (!event.target.closest("button") && getSelection()?.isCollapsed !== false) onSelect(device.installation);
  });
  return tableRow;
}

/**
 * Fills the list next to the selected device. The buttons are replaced only when the devices or the selection change,
 * or every five seconds to update times; the focus is kept.
 */
export function renderDeviceList(list, devices, selected, onSelect, now) {
  const state = JSON.stringify([devices, selected]) + Math.floor(now / 5000);
  if (list.dataset.drawn === state) return;
  list.dataset.drawn = state;
  const focused = document.activeElement?.closest?.("#device-list button")?.dataset.key;
  const entry = (key, isSelected, name, note) => h("li", {}, h("button", {
    type: "button", class: "side-item", "data-key": key, "aria-pressed": String(isSelected), onclick: () => onSelect(key === "" ? null : key),
  }, name, note));
  list.replaceChildren(
    entry("", false, h("span", { class: "side-item-line" }, h("b", {}, "All devices")), h("span", { class: "side-item-note unindented" }, "overview")),
    ...devices.map((device) => entry(device.installation, device.installation === selected,
      h("span", { class: "side-item-line" }, presenceIndicator(device, now), h("b", {}, deviceName(device)), batteryLabel(device.battery_level, device.battery_state)),
      h("span", { class: "side-item-note" }, [device.user ? printable(device.user) : device.system ? printable(device.system) : null, timeAgo(device.last_seen, now)].filter(Boolean).join(" · ")))),
  );
  if (focused !== undefined) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
}

const presenceIndicator = (device, now) => h("span", { class: Math.abs(now - device.last_seen) < onlineThreshold ? "presence online" : "presence", "aria-hidden": "true" });
const dash = () => h("span", { class: "muted" }, "–");
