// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// One app state: all values in its snapshot, and the changes since the previous snapshot.

import { batteryLabel, batteryStateText, formatLevel, isLevel } from "./battery-icon.js";
import { formatCoordinates, formatDistance, isValidLocation } from "./distance.js";
import { h, s, setText } from "./dom.js";
import { formatDateTime, formatDuration, pluralize, printable, timeAgo } from "./format.js";
import { orientationText, sortedAddresses } from "./state-strips.js";

const compassPoints = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
const readings = { motion: "motion", raw_accelerometer: "accelerometer", raw_gyro: "gyroscope", raw_magnetometer: "magnetometer" };

/** The panel with the details of one state. `selection.pin(index)` selects another state, or the newest for null. */
export class StateDetails {
  #title = h("h2", {});
  #note = h("p", { class: "panel-note" });
  #facts = h("dl", { class: "device-facts single-column" });
  #previousButton = h("button", { type: "button", class: "button small", "aria-label": "Previous state", title: "Previous state" }, "‹");
  #nextButton = h("button", { type: "button", class: "button small", "aria-label": "Next state", title: "Next state" }, "›");
  #newestButton = h("button", { type: "button", class: "button small" }, "Newest");
  #index = 0;

  node = h("section", { class: "panel state-details", "aria-label": "Selected state" },
    h("header", { class: "panel-head" }, this.#title, this.#note, h("div", { class: "state-navigation", role: "group", "aria-label": "Choose a state" }, this.#previousButton, this.#nextButton, this.#newestButton)),
    this.#facts);

  constructor(selection) {
    this.#previousButton.addEventListener("click", () => selection.pin(this.#index - 1));
    this.#nextButton.addEventListener("click", () => selection.pin(this.#index + 1));
    this.#newestButton.addEventListener("click", () => selection.pin(null));
  }

  /** Shows one of the states (oldest first), with times relative to `now`. */
  show(states, index, now) {
    const state = states[index];
    this.node.hidden = state === undefined;
    if (!state) return;
    this.#index = index;
    const isNewest = index === states.length - 1;
    // The buttons are not disabled, because a button that is disabled while it has the focus loses the focus.
    this.#previousButton.setAttribute("aria-disabled", String(index === 0));
    this.#nextButton.setAttribute("aria-disabled", String(isNewest));
    this.#newestButton.setAttribute("aria-pressed", String(isNewest));
    setText(this.#title, formatDateTime(state.at).slice(0, 19));
    setText(this.#note, isNewest ? `newest, ${timeAgo(state.at, now)}` : `${formatDuration(states.at(-1).at - state.at)} before the newest`);
    const rows = facts(state, states[index - 1] ?? null);
    this.#facts.replaceChildren(...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value ?? h("span", { class: "muted" }, "not reported")))));
  }
}

function facts(state, previous) {
  const counts = Object.entries(readings).filter(([key]) => state.readings?.[key] > 0).map(([key, name]) => `${state.readings[key]} ${name}`);
  return [
    ["State", state.application_state && printable(state.application_state)],
    ["Screen", state.screen && printable(state.screen)],
    ["Battery", batteryLabel(state.battery_level, state.battery_state)],
    ["Orientation", state.device_orientation && printable(orientationText(state.device_orientation))],
    ["Proximity sensor", state.proximity_state === null || state.proximity_state === undefined ? null : state.proximity_state ? "object near" : "nothing near"],
    ["IP addresses", state.network_addresses && addressNodes(state.network_addresses, previous?.network_addresses ?? null)],
    ["Location", isValidLocation(state.location) ? h("span", {}, h("code", {}, formatCoordinates(state.location)), accuracyText(state.location)) : null],
    ["Heading", Number.isFinite(state.heading) ? headingNode(state.heading) : null],
    ["Readings", counts.length > 0 ? counts.join(", ") : null],
  ];
}

/** Returns the addresses, with marks for addresses added or removed since the previous state. */
function addressNodes(now, previous) {
  const entry = (address, mark, word) => h(mark === "" ? "span" : mark === "+" ? "ins" : "del", { class: "address" },
    mark === "" ? null : h("span", { class: "visually-hidden" }, `${word} `), h("code", {}, printable(address)));
  const removed = previous?.filter((address) => !now.includes(address)) ?? [];
  if (now.length === 0 && removed.length === 0) return "none";
  return [
    ...sortedAddresses(now).map((address) => (previous && !previous.includes(address) ? entry(address, "+", "new:") : entry(address, "", ""))),
    ...sortedAddresses(removed).map((address) => entry(address, "−", "removed:")),
  ];
}

const accuracyText = ({ horizontal_accuracy: meters }) => (Number.isFinite(meters) && meters >= 0 ? ` within ${formatDistance(meters)}` : "");

/** Returns the heading in degrees from north, with an arrow. */
function headingNode(degrees) {
  const compassPoint = compassPoints[Math.round((((degrees % 360) + 360) % 360) / 45) % 8];
  return h("span", { class: "heading" }, s("svg", { class: "heading-arrow", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    s("path", { d: "M8 2l4 11-4-2.6L4 13z", transform: `rotate(${degrees} 8 8)` })), `${Math.round(degrees)}°, ${compassPoint}`);
}

/** Returns the state in one line, for screen readers. */
export function stateSummary(state) {
  const parts = [
    formatDateTime(state.at).slice(0, 19),
    state.application_state,
    state.screen,
    isLevel(state.battery_level) ? `battery ${formatLevel(state.battery_level)}` : null,
    state.battery_state ? batteryStateText(state.battery_state) : null,
    state.device_orientation ? orientationText(state.device_orientation) : null,
    state.network_addresses ? pluralize(state.network_addresses.length, "address", "addresses") : null,
  ];
  return printable(parts.filter(Boolean).join(", "));
}
