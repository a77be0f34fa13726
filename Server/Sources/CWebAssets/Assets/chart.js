// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A chart over time: lines or stacked bars, with one place per interval. The pointer and the arrow keys show a place's values.

import { below, breakAt, broken, edge, fit, grid, ticks } from "./axis.js";
import { h, s } from "./dom.js";
import { figure } from "./figures.js";
import { cut } from "./format.js";
import { printable } from "./stream.js";

const height = 268;

/**
 * A chart. `places`: [{short, long}]; `series`: [{name, style, values, before}], `before` drawn dashed; `kind`: "lines" or "bars" (values below
 * zero hang down); `isOpen`: the last interval is not over; `breaks`: very tall bars are broken; `title`: the label for screen readers.
 */
export class Chart {
  #of;
  #pointed = -1;
  #width = 0;
  #svg = s("svg", { class: "plot-svg", tabindex: "0", role: "img" });
  #tip = h("div", { class: "tip", hidden: true, "aria-live": "polite" });

  constructor(of) {
    this.#of = of;
    this.node = h("div", { class: "plot chart" });
    this.#svg.setAttribute("aria-label", `${of.title}. Use the arrow keys to read single values; the table below lists all of them.`);
    fit(this.node, this.#svg, (width) => {
      this.#width = width;
      this.#draw();
    });
    this.node.append(this.#tip);
    this.#svg.addEventListener("pointermove", (event) => this.#point(Math.floor((event.offsetX - edge.left) / this.#step)));
    this.#svg.addEventListener("pointerleave", () => this.#point(-1));
    this.#svg.addEventListener("blur", () => this.#point(-1));
    this.#svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      const count = of.places.length;
      this.#point(Math.min(count - 1, Math.max(0, (this.#pointed < 0 ? count : this.#pointed) + step)));
    });
  }

  get #step() {
    return (this.#width - edge.left - edge.right) / this.#of.places.length;
  }

  #point(index) {
    const wanted = index >= 0 && index < this.#of.places.length ? index : -1;
    if (wanted === this.#pointed) return;
    this.#pointed = wanted;
    this.#draw();
  }

  #draw() {
    const { places, series, kind } = this.#of;
    const width = this.#width;
    const x = (index) => edge.left + this.#step * (index + 0.5);
    const totals = this.#of.breaks ? places.map((_, index) => series.reduce((sum, { values }) => sum + Number(values[index] ?? 0), 0)) : [];
    const limit = breakAt(totals);
    const [least, most] = this.#extremes();
    const values = ticks(least, limit ?? most);
    const [low, high] = [values[0], values.at(-1)];
    const y = (value) => edge.top + (height - edge.top - edge.bottom) * (1 - (Math.min(value, high) - low) / (high - low));
    const marks = totals.map((total, index) => (limit !== null && total > high ? broken(x(index), edge.top, Math.min(46, this.#step * 0.76), total) : null)).filter(Boolean);
    const shade = this.#pointed < 0 ? [] : [s("rect", { class: "shade", x: x(this.#pointed) - this.#step / 2, y: edge.top, width: this.#step, height: height - edge.top - edge.bottom, rx: 4 })];
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("height", height);
    this.#svg.replaceChildren(...grid(values, y, width), ...shade, ...(kind === "bars" ? this.#bars(x, y) : this.#lines(x, y)), ...marks,
      ...below(places.length, (index) => places[index].short, x, width, height));
    this.#describe(x(this.#pointed));
  }

  #extremes() {
    const { series, kind, places } = this.#of;
    if (kind === "bars") {
      const sums = places.map((_, index) => series.map(({ values }) => Number(values[index] ?? 0)));
      const add = (part, keep) => part.filter(keep).reduce((sum, value) => sum + value, 0);
      return [Math.min(...sums.map((part) => add(part, (value) => value < 0))), Math.max(...sums.map((part) => add(part, (value) => value > 0)))];
    }
    const all = series.flatMap(({ values, before }) => [...values, ...(before ?? [])]).filter((value) => value !== null && value !== undefined).map(Number);
    return [all.reduce((least, value) => Math.min(least, value), 0), all.reduce((most, value) => Math.max(most, value), 0)];
  }

  #lines(x, y) {
    const { series, isOpen, places } = this.#of;
    const draw = (values, name) => {
      const points = values.map((value, index) => (value === null || value === undefined ? null : [x(index), y(Number(value))]));
      const path = points.map((point, index) => (point === null ? "" : `${index > 0 && points[index - 1] ? "L" : "M"}${point[0].toFixed(1)} ${point[1].toFixed(1)}`)).join("");
      return s("path", { class: name, d: path || null });
    };
    return [...series].reverse().flatMap(({ values, before, style }) => {
      const last = values.length - 1;
      const parts = before ? [draw(before, `line ${style} before`)] : [];
      // The segment at an incomplete interval is drawn differently.
      const [from, to] = [places[0].isPartial && last > 0 ? 1 : 0, (isOpen || places[last].isPartial) && last > 0 ? last - 1 : last];
      const only = (first, end) => values.map((value, index) => (index < first || index > end ? null : value));
      if (from <= to) parts.push(draw(only(from, to), `line ${style}`));
      if (from > 0) parts.push(draw(only(0, 1), `line ${style} open`));
      if (to < last) parts.push(draw(only(last - 1, last), `line ${style} open`));
      // Isolated values, and short series, get points: a line would be too short or have no length.
      return [...parts, ...values.map((value, index) => {
        const isAlone = (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null;
        if (value === null || value === undefined || !(isAlone || places.length <= 32 || index === this.#pointed)) return null;
        return s("circle", { class: `point ${style}`, cx: x(index), cy: y(Number(value)), r: index === this.#pointed ? 4 : 2.5 });
      }).filter(Boolean)];
    });
  }

  #bars(x, y) {
    const bar = Math.min(46, Math.max(1, this.#step * 0.76));
    return this.#of.places.map((_, index) => {
      let [up, down] = [0, 0];
      const parts = this.#of.series.map(({ values, style }) => {
        const value = Number(values[index] ?? 0);
        if (value === 0) return null;
        const from = value > 0 ? up : down;
        if (value > 0) up += value;
        else down += value;
        const [top, bottom] = [y(Math.max(from, from + value)), y(Math.min(from, from + value))];
        return s("rect", { class: `fill ${style}`, x: x(index) - bar / 2, y: top, width: bar, height: Math.max(0.5, bottom - top) });
      });
      return s("g", { class: this.#of.places[index].isPartial || (this.#of.isOpen && index === this.#of.places.length - 1) ? "bar current" : "bar" }, parts);
    });
  }

  #describe(x) {
    const place = this.#of.places[this.#pointed];
    this.#tip.hidden = place === undefined;
    if (!place) return;
    const isLast = this.#of.isOpen && this.#pointed === this.#of.places.length - 1;
    const lines = this.#of.series.slice(0, 11).map(({ name, style, values, before }) => h("li", {}, h("span", { class: `dot ${style}`, "aria-hidden": "true" }),
      h("span", { class: "tip-name" }, printable(cut(name, 40))), h("b", {}, figure(values[this.#pointed])), before ? h("small", {}, `previously ${figure(before[this.#pointed])}`) : null));
    this.#tip.replaceChildren(h("p", {}, place.long + (isLast ? ", so far" : "")), h("ul", {}, lines));
    const onLeft = x > this.#width / 2;
    this.#tip.style.left = onLeft ? "auto" : `${x + 14}px`;
    this.#tip.style.right = onLeft ? `${this.#width - x + 14}px` : "auto";
  }
}
