// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Shared parts of charts: round ticks, fitting labels, and redrawing when the width changes.

import { s } from "./dom.js";
import { compact } from "./format.js";

/** The margins between the edges of the SVG and the plot. */
export const edge = { top: 12, right: 14, bottom: 24, left: 54 };

/** Draws into an SVG as wide as `box`, and again whenever that width changes. */
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

/** Returns two to seven round ticks that enclose `least`, `most` and zero as tightly as possible. */
export function ticks(least, most) {
  const [low, high] = [Math.min(0, least), Math.max(0, most)];
  const power = 10 ** Math.floor(Math.log10((high - low || 4) / 4));
  const steps = [0.5, 1, 2, 2.5, 5, 10].map((factor) => factor * power).map((step) => {
    const first = Math.floor(low / step + 1e-9);
    return { step, first, count: Math.max(1, Math.ceil(high / step - 1e-9) - first) };
  });
  const whole = Number.isInteger(low) && Number.isInteger(high);
  // Counts have no fractions.
  const possible = steps.filter(({ step, count }) => count <= 6 && (!whole || Number.isInteger(step)));
  const few = possible.filter(({ count }) => count >= 3);
  // The ticks that leave the least space unused; among equals, the fewest.
  const { step, first, count } = few.reduce((best, one) => (one.step * one.count <= best.step * best.count * 0.999 || (one.step * one.count < best.step * best.count * 1.001 && one.count < best.count) ? one : best), few[0] ?? possible[0]);
  // Multiplied instead of summed: adding up 0.1 and 0.2 would give a long label.
  return Array.from({ length: count + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** Returns the height at which bars are broken, so that a few very tall ones do not flatten the rest; null if no bar is that tall. */
export function breakAt(totals) {
  const sorted = [...totals].sort((a, b) => b - a);
  const towers = [1, 2, 3].find((count) => sorted[count] > 0 && sorted[count - 1] > 12 * sorted[count]);
  return towers === undefined ? null : sorted[towers] * 1.25;
}

/** The mark of a broken bar, with its total. */
export function broken(x, top, width, total) {
  const [left, right] = [x - width / 2 - 3, x + width / 2 + 3];
  return s("g", {}, s("path", { class: "break", d: `M${left} ${top + 17}L${right} ${top + 11}v4L${left} ${top + 21}z` }), s("text", { class: "label break-label", x, y: top - 2, "text-anchor": "middle" }, compact(total)));
}

/** Returns the horizontal grid lines and their labels. */
export function grid(values, y, width) {
  return values.flatMap((value) => [
    s("line", { class: value === 0 ? "axis" : "grid", x1: edge.left, x2: width - edge.right, y1: y(value), y2: y(value) }),
    s("text", { class: "label", x: edge.left - 8, y: y(value) + 4, "text-anchor": "end" }, compact(value)),
  ]);
}

/** Returns the labels below a chart that fit; the last one is always kept. */
export function below(count, text, x, width, height) {
  const widest = Math.max(...[0, Math.floor(count / 2), count - 1].map((index) => text(index).length)) * 6.4 + 18;
  // A third more space per label, because the last one may move left.
  const room = Math.max(1, Math.floor((width - edge.left - edge.right) / (widest * 1.35)));
  const every = Math.max(1, Math.ceil(count / room));
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % every === 0).map((index) => {
    // The last label ends at the edge of the plot if it would otherwise extend beyond it.
    const isAtEnd = x(index) + (text(index).length * 6.4) / 2 > width - edge.right;
    return s("text", { class: "label", x: isAtEnd ? width - edge.right : Math.max(edge.left - 30 + widest / 2, x(index)), y: height - 6, "text-anchor": isAtEnd ? "end" : "middle" }, text(index));
  });
}

/** The style of the series with this index; series beyond the tenth share one. */
export const style = (index) => (index < 10 ? `c${index}` : "cx");
