// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The states as a table: the data of the plots as text.

import { batteryStateText, formatLevel, isLevel } from "./battery-icon.js";
import { formatCoordinates, formatDistance, isValidLocation } from "./distance.js";
import { h } from "./dom.js";
import { formatDateTime, pluralize, printable } from "./format.js";
import { orientationText, sortedAddresses } from "./state-strips.js";

const columns = ["Time", "State", "Screen", "Battery", "Orientation", "Addresses", "Location", "Heading", "Near"];

/** Returns the panel with the table, which is drawn only while the panel is open. */
export function stateTable() {
  let states = [];
  const title = h("span", {});
  const frame = h("div", { class: "state-table-frame", tabindex: "0", role: "region", "aria-label": "All states as a table" });
  const draw = () => {
    if (!details.open) {
      frame.replaceChildren();
      return;
    }
    frame.replaceChildren(h("table", { class: "detail-table state-table" },
      h("thead", {}, h("tr", {}, columns.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, states.toReversed().map(row))));
  };
  const details = h("details", { class: "state-table-details", ontoggle: draw }, h("summary", {}, title), frame);
  const node = h("section", { class: "panel", "aria-label": "All states" }, details);
  return {
    node,
    show(newStates) {
      states = newStates;
      node.hidden = newStates.length === 0;
      title.textContent = newStates.length === 1 ? "The state as a table" : `All ${pluralize(newStates.length, "state")} as a table`;
      draw();
    },
  };
}

function row(state) {
  const { location } = state;
  const level = isLevel(state.battery_level) ? formatLevel(state.battery_level) : null;
  const cells = [
    formatDateTime(state.at).slice(0, 19),
    state.application_state,
    state.screen,
    [level, state.battery_state ? batteryStateText(state.battery_state) : null].filter(Boolean).join(", "),
    state.device_orientation && orientationText(state.device_orientation),
    state.network_addresses && (sortedAddresses(state.network_addresses).join("\n") || "none"),
    isValidLocation(location) ? formatCoordinates(location) + (location.horizontal_accuracy >= 0 && location.horizontal_accuracy !== null ? ` ± ${formatDistance(location.horizontal_accuracy)}` : "") : null,
    Number.isFinite(state.heading) ? `${Math.round(state.heading)}°` : null,
    typeof state.proximity_state === "boolean" ? (state.proximity_state ? "yes" : "no") : null,
  ];
  return h("tr", {}, cells.map((text) => h("td", {}, text ? text.split("\n").map((line) => h("div", {}, printable(line))) : "–")));
}
