// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The battery's level over time: a line, shaded while the device was charging.

import { boltPath, isLevel } from "./battery-icon.js";
import { s } from "./dom.js";
import { maximumGap, validUntil, valueRanges } from "./value-ranges.js";

const bandHeight = 5;

/** Returns the nodes of the plot. `states` are oldest first; `box` is {left, right, top, height}. */
export function batteryPlot(states, scale, box) {
  const bottom = box.top + box.height;
  const y = (level) => box.top + (box.height - bandHeight) * (1 - level);
  const point = (state) => `${scale.x(state.at).toFixed(1)} ${y(state.battery_level).toFixed(1)}`;
  const grid = [0, 0.5, 1].map((level) => [
    s("line", { class: level === 0 ? "axis" : "grid", x1: box.left, x2: box.right, y1: y(level), y2: y(level) }),
    s("text", { class: "label", x: box.left - 8, y: y(level) + 4, "text-anchor": "end" }, `${level * 100}%`),
  ]);
  return [grid, chargingAreas(states, scale, { y, point, bottom }), levelLine(states, scale, point), levelDots(states, scale, y)];
}

/** Draws a line: solid between consecutive reports, dashed over longer pauses, and interrupted at a folded gap. */
function levelLine(states, scale, point) {
  const known = states.filter((state) => isLevel(state.battery_level));
  let [solid, dashed] = ["", ""];
  known.slice(1).forEach((state, index) => {
    const before = known[index];
    if (scale.folds.some((fold) => before.at <= fold.from && state.at >= fold.to)) return;
    const step = `M${point(before)}L${point(state)}`;
    if (state.at - before.at <= maximumGap) solid += step;
    else dashed += step;
  });
  return [s("path", { class: "battery-line", d: solid }), s("path", { class: "battery-line dashed", d: dashed })];
}

/** Draws a dot for each state, unless the dots would overlap. */
function levelDots(states, scale, y) {
  const known = states.filter((state) => isLevel(state.battery_level));
  return known.map((state, index) => {
    const x = scale.x(state.at);
    const distances = [known[index - 1], known[index + 1]].filter(Boolean).map((other) => Math.abs(scale.x(other.at) - x));
    return Math.min(...distances, Infinity) < 7 ? null : s("circle", { class: "battery-dot", cx: x, cy: y(state.battery_level), r: 2.5 });
  }).filter(Boolean);
}

/**
 * Marks the times when the battery was charging or full with a shaded area below the line, a band at the bottom, and a
 * bolt, so that the meaning does not depend on color.
 */
function chargingAreas(states, scale, { y, point, bottom }) {
  let lastBolt = -Infinity;
  return valueRanges(states, (state) => (state.battery_state === "charging" || state.battery_state === "full" ? state.battery_state : null)).map((range) => {
    const [from, to] = [scale.x(range.from), Math.max(scale.x(range.to), scale.x(range.from) + 2)];
    const statesInRange = states.slice(range.first, range.until);
    const after = states[range.until];
    if (after && validUntil(states, range.until - 1) === after.at) statesInRange.push(after);
    const known = statesInRange.filter((state) => isLevel(state.battery_level));
    const area = known.length > 1
      ? s("path", { class: `battery-area ${range.value}`, d: `M${scale.x(known[0].at).toFixed(1)} ${y(0)}L${known.map(point).join("L")}L${scale.x(known.at(-1).at).toFixed(1)} ${y(0)}Z` })
      : null;
    const hasRoom = range.value === "charging" && from - lastBolt > 14 && to - from > 8;
    if (hasRoom) lastBolt = from;
    return [
      area,
      s("rect", { class: `battery-band ${range.value}`, x: from, y: bottom - bandHeight, width: to - from, height: bandHeight }),
      hasRoom ? s("path", { class: "battery-bolt", d: boltPath(from + 7, bottom - bandHeight - 10, 7) }) : null,
    ];
  });
}
