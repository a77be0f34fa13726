// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The states as a table: the data of the plots as text.

import { h } from "./dom.js";
import { counted, dateAndClock } from "./format.js";
import { batteryWord, isLevel, percent } from "./meter.js";
import { coordinates, distance, isPlace } from "./metres.js";
import { held, ordered } from "./strips.js";
import { printable } from "./stream.js";

const titles = ["Time", "State", "Screen", "Battery", "Orientation", "Addresses", "Location", "Heading", "Near"];

/** The panel with the table, which is drawn only while it is open. */
export function momentTable() {
  let states = [];
  const title = h("span", {});
  const frame = h("div", { class: "moments-frame", tabindex: "0", role: "region", "aria-label": "All states as a table" });
  const draw = () => {
    if (!details.open) {
      frame.replaceChildren();
      return;
    }
    frame.replaceChildren(h("table", { class: "told moments" },
      h("thead", {}, h("tr", {}, titles.map((name) => h("th", { scope: "col" }, name)))),
      h("tbody", {}, states.toReversed().map(row))));
  };
  const details = h("details", { class: "moments-details", ontoggle: draw }, h("summary", {}, title), frame);
  const node = h("section", { class: "panel", "aria-label": "All states" }, details);
  return {
    node,
    show(known) {
      states = known;
      node.hidden = known.length === 0;
      title.textContent = known.length === 1 ? "The state as a table" : `All ${counted(known.length, "state")} as a table`;
      draw();
    },
  };
}

function row(state) {
  const { location } = state;
  const level = isLevel(state.battery_level) ? percent(state.battery_level) : null;
  const cells = [
    dateAndClock(state.at).slice(0, 19),
    state.application_state,
    state.screen,
    [level, state.battery_state ? batteryWord(state.battery_state) : null].filter(Boolean).join(", "),
    state.device_orientation && held(state.device_orientation),
    state.network_addresses && (ordered(state.network_addresses).join("\n") || "none"),
    isPlace(location) ? coordinates(location) + (location.horizontal_accuracy >= 0 && location.horizontal_accuracy !== null ? ` ± ${distance(location.horizontal_accuracy)}` : "") : null,
    Number.isFinite(state.heading) ? `${Math.round(state.heading)}°` : null,
    typeof state.proximity_state === "boolean" ? (state.proximity_state ? "yes" : "no") : null,
  ];
  return h("tr", {}, cells.map((text) => h("td", {}, text ? text.split("\n").map((line) => h("div", {}, printable(line))) : "–")));
}
