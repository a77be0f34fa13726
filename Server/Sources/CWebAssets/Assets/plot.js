// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Events per minute over the last 15 minutes, as bars: stacked by name, or in total.

import { breakAt, broken, ticks } from "./axis.js";
import { byId, h, s, setText } from "./dom.js";
import { compact, minute as clockMinute, number } from "./format.js";
import { assignColours, colour, slots } from "./palette.js";
import { printable } from "./stream.js";

const minutes = 15;
const oneMinute = 60_000;
const height = 176;
const edge = { top: 10, right: 14, bottom: 22, left: 50 };

/** The plot. `choose(name)` is called when a name in the legend is clicked. */
export class Plot {
  #choose;
  #buckets = [];
  #names = [];
  #stacked = true;
  #chosen = null;
  #hasOthers = false;
  #pointed = -1;
  #box = byId("plot");
  #tip = h("div", { class: "tip", hidden: true, "aria-live": "polite" });
  #svg = s("svg", { class: "plot-svg", tabindex: "0", role: "img", focusable: "true" });

  constructor(choose) {
    this.#choose = choose;
    this.#box.append(this.#svg, this.#tip);
    new ResizeObserver(() => this.#draw()).observe(this.#box);
    this.#svg.addEventListener("pointermove", (event) => this.#point(this.#bucketAt(event.offsetX)));
    this.#svg.addEventListener("pointerleave", () => this.#point(-1));
    this.#svg.addEventListener("blur", () => this.#point(-1));
    this.#svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.#point(Math.min(minutes - 1, Math.max(0, (this.#pointed < 0 ? minutes : this.#pointed) + step)));
    });
  }

  get isStacked() {
    return this.#stacked;
  }

  setStacked(stacked) {
    this.#stacked = stacked;
    this.#draw();
  }

  setChosen(name) {
    this.#chosen = name;
    this.#legend();
    this.#draw();
  }

  /** The names in the plot, busiest first. */
  get names() {
    return this.#names;
  }

  /** Shows the minutes of the rate endpoint; `now` determines the 15 minutes. */
  show(answer, now) {
    const last = Math.floor(now / oneMinute) * oneMinute;
    // The busiest names are counted separately; the total includes all.
    const byMinute = new Map(answer.map(([start, total, names]) => [start, { total, counts: new Map(Object.entries(names)) }]));
    this.#buckets = Array.from({ length: minutes }, (_, index) => {
      const start = last - (minutes - 1 - index) * oneMinute;
      return { start, total: 0, counts: new Map(), ...byMinute.get(start) };
    });
    this.#hasOthers = answer.some(([, , , others]) => others > 0);
    const totals = new Map();
    for (const { counts } of this.#buckets) {
      for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count);
    }
    this.#names = [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a) || (a < b ? -1 : 1));
    assignColours(this.#names);
    this.#legend();
    this.#draw();
    const current = this.#buckets.at(-1).total;
    const before = this.#buckets.at(-2).total;
    setText(byId("rate-now"), compact(before > 0 ? before : current));
    setText(byId("rate-note"), before > 0 ? `last minute · ${compact(current)} so far in this one` : "so far in this minute");
  }

  #series() {
    // In the order of the colors, not of the counts: bars and legend keep their order while counts change.
    const own = this.#names.filter((name) => colour(name) !== "cx").sort((a, b) => (colour(a) < colour(b) ? -1 : 1));
    return { own, rest: this.#hasOthers || this.#names.length > own.length };
  }

  #legend() {
    const { own, rest } = this.#series();
    const entries = own.map((name) =>
      h("li", {}, h(
        "button",
        { type: "button", class: "key", "aria-pressed": String(this.#chosen === name), onclick: () => this.#choose(name) },
        h("span", { class: `dot ${colour(name)}`, "aria-hidden": "true" }),
        printable(name),
      )),
    );
    if (rest) entries.push(h("li", { class: "key rest" }, h("span", { class: "dot cx", "aria-hidden": "true" }), this.#hasOthers ? "all others" : `${this.#names.length - own.length} more`));
    const legend = byId("legend");
    const focused = document.activeElement?.closest?.("#legend button")?.textContent;
    legend.replaceChildren(...entries);
    if (focused) [...legend.querySelectorAll("button")].find((button) => button.textContent === focused)?.focus();
  }

  #bucketAt(x) {
    const width = this.#box.clientWidth - edge.left - edge.right;
    const index = Math.floor(((x - edge.left) / width) * minutes);
    return index >= 0 && index < minutes ? index : -1;
  }

  #point(index) {
    this.#pointed = index;
    this.#draw();
  }

  #draw() {
    const width = this.#box.clientWidth;
    if (width === 0 || this.#buckets.length === 0) return;
    const inner = { width: width - edge.left - edge.right, height: height - edge.top - edge.bottom };
    const step = inner.width / minutes;
    const bar = Math.min(56, Math.max(4, step - Math.max(3, step * 0.24)));
    const totals = this.#buckets.map((bucket) => bucket.total);
    const limit = breakAt(totals);
    const lines = ticks(0, Math.max(4, limit ?? Math.max(...totals)));
    const top = lines.at(-1);
    const y = (value) => edge.top + inner.height * (1 - Math.min(value, top) / top);
    const marks = lines.map((tick) => [
      s("line", { class: tick === 0 ? "axis" : "grid", x1: edge.left, x2: width - edge.right, y1: y(tick), y2: y(tick) }),
      s("text", { class: "label", x: edge.left - 8, y: y(tick) + 4, "text-anchor": "end" }, compact(tick)),
    ]);
    const bars = this.#buckets.map((bucket, index) => {
      const x = edge.left + step * index + (step - bar) / 2;
      const every = width < 560 ? 5 : 2;
      const label = (minutes - 1 - index) % every === 0
        ? s("text", { class: "label", x: x + bar / 2, y: height - 6, "text-anchor": "middle" }, index === minutes - 1 ? "now" : clockMinute(bucket.start))
        : null;
      const state = index === this.#pointed ? "bar pointed" : index === minutes - 1 ? "bar current" : "bar";
      return s("g", { class: state }, this.#segments(bucket, x, bar, y), limit !== null && bucket.total > top ? broken(x + bar / 2, edge.top, bar, bucket.total) : null, label);
    });
    const shade = this.#pointed >= 0
      ? s("rect", { class: "shade", x: edge.left + step * this.#pointed, y: edge.top, width: step, height: inner.height, rx: 4 })
      : null;
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("height", height);
    this.#svg.replaceChildren(...[marks, shade, bars].flat(2).filter(Boolean));
    this.#describe(edge.left + step * (this.#pointed + 0.5), width);
  }

  #segments(bucket, x, bar, y) {
    const floor = y(0);
    if (bucket.total === 0) return [];
    if (!this.#stacked) return [s("path", { class: "fill c0", d: roof(x, y(bucket.total), bar, floor) })];
    let below = 0;
    const parts = [];
    const { own } = this.#series();
    const ordered = [...own.filter((name) => bucket.counts.has(name)).map((name) => [name, bucket.counts.get(name)])];
    const rest = bucket.total - ordered.reduce((sum, [, count]) => sum + count, 0);
    if (rest > 0) ordered.push([null, rest]);
    ordered.forEach(([name, count], index) => {
      const from = y(below);
      below += count;
      const to = y(below);
      const faint = this.#chosen !== null && name !== this.#chosen ? " faint" : "";
      const style = `fill ${name === null ? "cx" : colour(name)}${faint}`;
      const gap = from - to > 3 && index > 0 ? 1 : 0;
      parts.push(index === ordered.length - 1
        ? s("path", { class: style, d: roof(x, to, bar, from - gap) })
        : s("rect", { class: style, x, y: to, width: bar, height: Math.max(0, from - to - gap) }));
    });
    return parts;
  }

  #describe(x, width) {
    const peak = this.#buckets.reduce((best, bucket) => (bucket.total > best.total ? bucket : best));
    this.#svg.setAttribute("aria-label",
      `Events per minute over 15 minutes. Last full minute ${number(this.#buckets.at(-2).total)}, peak ${number(peak.total)} at ${clockMinute(peak.start)}. Use the arrow keys to read single minutes.`);
    const bucket = this.#buckets[this.#pointed];
    this.#tip.hidden = bucket === undefined;
    if (!bucket) return;
    const lines = [...bucket.counts].sort((a, b) => b[1] - a[1]).slice(0, slots).map(([name, count]) =>
      h("li", {}, h("span", { class: `dot ${colour(name)}`, "aria-hidden": "true" }), h("span", { class: "tip-name" }, printable(name)), h("b", {}, number(count))));
    this.#tip.replaceChildren(h("p", {}, clockMinute(bucket.start), h("b", {}, number(bucket.total))), h("ul", {}, lines));
    const onLeft = x > width / 2;
    this.#tip.style.left = onLeft ? "auto" : `${x + 14}px`;
    this.#tip.style.right = onLeft ? `${width - x + 14}px` : "auto";
  }
}

/** The path of a bar with rounded top corners. */
function roof(x, top, width, floor) {
  const radius = Math.min(3, width / 2, Math.max(0, floor - top));
  return `M${x} ${floor}V${top + radius}q0 ${-radius} ${radius} ${-radius}h${width - 2 * radius}q${radius} 0 ${radius} ${radius}V${floor}z`;
}
