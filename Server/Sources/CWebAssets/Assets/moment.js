// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// One app state: everything in its snapshot, and the changes since the previous one.

import { h, s, setText } from "./dom.js";
import { ago, counted, dateAndClock, duration } from "./format.js";
import { battery, batteryWord, isLevel, percent } from "./meter.js";
import { coordinates, distance, isPlace } from "./metres.js";
import { held, ordered } from "./strips.js";
import { printable } from "./stream.js";

const winds = ["north", "north-east", "east", "south-east", "south", "south-west", "west", "north-west"];
const readings = { motion: "motion", raw_accelerometer: "accelerometer", raw_gyro: "gyroscope", raw_magnetometer: "magnetometer" };

/** The panel; `pointing.pin(index)` selects another state, null the newest. */
export class Moment {
  #title = h("h2", {});
  #note = h("p", { class: "panel-note" });
  #facts = h("dl", { class: "device-facts one" });
  #before = h("button", { type: "button", class: "button small", "aria-label": "Previous state", title: "Previous state" }, "‹");
  #after = h("button", { type: "button", class: "button small", "aria-label": "Next state", title: "Next state" }, "›");
  #newest = h("button", { type: "button", class: "button small" }, "Newest");
  #index = 0;

  node = h("section", { class: "panel moment-panel", "aria-label": "Selected state" },
    h("header", { class: "panel-head" }, this.#title, this.#note, h("div", { class: "moment-steps", role: "group", "aria-label": "Choose a state" }, this.#before, this.#after, this.#newest)),
    this.#facts);

  constructor(pointing) {
    this.#before.addEventListener("click", () => pointing.pin(this.#index - 1));
    this.#after.addEventListener("click", () => pointing.pin(this.#index + 1));
    this.#newest.addEventListener("click", () => pointing.pin(null));
  }

  /** Shows one of the states (oldest first), with relative times at `now`. */
  show(states, index, now) {
    const state = states[index];
    this.node.hidden = state === undefined;
    if (!state) return;
    this.#index = index;
    const isNewest = index === states.length - 1;
    // Not disabled: a button that is disabled while it has the focus loses it.
    this.#before.setAttribute("aria-disabled", String(index === 0));
    this.#after.setAttribute("aria-disabled", String(isNewest));
    this.#newest.setAttribute("aria-pressed", String(isNewest));
    setText(this.#title, dateAndClock(state.at).slice(0, 19));
    setText(this.#note, isNewest ? `newest, ${ago(state.at, now)}` : `${duration(states.at(-1).at - state.at)} before the newest`);
    const rows = facts(state, states[index - 1] ?? null);
    this.#facts.replaceChildren(...rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value ?? h("span", { class: "quiet-text" }, "not reported")))));
  }
}

function facts(state, before) {
  const counts = Object.entries(readings).filter(([key]) => state.readings?.[key] > 0).map(([key, name]) => `${state.readings[key]} ${name}`);
  return [
    ["State", state.application_state && printable(state.application_state)],
    ["Screen", state.screen && printable(state.screen)],
    ["Battery", battery(state.battery_level, state.battery_state)],
    ["Orientation", state.device_orientation && printable(held(state.device_orientation))],
    ["Proximity sensor", state.proximity_state === null || state.proximity_state === undefined ? null : state.proximity_state ? "object near" : "nothing near"],
    ["IP addresses", state.network_addresses && addresses(state.network_addresses, before?.network_addresses ?? null)],
    ["Location", isPlace(state.location) ? h("span", {}, h("code", {}, coordinates(state.location)), accuracy(state.location)) : null],
    ["Heading", Number.isFinite(state.heading) ? heading(state.heading) : null],
    ["Readings", counts.length > 0 ? counts.join(", ") : null],
  ];
}

/** The addresses, marking those that are new since the previous state, and those that were removed. */
function addresses(now, before) {
  const entry = (address, mark, word) => h(mark === "" ? "span" : mark === "+" ? "ins" : "del", { class: "address" },
    mark === "" ? null : h("span", { class: "visually-hidden" }, `${word} `), h("code", {}, printable(address)));
  const gone = before?.filter((address) => !now.includes(address)) ?? [];
  if (now.length === 0 && gone.length === 0) return "none";
  return [
    ...ordered(now).map((address) => (before && !before.includes(address) ? entry(address, "+", "new:") : entry(address, "", ""))),
    ...ordered(gone).map((address) => entry(address, "−", "removed:")),
  ];
}

const accuracy = ({ horizontal_accuracy: metres }) => (Number.isFinite(metres) && metres >= 0 ? ` within ${distance(metres)}` : "");

/** Degrees from north, with an arrow. */
function heading(degrees) {
  const wind = winds[Math.round((((degrees % 360) + 360) % 360) / 45) % 8];
  return h("span", { class: "heading" }, s("svg", { class: "heading-arrow", viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" },
    s("path", { d: "M8 2l4 11-4-2.6L4 13z", transform: `rotate(${degrees} 8 8)` })), `${Math.round(degrees)}°, ${wind}`);
}

/** The state in one line, for screen readers. */
export function momentLine(state) {
  const parts = [
    dateAndClock(state.at).slice(0, 19),
    state.application_state,
    state.screen,
    isLevel(state.battery_level) ? `battery ${percent(state.battery_level)}` : null,
    state.battery_state ? batteryWord(state.battery_state) : null,
    state.device_orientation ? held(state.device_orientation) : null,
    state.network_addresses ? counted(state.network_addresses.length, "address", "addresses") : null,
  ];
  return printable(parts.filter(Boolean).join(", "));
}
