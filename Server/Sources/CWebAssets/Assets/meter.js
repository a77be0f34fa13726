// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A battery icon with the level as text.

import { h, s } from "./dom.js";
import { cut } from "./format.js";
import { printable } from "./stream.js";

const low = 0.2;

/** "83 %"; a level is 0…1. */
export const percent = (level) => `${Math.round(level * 100)} %`;

/** Returns whether a level can be shown: a sender can send any value. */
export const isLevel = (level) => Number.isFinite(level) && level >= 0 && level <= 1;

const words = new Map([["unplugged", "on battery"], ["charging", "charging"], ["full", "full"], ["unknown", "unknown"]]);

/** The maximum characters of a state where space is short; longer ones are truncated. */
export const longestWord = 16;

/** The display text of a state. Unknown states are shown unchanged. */
export const batteryWord = (state) => words.get(state) ?? printable(state);

/** The icon with its text; null if neither level nor state is known. */
export function battery(level, state) {
  if (!isLevel(level) && !state) return null;
  const said = [isLevel(level) ? percent(level) : null, state && state !== "unplugged" ? cut(batteryWord(state), longestWord) : null].filter(Boolean);
  return h("span", { class: "meter" }, isLevel(level) ? picture(level, state) : null, h("span", { class: "meter-text" }, said.join(", ") || batteryWord("unplugged")));
}

function picture(level, state) {
  const isPlugged = state === "charging" || state === "full";
  const mood = isPlugged ? "good" : level <= low ? "bad" : "calm";
  return s("svg", { class: `meter-picture ${mood}`, viewBox: "0 0 26 12", "aria-hidden": "true", focusable: "false" },
    s("rect", { class: "meter-case", x: 0.5, y: 0.5, width: 22, height: 11, rx: 3 }),
    s("rect", { class: "meter-pole", x: 23.5, y: 4, width: 2, height: 4, rx: 1 }),
    s("rect", { class: "meter-fill", x: 2, y: 2, width: Math.max(1, 19 * level), height: 8, rx: 1.5 }),
    state === "charging" ? s("path", { class: "meter-bolt", d: bolt(11.5, 6, 5) }) : null);
}

/** A bolt around a center point, with this height above and below it. */
export const bolt = (x, y, size) =>
  `M${x + size * 0.3} ${y - size}L${x - size * 0.6} ${y + size * 0.2}H${x}L${x - size * 0.3} ${y + size}L${x + size * 0.6} ${y - size * 0.2}H${x}Z`;
