// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Strips over time for values that stay the same for a while: the app's state, the screen, the network, the orientation of the device.

import { s } from "./dom.js";
import { dateAndClock, span } from "./format.js";
import { stretches } from "./stretches.js";
import { printable } from "./stream.js";

/** The width of a character in a strip, rounded up. */
const letter = 6.6;

const stateColours = new Map([["active", "c0"], ["inactive", "c2"]]);

/** The display text of an orientation. Unknown values are shown unchanged. */
export const held = (orientation) => String(orientation).replaceAll("_", " ");

/** Addresses in a fixed order, those reachable from other networks first. */
export const ordered = (addresses) => [...addresses].sort((a, b) => isLocal(a) - isLocal(b) || a.includes(":") - b.includes(":") || (a < b ? -1 : 1));
const isLocal = (address) => /^(fe80:|169\.254\.|127\.|::1$)/i.test(address);

/** The strips that have data: {name, stretches, colour(value), text(value)}. */
export function stripsOf(states, colours) {
  const all = [
    {
      name: "State",
      // An app in the background remains there until its next state; any other state is valid for some minutes.
      stretches: stretches(states, (state) => state.application_state, (value) => (value === "background" ? Infinity : undefined)),
      colour: (value) => stateColours.get(value) ?? "cx",
      text: (value) => value,
    },
    { name: "Screen", stretches: stretches(states, (state) => state.screen), colour: (value) => colours.of(value), text: (value) => value },
    {
      name: "Network",
      stretches: stretches(states, (state) => state.network_addresses && JSON.stringify(ordered(state.network_addresses))),
      colour: (value) => (value === "[]" ? "cx" : "c4"),
      text: (value) => networkText(JSON.parse(value)),
    },
    { name: "Orientation", stretches: stretches(states, (state) => state.device_orientation), colour: (value) => (value === "unknown" ? "cx" : "c3"), text: held },
  ];
  return all.filter((candidate) => candidate.stretches.length > 0);
}

const networkText = (addresses) => (addresses.length === 0 ? "none" : addresses.length === 1 ? addresses[0] : `${addresses[0]} +${addresses.length - 1}`);

/** Returns the nodes of one strip in a box {left, right, top, height}. */
export function strip(found, scale, box) {
  const middle = box.top + box.height / 2;
  return [
    s("path", { class: "strip-ground", d: `M${box.left} ${middle}H${box.right}` }),
    found.stretches.map((stretch) => {
      const width = Math.max(3, scale.x(stretch.to) - scale.x(stretch.from) - 1);
      const from = Math.min(scale.x(stretch.from), box.right - width);
      const text = printable(found.text(stretch.value));
      const fits = Math.floor((width - 12) / letter);
      const shown = text.length <= fits ? text : fits >= 4 ? `${text.slice(0, fits - 1)}…` : "";
      return s("g", { class: `stretch ${found.colour(stretch.value)}` },
        s("title", {}, `${text}: ${dateAndClock(stretch.from).slice(0, 19)}${stretch.to > stretch.from ? `, ${span(stretch.to - stretch.from)}` : ""}`),
        s("rect", { class: "stretch-ground", x: from, y: box.top, width, height: box.height, rx: 2 }),
        s("rect", { class: "stretch-edge", x: from, y: box.top, width: Math.min(3, width), height: box.height, rx: 1 }),
        shown === "" ? null : s("text", { class: "stretch-text", x: from + 7, y: middle + 4 }, shown));
    }),
  ];
}
