// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The app's states over time: the battery level as a line, and other values as strips below it.

import { batteryPlot } from "./battery.js";
import { h, s } from "./dom.js";
import { clock, counted, dateAndClock, minute, number, span } from "./format.js";
import { momentLine } from "./moment.js";
import { ScreenColours } from "./screens.js";
import { strip, stripsOf } from "./strips.js";
import { TimeScale } from "./timescale.js";

const batteryHeight = 118;
const stripHeight = 22;
const edge = { top: 10, right: 14, bottom: 26 };
/** Below this width, a strip's name is drawn above it. */
const roomy = 640;

/**
 * The panel. `pointing.pass(index)` is called while the pointer is over a state (null when it leaves), `pointing.pin(index)` on a click.
 */
export class States {
  #pointing;
  #states = [];
  #pointed = -1;
  #scale = null;
  #colours = new ScreenColours();
  #note = h("p", { class: "panel-note" });
  #svg = s("svg", { class: "plot-svg states-svg", tabindex: "0", role: "slider", focusable: "true", "aria-label": "State of the app", "aria-orientation": "horizontal" });
  #cursor = s("g", { class: "cursor" });
  #box = h("div", { class: "states-box" }, this.#svg);
  #empty = h("p", { class: "nothing" }, "No states yet. Snapshots of the app state are taken while the app is visible, and appear here.");

  node = h("section", { class: "panel states", "aria-label": "App states" },
    h("header", { class: "panel-head" }, h("h2", {}, "App state"), this.#note, legend()), this.#box, this.#empty);

  constructor(pointing) {
    this.#pointing = pointing;
    new ResizeObserver(() => this.#draw()).observe(this.#box);
    this.#svg.addEventListener("pointermove", (event) => this.#pointing.pass(this.#nearest(event.offsetX)));
    this.#svg.addEventListener("pointerleave", () => this.#pointing.pass(null));
    this.#svg.addEventListener("click", (event) => this.#pointing.pin(this.#nearest(event.offsetX)));
    this.#svg.addEventListener("keydown", (event) => {
      const last = this.#states.length - 1;
      const to = { ArrowLeft: this.#pointed - 1, ArrowDown: this.#pointed - 1, ArrowRight: this.#pointed + 1, ArrowUp: this.#pointed + 1, PageDown: this.#pointed - 10, PageUp: this.#pointed + 10, Home: 0, End: last }[event.key];
      if (to === undefined) return;
      event.preventDefault();
      this.#pointing.pin(Math.min(last, Math.max(0, to)));
    });
  }

  /** Shows the states, oldest first, and the collector's total, if known. */
  show(states, total) {
    this.#states = states;
    this.#box.hidden = states.length === 0;
    this.#empty.hidden = states.length > 0;
    if (states.length === 0) {
      this.#note.textContent = "";
      return;
    }
    const shown = total !== null && total > states.length ? `the latest ${number(states.length)} of ${number(total)} states` : counted(states.length, "state");
    this.#note.textContent = states.length > 1 ? `${shown} over ${span(states.at(-1).at - states[0].at)}` : shown;
    const counts = new Map();
    for (const { screen } of states) if (screen) counts.set(screen, (counts.get(screen) ?? 0) + 1);
    this.#colours.assign([...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a)));
    this.#draw();
  }

  /** Marks a state. */
  point(index) {
    this.#pointed = index;
    this.#mark();
  }

  #nearest(x) {
    if (this.#scale === null) return null;
    let best = 0;
    this.#states.forEach((state, index) => {
      if (Math.abs(this.#scale.x(state.at) - x) <= Math.abs(this.#scale.x(this.#states[best].at) - x)) best = index;
    });
    return best;
  }

  #draw() {
    const width = this.#box.clientWidth;
    if (width === 0 || this.#states.length === 0) return;
    const isRoomy = width >= roomy;
    const left = isRoomy ? 108 : 46;
    this.#scale = new TimeScale(this.#states.map((state) => state.at), left, width - edge.right);
    const strips = stripsOf(this.#states, this.#colours);
    const nodes = [];
    let y = edge.top;
    const hasBattery = this.#states.some((state) => Number.isFinite(state.battery_level) || state.battery_state);
    if (hasBattery) {
      if (isRoomy) nodes.push(s("text", { class: "label strong", x: 14, y: y + batteryHeight / 4 + 4 }, "Battery"));
      nodes.push(batteryPlot(this.#states, this.#scale, { left, right: width - edge.right, top: y, height: batteryHeight }));
      y += batteryHeight + 14;
    }
    for (const found of strips) {
      if (!isRoomy) y += 16;
      nodes.push(s("text", { class: "label strong", x: isRoomy ? 14 : left, y: isRoomy ? y + 15 : y - 5 }, found.name));
      nodes.push(strip(found, this.#scale, { left, right: width - edge.right, top: y, height: stripHeight }));
      y += stripHeight + 7;
    }
    const height = y + edge.bottom;
    nodes.push(this.#axis(y + 2, height - 6));
    const folds = this.#scale.folds.map((fold) => s("g", { class: "fold" },
      s("title", {}, `No data for ${span(fold.to - fold.from)}`),
      s("rect", { x: fold.left, y: edge.top, width: fold.right - fold.left, height: y - edge.top }),
      s("path", { d: `M${(fold.left + fold.right) / 2} ${edge.top}V${y}` })));
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("height", height);
    this.#cursor.dataset.foot = y;
    this.#svg.replaceChildren(...folds, ...nodes.flat(3).filter(Boolean), this.#cursor);
    this.#mark();
  }

  /** Draws a mark for every snapshot, and the times. */
  #axis(top, baseline) {
    const spansDays = new Date(this.#states[0].at).toDateString() !== new Date(this.#states.at(-1).at).toDateString();
    const isShort = this.#states.at(-1).at - this.#states[0].at < 600_000;
    const word = ({ time, isFirst }) => (spansDays && isFirst ? dateAndClock(time).slice(5, 16) : isShort ? clock(time).slice(0, 8) : minute(time));
    const right = this.#box.clientWidth - edge.right;
    return [
      s("path", { class: "rug", d: this.#states.map((state) => `M${this.#scale.x(state.at)} ${top}v5`).join("") }),
      this.#scale.ticks(spansDays ? 84 : isShort ? 64 : 48).map((tick) =>
        s("text", { class: "label", x: Math.min(tick.x, right - 60), y: baseline, "text-anchor": tick.isFirst ? "start" : "middle" }, word(tick))),
    ];
  }

  #mark() {
    const state = this.#states[this.#pointed];
    if (!state || this.#scale === null) return;
    const x = this.#scale.x(state.at);
    this.#cursor.replaceChildren(s("path", { d: `M${x} ${edge.top - 4}V${Number(this.#cursor.dataset.foot) + 7}` }));
    const values = { "aria-valuemin": 1, "aria-valuemax": this.#states.length, "aria-valuenow": this.#pointed + 1, "aria-valuetext": momentLine(state) };
    for (const [name, value] of Object.entries(values)) this.#svg.setAttribute(name, value);
  }
}

const keys = { active: "active", inactive: "inactive", background: "background", charging: "charging", full: "full", silent: "no data" };
const legend = () => h("ul", { class: "line-keys states-keys" }, Object.entries(keys).map(([key, text]) => h("li", { class: `key-${key}` }, text)));
