// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The app's states over time: the battery level as a line, and other values as strips below it.

import { batteryPlot } from "./battery-plot.js";
import { h, s } from "./dom.js";
import { formatDay, formatLongDuration, formatNumber, formatShortTime, formatTime, pluralize } from "./format.js";
import { ScreenColors } from "./screens.js";
import { stateSummary } from "./state-details.js";
import { drawStrip, stateStrips } from "./state-strips.js";
import { TimeScale } from "./time-scale.js";

const batteryHeight = 118;
const stripHeight = 22;
const margins = { top: 10, right: 14, bottom: 26 };
/** The width below which a strip's name is drawn above the strip. */
const wideLayoutWidth = 640;
/** The width of a character in a label, rounded up. */
const characterWidth = 6.4;

/**
 * The panel with the timeline. `selection.preview(index)` is called when the pointer is over a state (with null when
 * the pointer leaves the plot); `selection.pin(index)`, when a state is clicked.
 */
export class StateTimeline {
  #selection;
  #states = [];
  #selectedIndex = -1;
  #scale = null;
  #colors = new ScreenColors();
  #note = h("p", { class: "panel-note" });
  #svg = s("svg", { class: "plot-svg state-timeline-svg", tabindex: "0", role: "slider", focusable: "true", "aria-label": "State of the app", "aria-orientation": "horizontal" });
  #cursor = s("g", { class: "cursor" });
  #box = h("div", { class: "state-timeline-box" }, this.#svg);
  #empty = h("p", { class: "empty-note" }, "No states yet. Snapshots of the app state are taken while the app is visible, and appear here.");

  node = h("section", { class: "panel state-timeline", "aria-label": "App states" },
    h("header", { class: "panel-head" }, h("h2", {}, "App state"), this.#note, legendList()), this.#box, this.#empty);

  constructor(selection) {
    this.#selection = selection;
    new ResizeObserver(() => this.#render()).observe(this.#box);
    this.#svg.addEventListener("pointermove", (event) => this.#selection.preview(this.#nearest(event.offsetX)));
    this.#svg.addEventListener("pointerleave", () => this.#selection.preview(null));
    this.#svg.addEventListener("click", (event) => this.#selection.pin(this.#nearest(event.offsetX)));
    this.#svg.addEventListener("keydown", (event) => {
      const last = this.#states.length - 1;
      const to = { ArrowLeft: this.#selectedIndex - 1, ArrowDown: this.#selectedIndex - 1, ArrowRight: this.#selectedIndex + 1, ArrowUp: this.#selectedIndex + 1, PageDown: this.#selectedIndex - 10, PageUp: this.#selectedIndex + 10, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.#selection.pin(Math.min(last, Math.max(0, to)));
    });
  }

  /** Shows the states, oldest first, and the collector's total number of states, if known. */
  show(states, total) {
    this.#states = states;
    this.#box.hidden = states.length === 0;
    this.#empty.hidden = states.length > 0;
    if (states.length === 0) {
      this.#note.textContent = "";
      return;
    }
    const shown = total !== null && total > states.length ? `the latest ${formatNumber(states.length)} of ${formatNumber(total)} states` : pluralize(states.length, "state");
    this.#note.textContent = states.length > 1 ? `${shown} over ${formatLongDuration(states.at(-1).at - states[0].at)}` : shown;
    const counts = new Map();
    for (const { screen } of states) if (screen) counts.set(screen, (counts.get(screen) ?? 0) + 1);
    this.#colors.assign([...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)));
    this.#render();
  }

  /** Marks a state on the timeline. */
  markState(index) {
    this.#selectedIndex = index;
    this.#drawCursor();
  }

  #nearest(x) {
    if (this.#scale === null) return null;
    let nearest = 0;
    this.#states.forEach((state, index) => {
      if (Math.abs(this.#scale.x(state.at) - x) <= Math.abs(this.#scale.x(this.#states[nearest].at) - x)) nearest = index;
    });
    return nearest;
  }

  #render() {
    const width = this.#box.clientWidth;
    if (width === 0 || this.#states.length === 0) return;
    const isWide = width >= wideLayoutWidth;
    const left = isWide ? 108 : 46;
    this.#scale = new TimeScale(this.#states.map((state) => state.at), left, width - margins.right);
    const strips = stateStrips(this.#states, this.#colors);
    const nodes = [];
    let y = margins.top;
    const hasBattery = this.#states.some((state) => Number.isFinite(state.battery_level) || state.battery_state);
    if (hasBattery) {
      if (isWide) nodes.push(s("text", { class: "label strong", x: 14, y: y + batteryHeight / 4 + 4 }, "Battery"));
      nodes.push(batteryPlot(this.#states, this.#scale, { left, right: width - margins.right, top: y, height: batteryHeight }));
      y += batteryHeight + 14;
    }
    for (const stripData of strips) {
      if (!isWide) y += 16;
      nodes.push(s("text", { class: "label strong", x: isWide ? 14 : left, y: isWide ? y + 15 : y - 5 }, stripData.name));
      nodes.push(drawStrip(stripData, this.#scale, { left, right: width - margins.right, top: y, height: stripHeight }));
      y += stripHeight + 7;
    }
    const height = y + margins.bottom;
    nodes.push(this.#axis(y + 2, height - 6));
    const folds = this.#scale.folds.map((fold) => s("g", { class: "fold" },
      s("title", {}, `No data for ${formatLongDuration(fold.to - fold.from)}`),
      s("rect", { x: fold.left, y: margins.top, width: fold.right - fold.left, height: y - margins.top }),
      s("path", { d: `M${(fold.left + fold.right) / 2} ${margins.top}V${y}` })));
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("height", height);
    this.#cursor.dataset.bottom = y;
    this.#svg.replaceChildren(...folds, ...nodes.flat(3).filter(Boolean), this.#cursor);
    this.#drawCursor();
  }

  /** Draws a mark for every snapshot, and the time labels. */
  #axis(top, baseline) {
    const spansDays = new Date(this.#states[0].at).toDateString() !== new Date(this.#states.at(-1).at).toDateString();
    const isShort = this.#states.at(-1).at - this.#states[0].at < 600_000;
    const tickText = ({ time, isFirst }, index) => {
      const text = isShort ? formatTime(time).slice(0, 8) : formatShortTime(time);
      return index === 0 || (spansDays && isFirst) ? `${formatDay(time)} ${text}` : text;
    };
    const right = this.#box.clientWidth - margins.right;
    return [
      s("path", { class: "rug", d: this.#states.map((state) => `M${this.#scale.x(state.at)} ${top}v5`).join("") }),
      this.#scale.ticks(isShort ? 108 : 96).map((tick, index) => {
        const text = tickText(tick, index);
        const x = Math.min(tick.x, right - (tick.isFirst ? 1 : 0.5) * characterWidth * text.length);
        return s("text", { class: "label", x, y: baseline, "text-anchor": tick.isFirst ? "start" : "middle" }, text);
      }),
    ];
  }

  #drawCursor() {
    const state = this.#states[this.#selectedIndex];
    if (!state || this.#scale === null) return;
    const x = this.#scale.x(state.at);
    this.#cursor.replaceChildren(s("path", { d: `M${x} ${margins.top - 4}V${Number(this.#cursor.dataset.bottom) + 7}` }));
    const values = { "aria-valuemin": 1, "aria-valuemax": this.#states.length, "aria-valuenow": this.#selectedIndex + 1, "aria-valuetext": stateSummary(state) };
    for (const [name, value] of Object.entries(values)) this.#svg.setAttribute(name, value);
  }
}

const legendTexts = { active: "active", inactive: "inactive", background: "background", charging: "charging", full: "full", silent: "no data" };
const legendList = () => h("ul", { class: "swatches state-swatches" }, Object.entries(legendTexts).map(([key, text]) => h("li", { class: `swatch-${key}` }, text)));
