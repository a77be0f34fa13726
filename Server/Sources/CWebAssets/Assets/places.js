// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The device's locations: points on a plane with equal scale on both axes. No map is used, so no request goes to another server.

import { h, s } from "./dom.js";
import { counted, dateAndClock } from "./format.js";
import { coordinates, distance, isPlace, project, reach, roundBelow } from "./metres.js";

const height = 300;
const edge = 26;
/** The minimum extent shown, in meters, because a location is never exact. */
const leastGround = 40;
/** The newest accuracy circle may take up to this many times the extent of the points. */
const mostRoom = 4;

/** The panel. `pointing` as in `States`. */
export class Places {
  #pointing;
  /** The states with a location: {index, x, y, accuracy, place}. */
  #points = [];
  #pointed = -1;
  #spots = [];
  #note = h("p", { class: "panel-note" });
  #svg = s("svg", { class: "plot-svg places-svg", role: "img", focusable: "false" });
  #mark = s("g", { class: "place-mark" });
  #box = h("div", { class: "places-box" }, this.#svg);
  #empty = h("p", { class: "nothing" }, "No locations reported. An app records locations only with the user's permission.");

  node = h("section", { class: "panel places", "aria-label": "Locations" },
    h("header", { class: "panel-head" }, h("h2", {}, "Locations"), this.#note), this.#box, this.#empty);

  constructor(pointing) {
    this.#pointing = pointing;
    new ResizeObserver(() => this.#draw()).observe(this.#box);
    this.#svg.addEventListener("pointermove", (event) => this.#pointing.pass(this.#nearest(event)));
    this.#svg.addEventListener("pointerleave", () => this.#pointing.pass(null));
    this.#svg.addEventListener("click", (event) => {
      const index = this.#nearest(event);
      if (index !== null) this.#pointing.pin(index);
    });
  }

  /** Shows the states, oldest first. */
  show(states) {
    const known = states.map((state, index) => ({ index, state })).filter(({ state }) => isPlace(state.location));
    this.node.hidden = states.length === 0;
    this.#box.hidden = known.length === 0;
    this.#empty.hidden = known.length > 0;
    this.#note.textContent = "";
    this.#points = [];
    if (known.length === 0) return;
    const locations = known.map(({ state }) => state.location);
    this.#points = project(locations, locations.at(-1)).map((point, at) => {
      const accuracy = locations[at].horizontal_accuracy;
      return { ...point, index: known[at].index, place: locations[at], accuracy: Number.isFinite(accuracy) && accuracy > 0 ? accuracy : 0 };
    });
    const extent = reach(this.#points);
    this.#note.textContent = known.length === 1 ? "1 location" : `${counted(known.length, "location")} ${extent < 1 ? "at one place" : `within ${distance(extent)}`}`;
    this.#svg.setAttribute("aria-label", `${this.#note.textContent}; the newest at ${coordinates(locations.at(-1))}, reported ${dateAndClock(known.at(-1).state.at).slice(0, 16)}. The table of states lists all.`);
    this.#draw();
  }

  /** Marks the location of a state, or the last location known by then. */
  point(index) {
    this.#pointed = index;
    this.#drawMark();
  }

  #nearest(event) {
    let best = null;
    for (const spot of this.#spots) {
      const far = Math.hypot(spot.x - event.offsetX, spot.y - event.offsetY);
      if (far < 32 && far <= (best?.far ?? Infinity)) best = { far, index: spot.index };
    }
    return best?.index ?? null;
  }

  #draw() {
    const width = this.#box.clientWidth;
    if (width === 0 || this.#points.length === 0) return;
    const view = fit(this.#points, width);
    this.#spots = this.#points.map((point) => ({ ...point, ...view.place(point), radius: point.accuracy * view.scale }));
    const newest = this.#spots.at(-1);
    // A stationary device reports the same circle repeatedly: draw it once.
    const seen = new Map(this.#spots.slice(0, -1).filter((spot) => spot.radius > 3).map((spot) => [`${Math.round(spot.x)} ${Math.round(spot.y)} ${Math.round(spot.radius)}`, spot]));
    const circles = [...seen.values()].map((spot) => s("circle", { class: "place-circle", cx: spot.x, cy: spot.y, r: spot.radius }));
    const dots = this.#spots.slice(0, -1).map((spot, at) => s("circle", { class: "place-dot", cx: spot.x, cy: spot.y, r: 3, opacity: (0.35 + (0.5 * at) / this.#spots.length).toFixed(2) }));
    const isAtRight = newest.x > width - 80;
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("height", height);
    this.#svg.replaceChildren(...[
      grid(view, width),
      circles,
      s("circle", { class: "place-circle newest", cx: newest.x, cy: newest.y, r: newest.radius }),
      s("polyline", { class: "place-way", points: this.#spots.map((spot) => `${spot.x.toFixed(1)},${spot.y.toFixed(1)}`).join(" ") }),
      dots,
      s("circle", { class: "place-newest", cx: newest.x, cy: newest.y, r: 6 }),
      s("text", { class: "label strong haloed", x: newest.x + (isAtRight ? -12 : 12), y: newest.y + 4, "text-anchor": isAtRight ? "end" : "start" }, "newest"),
      this.#mark,
    ].flat(2));
    this.#drawMark();
  }

  #drawMark() {
    const spot = this.#spots.findLast((candidate) => candidate.index <= this.#pointed);
    const isNewest = spot === this.#spots.at(-1);
    this.#mark.replaceChildren(...(spot && !isNewest
      ? [s("circle", { class: "place-circle pointed", cx: spot.x, cy: spot.y, r: spot.radius }), s("circle", { class: "place-pointed", cx: spot.x, cy: spot.y, r: 6 })]
      : []));
  }
}

/** Fits the plot to every point, and to the newest accuracy circle unless it is far larger than their extent. */
function fit(points, width) {
  const newest = points.at(-1);
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const extent = reach(points);
  const room = extent < leastGround ? newest.accuracy : Math.min(newest.accuracy, mostRoom * extent);
  const [left, right] = [Math.min(...xs, newest.x - room), Math.max(...xs, newest.x + room)];
  const [low, high] = [Math.min(...ys, newest.y - room), Math.max(...ys, newest.y + room)];
  const scale = Math.min((width - 2 * edge) / Math.max(leastGround, right - left), (height - 2 * edge) / Math.max(leastGround, high - low));
  const middle = { x: (left + right) / 2, y: (low + high) / 2 };
  return { scale, middle, place: ({ x, y }) => ({ x: width / 2 + (x - middle.x) * scale, y: height / 2 - (y - middle.y) * scale }) };
}

/** Draws lines at round distances, a scale bar, and the direction of north. */
function grid(view, width) {
  const step = roundBelow(Math.max(1, Math.min(width, height) / 3.2 / view.scale));
  const size = step * view.scale;
  const lines = [];
  for (let x = width / 2 - Math.floor(width / 2 / size) * size; x < width; x += size) lines.push(`M${x.toFixed(1)} 0V${height}`);
  for (let y = height / 2 - Math.floor(height / 2 / size) * size; y < height; y += size) lines.push(`M0 ${y.toFixed(1)}H${width}`);
  return [
    s("path", { class: "grid", d: lines.join("") }),
    s("path", { class: "scale-bar", d: `M14 ${height - 18}v5h${size}v-5` }),
    s("text", { class: "label haloed", x: 20 + size, y: height - 11 }, distance(step)),
    s("path", { class: "north", d: `M${width - 20} 12l5 13-5-3-5 3z` }),
    s("text", { class: "label haloed", x: width - 20, y: 38, "text-anchor": "middle" }, "N"),
  ];
}
