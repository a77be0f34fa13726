// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The battery's level over time: a line, shaded while the device was charging.

import { s } from "./dom.js";
import { bolt, isLevel } from "./meter.js";
import { heldUntil, longestWord, stretches } from "./stretches.js";

const bandHeight = 5;

/** Returns the nodes of the plot for states (oldest first) in a box {left, right, top, height}. */
export function batteryPlot(states, scale, box) {
  const bottom = box.top + box.height;
  const y = (level) => box.top + (box.height - bandHeight) * (1 - level);
  const point = (state) => `${scale.x(state.at).toFixed(1)} ${y(state.battery_level).toFixed(1)}`;
  const grid = [0, 0.5, 1].map((level) => [
    s("line", { class: level === 0 ? "axis" : "grid", x1: box.left, x2: box.right, y1: y(level), y2: y(level) }),
    s("text", { class: "label", x: box.left - 8, y: y(level) + 4, "text-anchor": "end" }, `${level * 100} %`),
  ]);
  return [grid, plugged(states, scale, { y, point, bottom }), line(states, scale, point), dots(states, scale, y)];
}

/** A solid line between consecutive reports, dashed over longer pauses, and none across a folded gap. */
function line(states, scale, point) {
  const known = states.filter((state) => isLevel(state.battery_level));
  let [whole, dashed] = ["", ""];
  known.slice(1).forEach((state, index) => {
    const before = known[index];
    if (scale.folds.some((fold) => before.at <= fold.from && state.at >= fold.to)) return;
    const step = `M${point(before)}L${point(state)}`;
    if (state.at - before.at <= longestWord) whole += step;
    else dashed += step;
  });
  return [s("path", { class: "battery-line", d: whole }), s("path", { class: "battery-line dashed", d: dashed })];
}

/** A dot for each state, unless dots would overlap. */
function dots(states, scale, y) {
  const known = states.filter((state) => isLevel(state.battery_level));
  return known.map((state, index) => {
    const x = scale.x(state.at);
    const around = [known[index - 1], known[index + 1]].filter(Boolean).map((other) => Math.abs(scale.x(other.at) - x));
    return Math.min(...around, Infinity) < 7 ? null : s("circle", { class: "battery-dot", cx: x, cy: y(state.battery_level), r: 2.5 });
  }).filter(Boolean);
}

/** Charging and full: a shaded area below the line, a band at the bottom, and a bolt, so that the meaning does not depend on color. */
function plugged(states, scale, { y, point, bottom }) {
  let lastBolt = -Infinity;
  return stretches(states, (state) => (state.battery_state === "charging" || state.battery_state === "full" ? state.battery_state : null)).map((stretch) => {
    const [from, to] = [scale.x(stretch.from), Math.max(scale.x(stretch.to), scale.x(stretch.from) + 2)];
    const inside = states.slice(stretch.first, stretch.until);
    const after = states[stretch.until];
    if (after && heldUntil(states, stretch.until - 1) === after.at) inside.push(after);
    const known = inside.filter((state) => isLevel(state.battery_level));
    const area = known.length > 1
      ? s("path", { class: `battery-area ${stretch.value}`, d: `M${scale.x(known[0].at).toFixed(1)} ${y(0)}L${known.map(point).join("L")}L${scale.x(known.at(-1).at).toFixed(1)} ${y(0)}Z` })
      : null;
    const hasRoom = stretch.value === "charging" && from - lastBolt > 14 && to - from > 8;
    if (hasRoom) lastBolt = from;
    return [
      area,
      s("rect", { class: `battery-band ${stretch.value}`, x: from, y: bottom - bandHeight, width: to - from, height: bandHeight }),
      hasRoom ? s("path", { class: "battery-bolt", d: bolt(from + 7, bottom - bandHeight - 10, 7) }) : null,
    ];
  });
}
