// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Shared parts of charts: round ticks, labels that fit, and redrawing when the width changes.

import { s } from "./dom.js";
import { formatCompact } from "./format.js";

/** The margins between the edges of the SVG and the plot. */
export const margins = { top: 12, right: 14, bottom: 24, left: 54 };

/** Draws into an SVG that is as wide as `box`, and redraws whenever that width changes. */
export function drawToWidth(box, svg, draw) {
  let drawnWidth = 0;
  new ResizeObserver(() => {
    const width = Math.floor(box.clientWidth);
    if (width === 0 || width === drawnWidth) return;
    drawnWidth = width;
    draw(width);
  }).observe(box);
  box.append(svg);
}

/** Returns two to seven round ticks that enclose `minimum`, `maximum` and zero as tightly as possible. */
export function roundTicks(minimum, maximum) {
  const [low, high] = [Math.min(0, minimum), Math.max(0, maximum)];
  const power = 10 ** Math.floor(Math.log10((high - low || 4) / 4));
  const steps = [0.5, 1, 2, 2.5, 5, 10].map((factor) => factor * power).map((step) => {
    const first = Math.floor(low / step + 1e-9);
    return { step, first, count: Math.max(1, Math.ceil(high / step - 1e-9) - first) };
  });
  const isInteger = Number.isInteger(low) && Number.isInteger(high);
  // Counts have no fractions.
  const possible = steps.filter(({ step, count }) => count <= 6 && (!isInteger || Number.isInteger(step)));
  const preferred = possible.filter(({ count }) => count >= 3);
  // Choose the ticks that leave the least space unused; among equals, choose the fewest ticks.
  const { step, first, count } = preferred.reduce((best, candidate) => (candidate.step * candidate.count <= best.step * best.count * 0.999 || (candidate.step * candidate.count < best.step * best.count * 1.001 && candidate.count < best.count) ? candidate : best), preferred[0] ?? possible[0]);
  // Multiply instead of adding repeatedly: the sum of 0.1 and 0.2 would give a long label.
  return Array.from({ length: count + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/**
 * Returns the height at which bars are broken, so that a few very tall bars do not flatten the rest; null if no bar is
 * that tall.
 */
export function barBreak(totals) {
  const sorted = [...totals].sort((a, b) => b - a);
  const tallCount = [1, 2, 3].find((count) => sorted[count] > 0 && sorted[count - 1] > 12 * sorted[count]);
  return tallCount === undefined ? null : sorted[tallCount] * 1.25;
}

/** Returns the mark of a broken bar, labeled with the bar's total. */
export function brokenBarMark(x, top, width, total) {
  const [left, right] = [x - width / 2 - 3, x + width / 2 + 3];
  return s("g", {}, s("path", { class: "break", d: `M${left} ${top + 17}L${right} ${top + 11}v4L${left} ${top + 21}z` }), s("text", { class: "label break-label", x, y: top - 2, "text-anchor": "middle" }, formatCompact(total)));
}

/** Returns the horizontal grid lines and their labels. */
export function gridLines(values, y, width) {
  return values.flatMap((value) => [
    s("line", { class: value === 0 ? "axis" : "grid", x1: margins.left, x2: width - margins.right, y1: y(value), y2: y(value) }),
    s("text", { class: "label", x: margins.left - 8, y: y(value) + 4, "text-anchor": "end" }, formatCompact(value)),
  ]);
}

/** Returns the labels that fit below a chart; the last label is always included. */
export function xAxisLabels(count, text, x, width, height) {
  const widest = Math.max(...[0, Math.floor(count / 2), count - 1].map((index) => text(index).length)) * 6.4 + 18;
  // Reserve a third more space per label, because the last label may move left.
  const capacity = Math.max(1, Math.floor((width - margins.left - margins.right) / (widest * 1.35)));
  const stride = Math.max(1, Math.ceil(count / capacity));
  return Array.from({ length: count }, (_, index) => index).filter((index) => (count - 1 - index) % stride === 0).map((index) => {
    // The last label ends at the edge of the plot if it would otherwise extend beyond it.
    const overflows = x(index) + (text(index).length * 6.4) / 2 > width - margins.right;
    return s("text", { class: "label", x: overflows ? width - margins.right : Math.max(margins.left - 30 + widest / 2, x(index)), y: height - 6, "text-anchor": overflows ? "end" : "middle" }, text(index));
  });
}

/** Returns the style class of the series with this index; series beyond the tenth share one class. */
export const seriesClass = (index) => (index < 10 ? `c${index}` : "cx");
