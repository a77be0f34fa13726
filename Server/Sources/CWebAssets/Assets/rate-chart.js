// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Events per minute over the last 15 minutes, as bars: stacked by name, or only the totals.

import { barBreak, brokenBarMark, roundTicks } from "./chart-axis.js";
import { byId, h, s, setText } from "./dom.js";
import { assignEventColors, colorCount, eventColor } from "./event-colors.js";
import { formatCompact, formatDayAndTime, formatNumber, formatShortTime, printable } from "./format.js";

const minuteCount = 15;
const oneMinute = 60_000;
const height = 176;
const margins = { top: 10, right: 14, bottom: 22, left: 50 };

/** The chart of events per minute. `onSelect(name)` is called when a name in the legend is clicked. */
export class RateChart {
  #onSelect;
  #buckets = [];
  #names = [];
  #stacked = true;
  #selected = null;
  #hasOthers = false;
  #focusedIndex = -1;
  #box = byId("rate-chart");
  #tooltip = h("div", { class: "tooltip", hidden: true, "aria-live": "polite" });
  #svg = s("svg", { class: "plot-svg", tabindex: "0", role: "img", focusable: "true" });

  constructor(onSelect) {
    this.#onSelect = onSelect;
    this.#box.append(this.#svg, this.#tooltip);
    new ResizeObserver(() => this.#render()).observe(this.#box);
    this.#svg.addEventListener("pointermove", (event) => this.#setFocus(this.#bucketAt(event.offsetX)));
    this.#svg.addEventListener("pointerleave", () => this.#setFocus(-1));
    this.#svg.addEventListener("blur", () => this.#setFocus(-1));
    this.#svg.addEventListener("keydown", (event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!step) return;
      event.preventDefault();
      this.#setFocus(Math.min(minuteCount - 1, Math.max(0, (this.#focusedIndex < 0 ? minuteCount : this.#focusedIndex) + step)));
    });
  }

  get isStacked() {
    return this.#stacked;
  }

  setStacked(stacked) {
    this.#stacked = stacked;
    this.#render();
  }

  setSelected(name) {
    this.#selected = name;
    this.#renderLegend();
    this.#render();
  }

  /** The names in the chart, busiest first. */
  get names() {
    return this.#names;
  }

  /** Shows a response of the rate endpoint, for the 15 minutes that end with the minute of `now`. */
  show(response, now) {
    const last = Math.floor(now / oneMinute) * oneMinute;
    // The busiest names are counted separately; the total includes all names.
    const byMinute = new Map(response.map(([start, total, names]) => [start, { total, counts: new Map(Object.entries(names)) }]));
    this.#buckets = Array.from({ length: minuteCount }, (_, index) => {
      const start = last - (minuteCount - 1 - index) * oneMinute;
      return { start, total: 0, counts: new Map(), ...byMinute.get(start) };
    });
    this.#hasOthers = response.some(([, , , others]) => others > 0);
    const totals = new Map();
    for (const { counts } of this.#buckets) {
      for (const [name, count] of counts) totals.set(name, (totals.get(name) ?? 0) + count);
    }
    this.#names = [...totals.keys()].sort((a, b) => totals.get(b) - totals.get(a) || (a < b ? -1 : 1));
    assignEventColors(this.#names);
    this.#renderLegend();
    this.#render();
    const current = this.#buckets.at(-1).total;
    const before = this.#buckets.at(-2).total;
    setText(byId("rate-now"), formatCompact(before > 0 ? before : current));
    setText(byId("rate-note"), before > 0 ? `last minute · ${formatCompact(current)} so far this minute` : "so far this minute");
  }

  #series() {
    // Order the names by color, not by count, so that bars and legend keep their order while counts change.
    const colored = this.#names.filter((name) => eventColor(name) !== "cx").sort((a, b) => (eventColor(a) < eventColor(b) ? -1 : 1));
    return { colored, hasRest: this.#hasOthers || this.#names.length > colored.length };
  }

  #renderLegend() {
    const { colored, hasRest } = this.#series();
    const entries = colored.map((name) =>
      h("li", {}, h(
        "button",
        { type: "button", class: "legend-item", "aria-pressed": String(this.#selected === name), onclick: () => this.#onSelect(name) },
        h("span", { class: `dot ${eventColor(name)}`, "aria-hidden": "true" }),
        printable(name),
      )),
    );
    if (hasRest) entries.push(h("li", { class: "legend-item rest" }, h("span", { class: "dot cx", "aria-hidden": "true" }), this.#hasOthers ? "all others" : `${this.#names.length - colored.length} more`));
    const legend = byId("legend");
    const focused = document.activeElement?.closest?.("#legend button")?.textContent;
    legend.replaceChildren(...entries);
    if (focused) [...legend.querySelectorAll("button")].find((button) => button.textContent === focused)?.focus();
  }

  #bucketAt(x) {
    const width = this.#box.clientWidth - margins.left - margins.right;
    const index = Math.floor(((x - margins.left) / width) * minuteCount);
    return index >= 0 && index < minuteCount ? index : -1;
  }

  #setFocus(index) {
    this.#focusedIndex = index;
    this.#render();
  }

  #render() {
    const width = this.#box.clientWidth;
    if (width === 0 || this.#buckets.length === 0) return;
    const inner = { width: width - margins.left - margins.right, height: height - margins.top - margins.bottom };
    const step = inner.width / minuteCount;
    const bar = Math.min(56, Math.max(4, step - Math.max(3, step * 0.24)));
    const totals = this.#buckets.map((bucket) => bucket.total);
    const breakValue = barBreak(totals);
    const tickValues = roundTicks(0, Math.max(4, breakValue ?? Math.max(...totals)));
    const top = tickValues.at(-1);
    const y = (value) => margins.top + inner.height * (1 - Math.min(value, top) / top);
    const gridNodes = tickValues.map((tick) => [
      s("line", { class: tick === 0 ? "axis" : "grid", x1: margins.left, x2: width - margins.right, y1: y(tick), y2: y(tick) }),
      s("text", { class: "label", x: margins.left - 8, y: y(tick) + 4, "text-anchor": "end" }, formatCompact(tick)),
    ]);
    const bars = this.#buckets.map((bucket, index) => {
      const x = margins.left + step * index + (step - bar) / 2;
      const stride = width < 560 ? 5 : 2;
      const label = (minuteCount - 1 - index) % stride === 0
        ? s("text", { class: "label", x: x + bar / 2, y: height - 6, "text-anchor": "middle" }, index === minuteCount - 1 ? "now" : formatShortTime(bucket.start))
        : null;
      const state = index === this.#focusedIndex ? "bar pointed" : index === minuteCount - 1 ? "bar current" : "bar";
      return s("g", { class: state }, this.#segments(bucket, x, bar, y), breakValue !== null && bucket.total > top ? brokenBarMark(x + bar / 2, margins.top, bar, bucket.total) : null, label);
    });
    const highlight = this.#focusedIndex >= 0
      ? s("rect", { class: "highlight", x: margins.left + step * this.#focusedIndex, y: margins.top, width: step, height: inner.height, rx: 4 })
      : null;
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("height", height);
    this.#svg.replaceChildren(...[gridNodes, highlight, bars].flat(2).filter(Boolean));
    this.#showTooltip(margins.left + step * (this.#focusedIndex + 0.5), width);
  }

  #segments(bucket, x, bar, y) {
    const baseline = y(0);
    if (bucket.total === 0) return [];
    if (!this.#stacked) return [s("path", { class: "fill c0", d: roundedBarPath(x, y(bucket.total), bar, baseline) })];
    let below = 0;
    const parts = [];
    const { colored } = this.#series();
    const ordered = [...colored.filter((name) => bucket.counts.has(name)).map((name) => [name, bucket.counts.get(name)])];
    const rest = bucket.total - ordered.reduce((sum, [, count]) => sum + count, 0);
    if (rest > 0) ordered.push([null, rest]);
    ordered.forEach(([name, count], index) => {
      const from = y(below);
      below += count;
      const to = y(below);
      const dimmed = this.#selected !== null && name !== this.#selected ? " dimmed" : "";
      const style = `fill ${name === null ? "cx" : eventColor(name)}${dimmed}`;
      const gap = from - to > 3 && index > 0 ? 1 : 0;
      parts.push(index === ordered.length - 1
        ? s("path", { class: style, d: roundedBarPath(x, to, bar, from - gap) })
        : s("rect", { class: style, x, y: to, width: bar, height: Math.max(0, from - to - gap) }));
    });
    return parts;
  }

  #showTooltip(x, width) {
    const peak = this.#buckets.reduce((best, bucket) => (bucket.total > best.total ? bucket : best));
    this.#svg.setAttribute("aria-label",
      `Events per minute over 15 minutes. Last full minute ${formatNumber(this.#buckets.at(-2).total)}, peak ${formatNumber(peak.total)} at ${formatDayAndTime(peak.start)}. Use the arrow keys to read individual minutes.`);
    const bucket = this.#buckets[this.#focusedIndex];
    this.#tooltip.hidden = bucket === undefined;
    if (!bucket) return;
    const lines = [...bucket.counts].sort((a, b) => b[1] - a[1]).slice(0, colorCount).map(([name, count]) =>
      h("li", {}, h("span", { class: `dot ${eventColor(name)}`, "aria-hidden": "true" }), h("span", { class: "tooltip-name" }, printable(name)), h("b", {}, formatNumber(count))));
    this.#tooltip.replaceChildren(h("p", {}, formatDayAndTime(bucket.start), h("b", {}, formatNumber(bucket.total))), h("ul", {}, lines));
    const onLeft = x > width / 2;
    this.#tooltip.style.left = onLeft ? "auto" : `${x + 14}px`;
    this.#tooltip.style.right = onLeft ? `${width - x + 14}px` : "auto";
  }
}

/** Returns the path of a bar with rounded top corners. */
function roundedBarPath(x, top, width, baseline) {
  const radius = Math.min(3, width / 2, Math.max(0, baseline - top));
  return `M${x} ${baseline}V${top + radius}q0 ${-radius} ${radius} ${-radius}h${width - 2 * radius}q${radius} 0 ${radius} ${radius}V${baseline}z`;
}
