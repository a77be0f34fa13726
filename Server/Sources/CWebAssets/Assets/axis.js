// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What charts share: round ticks, room for labels, and being drawn anew when the room is another.

import { s } from "./dom.js";
import { compact } from "./format.js";

/** Where the drawing ends and the labels begin. */
export const edge = { top: 12, right: 14, bottom: 24, left: 54 };

/** Draws into an SVG that is as wide as `box`, again at each change of that width. */
export function fit(box, svg, draw) {
  let drawn = 0;
  new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width === 0 || width === drawn) return;
    drawn = width;
    draw(width);
  }).observe(box);
  box.append(svg);
}

/** Two to seven round ticks that hold everything between `least` and `most`, as close as they can; zero is among them. */
export function ticks(least, most) {
  const [low, high] = [Math.min(0, least), Math.max(0, most)];
  const power = 10 ** Math.floor(Math.log10((high - low || 4) / 4));
  const steps = [0.5, 1, 2, 2.5, 5, 10].map((factor) => factor * power).map((step) => {
    const first = Math.floor(low / step + 1e-9);
    return { step, first, count: Math.max(1, Math.ceil(high / step - 1e-9) - first) };
  });
  const whole = Number.isInteger(low) && Number.isInteger(high);
  // What is counted has no halves.
  const possible = steps.filter(({ step, count }) => count <= 6 && (!whole || Number.isInteger(step)));
  const few = possible.filter(({ count }) => count >= 3);
  // The ones that leave least room unused; of those that leave the same, the fewest.
  const { step, first, count } = few.reduce((best, one) => (one.step * one.count <= best.step * best.count * 0.999 || (one.step * one.count < best.step * best.count * 1.001 && one.count < best.count) ? one : best), few[0] ?? possible[0]);
  // Not by adding up: 0.1 + 0.2 would be a label of its own.
  return Array.from({ length: count + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Where bars are broken off, so that a few that tower over all others do not flatten these; null where none do. */
export function breakAt(totals) {
  const sorted = [...totals].sort((a, b) => b - a);
  const towers = [1, 2, 3].find((count) => sorted[count] > 0 && sorted[count - 1] > 12 * sorted[count]);
  return towers === undefined ? null : sorted[towers] * 1.25;
}

/** The mark of a bar that is broken off, with how long it is. */
export function broken(x, top, width, total) {
  const [left, right] = [x - width / 2 - 3, x + width / 2 + 3];
  return s("g", {}, s("path", { class: "break", d: `M${left} ${top + 17}L${right} ${top + 11}v4L${left} ${top + 21}z` }), s("text", { class: "label break-label", x, y: top - 2, "text-anchor": "middle" }, compact(total)));
}

/** The horizontal lines and their labels. */
export function grid(values, y, width) {
  return values.flatMap((value) => [
    s("line", { class: value === 0 ? "axis" : "grid", x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value) }),
    s("text", { class: "label", x: edge.left - 8, y: y(value) + 4, "text-anchor": "end" }, compact(value)),
  ]);
}

/** Labels below the places that have room for one; the last of all is kept. */
export function below(count, text, x, width, height) {
  const widest = Math.max(...[0, Math.floor(count / 2), count - 1].map((index) => text(index).length)) * 6.4 + 18;
  // Half of one more, since the last may move to the left by as much.
  const room = Math.max(1, Math.floor((width - edge.left - edge.right) / (widest * 1.35)));
  const every = Math.max(1, Math.ceil(count / room));
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % every === 0).map((index) => {
    // The last one ends with the drawing, where its middle would let it stand out.
    const isAtEnd = x(index) + (text(index).length * 6.4) / 2 > width - edge.right;
    return s("text", { class: "label", x: isAtEnd ? width - edge.right : Math.max(edge.left - 30 + widest / 2, x(index)), y: height - 6, "text-anchor": isAtEnd ? "end" : "middle" }, text(index));
  });
}

/** The style of the series with this index; those beyond the colours share one. */
export const style = (index) => (index < 10 ? `c${index}` : "cx");
