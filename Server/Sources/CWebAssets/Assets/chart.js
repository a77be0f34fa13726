// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A chart over time: lines, or bars that are stacked or next to each other, one value per interval. The pointer and the arrow keys show an interval's
// values.

import { barBreak, brokenBarMark, drawToWidth, gridLines, margins, roundTicks, xAxisLabels } from "./chart-axis.js";
import { formatValue } from "./data-table.js";
import { h, s } from "./dom.js";
import { printable, truncate } from "./format.js";

const height = 268;

/**
 * A chart. `intervals`: [{short, long}]; `series`: [{name, style, values, before}], where `before` is drawn dashed;
 * `kind`: "lines", "bars" (stacked; values below zero extend downward) or "columns" (next to each other); `isOpen`: whether the last interval has not ended;
 * `breaks`: whether very tall bars are broken; `title`: the label for screen readers; `onSelect(interval, series)`: called
 * with the indexes of a clicked point, or null.
 */
export class Chart {
  #options;
  #focusedIndex = -1;
  #width = 0;
  /** Returns the height of a value in the current drawing. */
  #y = () => 0;
  #svg = s("svg", { class: "plot-svg", tabindex: "0", role: "img" });
  #tooltip = h("div", { class: "tooltip", hidden: true, "aria-live": "polite" });

  constructor(options) {
    this.#options = options;
    this.node = h("div", { class: "plot chart" });
    this.#svg.setAttribute("aria-label", `${options.title}. Use the arrow keys to read individual values; the table below lists all of them.`);
    drawToWidth(this.node, this.#svg, (width) => {
      this.#width = width;
      this.#render();
    });
    this.node.append(this.#tooltip);
    this.#svg.addEventListener("pointermove", (event) => this.#setFocus(Math.floor((event.offsetX - margins.left) / this.#intervalWidth)));
    if (options.onSelect) {
      this.#svg.classList.add("is-selectable");
      this.#svg.addEventListener("click", (event) => this.#select((event.offsetX - margins.left) / this.#intervalWidth, event.offsetY));
    }
    this.#svg.addEventListener("pointerleave", () => this.#setFocus(-1));
    this.#svg.addEventListener("blur", () => this.#setFocus(-1));
    this.#svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const count = options.intervals.length;
      this.#setFocus(Math.min(count - 1, Math.max(0, (this.#focusedIndex < 0 ? count : this.#focusedIndex) + step)));
    });
  }

  /** Selects the series closest to a click, among those with a value. `position` counts intervals from the left. */
  #select(position, height) {
    const { series, kind, onSelect } = this.#options;
    const index = Math.floor(position);
    const column = ((position - index) * this.#intervalWidth - (this.#intervalWidth - this.#barWidth) / 2) / this.#columnWidth - 0.5;
    let [up, down] = [0, 0];
    const distances = series.map(({ values }, item) => {
      const value = Number(values[index] ?? 0);
      if (value === 0) return Infinity;
      if (kind === "lines") return Math.abs(this.#y(value) - height);
      if (kind === "columns") return Math.abs(column - item);
      const from = value > 0 ? up : down;
      if (value > 0) up += value;
      else down += value;
      const [top, bottom] = [this.#y(Math.max(from, from + value)), this.#y(Math.min(from, from + value))];
      return Math.max(top - height, height - bottom, 0);
    });
    const closest = distances.indexOf(Math.min(...distances));
    if (Number.isFinite(distances[closest])) onSelect(index, closest);
  }

  get #intervalWidth() {
    return (this.#width - margins.left - margins.right) / this.#options.intervals.length;
  }

  /** The width of an interval's bars together. */
  get #barWidth() {
    const maximum = this.#options.kind === "columns" ? 46 * this.#options.series.length : 46;
    return Math.min(maximum, Math.max(1, this.#intervalWidth * 0.76));
  }

  get #columnWidth() {
    return this.#barWidth / this.#options.series.length;
  }

  #setFocus(index) {
    const valid = index >= 0 && index < this.#options.intervals.length ? index : -1;
    if (valid === this.#focusedIndex) return;
    this.#focusedIndex = valid;
    this.#render();
  }

  #render() {
    const { intervals, series, kind } = this.#options;
    const width = this.#width;
    const x = (index) => margins.left + this.#intervalWidth * (index + 0.5);
    const totals = this.#options.breaks ? intervals.map((_, index) => series.reduce((sum, { values }) => sum + Number(values[index] ?? 0), 0)) : [];
    const limit = barBreak(totals);
    const [minimum, maximum] = this.#extremes();
    const values = roundTicks(minimum, limit ?? maximum);
    const [low, high] = [values[0], values.at(-1)];
    const y = (value) => margins.top + (height - margins.top - margins.bottom) * (1 - (Math.min(value, high) - low) / (high - low));
    this.#y = y;
    const breakMarks = totals.map((total, index) => (limit !== null && total > high ? brokenBarMark(x(index), margins.top, Math.min(46, this.#intervalWidth * 0.76), total) : null)).filter(Boolean);
    const highlight = this.#focusedIndex < 0 ? [] : [s("rect", { class: "highlight", x: x(this.#focusedIndex) - this.#intervalWidth / 2, y: margins.top, width: this.#intervalWidth, height: height - margins.top - margins.bottom, rx: 4 })];
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("height", height);
    this.#svg.replaceChildren(...gridLines(values, y, width), ...highlight, ...({ bars: () => this.#bars(x, y), columns: () => this.#columns(x, y) }[kind]?.() ?? this.#lines(x, y)), ...breakMarks,
      ...xAxisLabels(intervals.length, (index) => intervals[index].short, x, width, height));
    this.#showTooltip(x(this.#focusedIndex));
  }

  #extremes() {
    const { series, kind, intervals } = this.#options;
    if (kind === "bars") {
      const sums = intervals.map((_, index) => series.map(({ values }) => Number(values[index] ?? 0)));
      const sumWhere = (part, predicate) => part.filter(predicate).reduce((sum, value) => sum + value, 0);
      return [Math.min(...sums.map((part) => sumWhere(part, (value) => value < 0))), Math.max(...sums.map((part) => sumWhere(part, (value) => value > 0)))];
    }
    const all = series.flatMap(({ values, before }) => [...values, ...(kind === "lines" ? before ?? [] : [])]).filter((value) => value !== null && value !== undefined).map(Number);
    return [all.reduce((minimum, value) => Math.min(minimum, value), 0), all.reduce((maximum, value) => Math.max(maximum, value), 0)];
  }

  #lines(x, y) {
    const { series, isOpen, intervals } = this.#options;
    const draw = (values, name) => {
      const points = values.map((value, index) => (value === null || value === undefined ? null : [x(index), y(Number(value))]));
      const path = points.map((point, index) => (point === null ? "" : `${index > 0 && points[index - 1] ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`)).join("");
      return s("path", { class: name, d: path || null });
    };
    return [...series].reverse().flatMap(({ values, before, style }) => {
      const last = values.length - 1;
      const parts = before ? [draw(before, `line ${style} previous`)] : [];
      // The segment at an incomplete interval is drawn differently.
      const [from, to] = [intervals[0].isPartial && last > 0 ? 1 : 0, (isOpen || intervals[last].isPartial) && last > 0 ? last - 1 : last];
      const segment = (first, end) => values.map((value, index) => (index < first || index > end ? null : value));
      if (from <= to) parts.push(draw(segment(from, to), `line ${style}`));
      if (from > 0) parts.push(draw(segment(0, 1), `line ${style} incomplete`));
      if (to < last) parts.push(draw(segment(last - 1, last), `line ${style} incomplete`));
      // Draw points for isolated values and short series, whose lines would be too short or have no length.
      return [...parts, ...values.map((value, index) => {
        const isIsolated = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
        if (value === null || value === undefined || !(isIsolated || intervals.length <= 32 || index === this.#focusedIndex)) return null;
        return s("circle", { class: `point ${style}`, cx: x(index), cy: y(Number(value)), r: index === this.#focusedIndex ? 4 : 2.5 });
      }).filter(Boolean)];
    });
  }

  #bars(x, y) {
    const bar = this.#barWidth;
    return this.#options.intervals.map((_, index) => {
      let [up, down] = [0, 0];
      const parts = this.#options.series.map(({ values, style }) => {
        const value = Number(values[index] ?? 0);
        if (value === 0) return null;
        const from = value > 0 ? up : down;
        if (value > 0) up += value;
        else down += value;
        const [top, bottom] = [y(Math.max(from, from + value)), y(Math.min(from, from + value))];
        return s("rect", { class: `fill ${style}`, x: x(index) - bar / 2, y: top, width: bar, height: Math.max(0.5, bottom - top) });
      });
      return s("g", { class: this.#barClass(index) }, parts);
    });
  }

  #columns(x, y) {
    const width = this.#columnWidth;
    return this.#options.intervals.map((_, index) => s("g", { class: this.#barClass(index) }, this.#options.series.map(({ values, style }, item) => {
      const value = Number(values[index] ?? 0);
      if (value === 0) return null;
      const [top, bottom] = [y(Math.max(0, value)), y(Math.min(0, value))];
      return s("rect", { class: `fill ${style}`, x: x(index) - this.#barWidth / 2 + item * width, y: top, width: Math.max(0.5, width - (width > 6 ? 1 : 0)), height: Math.max(0.5, bottom - top) });
    })));
  }

  /** Returns the class of an interval's bars; bars of an incomplete interval are drawn differently. */
  #barClass(index) {
    const { intervals, isOpen } = this.#options;
    return intervals[index].isPartial || (isOpen && index === intervals.length - 1) ? "bar current" : "bar";
  }

  #showTooltip(x) {
    const interval = this.#options.intervals[this.#focusedIndex];
    this.#tooltip.hidden = interval === undefined;
    if (!interval) return;
    const isLast = this.#options.isOpen && this.#focusedIndex === this.#options.intervals.length - 1;
    const lines = this.#options.series.slice(0, 11).map(({ name, style, values, before }) => h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }),
      h("span", { class: "tooltip-name" }, printable(truncate(name, 40))), h("b", {}, formatValue(values[this.#focusedIndex])), before ? h("small", {}, `previously ${formatValue(before[this.#focusedIndex])}`) : null));
    this.#tooltip.replaceChildren(h("p", {}, interval.long + (isLast ? ", so far" : "")), h("ul", {}, lines));
    const onLeft = x > this.#width / 2;
    this.#tooltip.style.left = onLeft ? "auto" : `${x + 14}px`;
    this.#tooltip.style.right = onLeft ? `${this.#width - x + 14}px` : "auto";
  }
}
