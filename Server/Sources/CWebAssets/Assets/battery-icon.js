// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A battery icon with the level as text.

import { h, s } from "./dom.js";
import { printable, truncate } from "./format.js";

const lowLevel = 0.2;

/** Formats a level (0…1) as a percentage, such as "83%". */
export const formatLevel = (level) => `${Math.round(level * 100)}%`;

/** Returns whether a level is valid. Senders can send any value. */
export const isLevel = (level) => Number.isFinite(level) && level >= 0 && level <= 1;

const stateTexts = new Map([["unplugged", "on battery"], ["charging", "charging"], ["full", "full"], ["unknown", "unknown"]]);

/** The maximum number of characters of a state where space is limited; longer states are truncated. */
export const maximumStateLength = 16;

/** Returns the display text of a state. Unknown states are shown unchanged. */
export const batteryStateText = (state) => stateTexts.get(state) ?? printable(state);

/** Returns the icon with its text; null if neither the level nor the state is known. */
export function batteryLabel(level, state) {
  if (!isLevel(level) && !state) return null;
  const texts = [isLevel(level) ? formatLevel(level) : null, state && state !== "unplugged" ? truncate(batteryStateText(state), maximumStateLength) : null].filter(Boolean);
  return h("span", { class: "battery-label" }, isLevel(level) ? icon(level, state) : null, h("span", { class: "battery-text" }, texts.join(", ") || batteryStateText("unplugged")));
}

function icon(level, state) {
  const isPlugged = state === "charging" || state === "full";
  const tone = isPlugged ? "good" : level <= lowLevel ? "bad" : "neutral";
  return s("svg", { class: `battery-icon ${tone}`, viewBox: "0 0 26 12", "aria-hidden": "true", focusable: "false" },
    s("rect", { class: "battery-icon-case", x: 0.5, y: 0.5, width: 22, height: 11, rx: 3 }),
    s("rect", { class: "battery-icon-pole", x: 23.5, y: 4, width: 2, height: 4, rx: 1 }),
    s("rect", { class: "battery-icon-fill", x: 2, y: 2, width: Math.max(1, 19 * level), height: 8, rx: 1.5 }),
    state === "charging" ? s("path", { class: "battery-icon-bolt", d: boltPath(11.5, 6, 5) }) : null);
}

/** Returns the path of a bolt that extends `size` above and below its center. */
export const boltPath = (x, y, size) =>
  `M${x + size * 0.3} ${y - size}L${x - size * 0.6} ${y + size * 0.2}H${x}L${x - size * 0.3} ${y + size}L${x + size * 0.6} ${y - size * 0.2}H${x}Z`;
