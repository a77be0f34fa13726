// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Strips over time for values that change rarely: the app's state, the screen, the network, and the device's
// orientation.

import { s } from "./dom.js";
import { formatDateTime, formatLongDuration, printable } from "./format.js";
import { valueRanges } from "./value-ranges.js";

/** The width of a character in a strip, rounded up. */
const letterWidth = 6.6;

const stateColors = new Map([["active", "c0"], ["inactive", "c2"]]);

/** Returns the display text of an orientation. Unknown values are shown unchanged. */
export const orientationText = (orientation) => String(orientation).replaceAll("_", " ");

/** Returns the addresses in a fixed order, with addresses reachable from other networks first. */
export const sortedAddresses = (addresses) => [...addresses].sort((a, b) => isLocal(a) - isLocal(b) || a.includes(":") - b.includes(":") || (a < b ? -1 : 1));
const isLocal = (address) => /^(fe80:|169\.254\.|127\.|::1$)/i.test(address);

/** Returns the strips that have data: {name, ranges, color(value), text(value)}. */
export function stateStrips(states, colors) {
  const all = [
    {
      name: "State",
      // An app in the background remains there until its next state; any other state is valid for some minutes.
      ranges: valueRanges(states, (state) => state.application_state, (value) => (value === "background" ? Infinity : undefined)),
      color: (value) => stateColors.get(value) ?? "cx",
      text: (value) => value,
    },
    { name: "Screen", ranges: valueRanges(states, (state) => state.screen), color: (value) => colors.of(value), text: (value) => value },
    {
      name: "Network",
      ranges: valueRanges(states, (state) => state.network_addresses && JSON.stringify(sortedAddresses(state.network_addresses))),
      color: (value) => (value === "[]" ? "cx" : "c4"),
      text: (value) => networkText(JSON.parse(value)),
    },
    { name: "Orientation", ranges: valueRanges(states, (state) => state.device_orientation), color: (value) => (value === "unknown" ? "cx" : "c3"), text: orientationText },
  ];
  return all.filter((candidate) => candidate.ranges.length > 0);
}

const networkText = (addresses) => (addresses.length === 0 ? "none" : addresses.length === 1 ? addresses[0] : `${addresses[0]} +${addresses.length - 1}`);

/** Returns the nodes of one strip in a box {left, right, top, height}. */
export function drawStrip(strip, scale, box) {
  const middle = box.top + box.height / 2;
  return [
    s("path", { class: "strip-track", d: `M${box.left} ${middle}H${box.right}` }),
    strip.ranges.map((range) => {
      const width = Math.max(3, scale.x(range.to) - scale.x(range.from) - 1);
      const from = Math.min(scale.x(range.from), box.right - width);
      const text = printable(strip.text(range.value));
      const maximumLetters = Math.floor((width - 12) / letterWidth);
      const shown = text.length <= maximumLetters ? text : maximumLetters >= 4 ? `${text.slice(0, maximumLetters - 1)}…` : "";
      return s("g", { class: `strip-range ${strip.color(range.value)}` },
        s("title", {}, `${text}: ${formatDateTime(range.from).slice(0, 19)}${range.to > range.from ? `, ${formatLongDuration(range.to - range.from)}` : ""}`),
        s("rect", { class: "strip-range-fill", x: from, y: box.top, width, height: box.height, rx: 2 }),
        s("rect", { class: "strip-range-edge", x: from, y: box.top, width: Math.min(3, width), height: box.height, rx: 1 }),
        shown === "" ? null : s("text", { class: "strip-range-text", x: from + 7, y: middle + 4 }, shown));
    }),
  ];
}
