// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The device's locations: points on a plane with the same scale on both axes. No map is used, so no request goes to
// another server.

import { diagonal, floorToRound, formatCoordinates, formatDistance, isValidLocation, projectToMeters } from "./distance.js";
import { h, s } from "./dom.js";
import { formatDateTime, pluralize } from "./format.js";

const height = 300;
const margin = 26;
/** The minimum extent of the plot in meters, because locations are never exact. */
const minimumExtent = 40;
/** The maximum ratio of the newest accuracy circle's size to the extent of the points. */
const maximumAccuracyRatio = 4;

/** The panel with the plot. `selection` is the same as in `StateTimeline`. */
export class LocationPlot {
  #selection;
  /** The states with a location: {index, x, y, accuracy, location}. */
  #points = [];
  #selectedIndex = -1;
  #screenPoints = [];
  #note = h("p", { class: "panel-note" });
  #svg = s("svg", { class: "plot-svg location-svg", role: "img", focusable: "false" });
  #marker = s("g", { class: "location-marker" });
  #box = h("div", { class: "location-box" }, this.#svg);
  #empty = h("p", { class: "empty-note" }, "No locations reported. An app records locations only with the user's permission.");

  node = h("section", { class: "panel locations", "aria-label": "Locations" },
    h("header", { class: "panel-head" }, h("h2", {}, "Locations"), this.#note), this.#box, this.#empty);

  constructor(selection) {
    this.#selection = selection;
    new ResizeObserver(() => this.#render()).observe(this.#box);
    this.#svg.addEventListener("pointermove", (event) => this.#selection.preview(this.#nearest(event)));
    this.#svg.addEventListener("pointerleave", () => this.#selection.preview(null));
    this.#svg.addEventListener("click", (event) => {
      const index = this.#nearest(event);
      if (index !== null) this.#selection.pin(index);
    });
  }

  /** Shows the states, oldest first. */
  show(states) {
    const known = states.map((state, index) => ({ index, state })).filter(({ state }) => isValidLocation(state.location));
    this.node.hidden = states.length === 0;
    this.#box.hidden = known.length === 0;
    this.#empty.hidden = known.length > 0;
    this.#note.textContent = "";
    this.#points = [];
    if (known.length === 0) return;
    const locations = known.map(({ state }) => state.location);
    this.#points = projectToMeters(locations, locations.at(-1)).map((point, position) => {
      const accuracy = locations[position].horizontal_accuracy;
      return { ...point, index: known[position].index, location: locations[position], accuracy: Number.isFinite(accuracy) && accuracy > 0 ? accuracy : 0 };
    });
    const extent = diagonal(this.#points);
    this.#note.textContent = known.length === 1 ? "1 location" : `${pluralize(known.length, "location")} ${extent < 1 ? "in the same place" : `within ${formatDistance(extent)}`}`;
    this.#svg.setAttribute("aria-label", `${this.#note.textContent}; the newest at ${formatCoordinates(locations.at(-1))}, reported ${formatDateTime(known.at(-1).state.at).slice(0, 16)}. The table of states lists all locations.`);
    this.#render();
  }

  /** Marks the location of a state, or the last location known at that time. */
  markState(index) {
    this.#selectedIndex = index;
    this.#drawMark();
  }

  #nearest(event) {
    let nearest = null;
    for (const screenPoint of this.#screenPoints) {
      const distance = Math.hypot(screenPoint.x - event.offsetX, screenPoint.y - event.offsetY);
      if (distance < 32 && distance <= (nearest?.far ?? Infinity)) nearest = { far: distance, index: screenPoint.index };
    }
    return nearest?.index ?? null;
  }

  #render() {
    const width = this.#box.clientWidth;
    if (width === 0 || this.#points.length === 0) return;
    const view = fitView(this.#points, width);
    this.#screenPoints = this.#points.map((point) => ({ ...point, ...view.toScreen(point), radius: point.accuracy * view.scale }));
    const newest = this.#screenPoints.at(-1);
    // A stationary device reports the same circle repeatedly, so draw each circle once.
    const seen = new Map(this.#screenPoints.slice(0, -1).filter((screenPoint) => screenPoint.radius > 3).map((screenPoint) => [`${Math.round(screenPoint.x)} ${Math.round(screenPoint.y)} ${Math.round(screenPoint.radius)}`, screenPoint]));
    const circles = [...seen.values()].map((screenPoint) => s("circle", { class: "location-circle", cx: screenPoint.x, cy: screenPoint.y, r: screenPoint.radius }));
    const dots = this.#screenPoints.slice(0, -1).map((screenPoint, position) => s("circle", { class: "location-dot", cx: screenPoint.x, cy: screenPoint.y, r: 3, opacity: (0.35 + (0.5 * position) / this.#screenPoints.length).toFixed(2) }));
    const isAtRight = newest.x > width - 80;
    this.#svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.#svg.setAttribute("height", height);
    this.#svg.replaceChildren(...[
      gridNodes(view, width),
      circles,
      s("circle", { class: "location-circle newest", cx: newest.x, cy: newest.y, r: newest.radius }),
      s("polyline", { class: "location-path", points: this.#screenPoints.map((screenPoint) => `${screenPoint.x.toFixed(1)},${screenPoint.y.toFixed(1)}`).join(" ") }),
      dots,
      s("circle", { class: "location-newest", cx: newest.x, cy: newest.y, r: 6 }),
      s("text", { class: "label strong haloed", x: newest.x + (isAtRight ? -12 : 12), y: newest.y + 4, "text-anchor": isAtRight ? "end" : "start" }, "newest"),
      this.#marker,
    ].flat(2));
    this.#drawMark();
  }

  #drawMark() {
    const screenPoint = this.#screenPoints.findLast((candidate) => candidate.index <= this.#selectedIndex);
    const isNewest = screenPoint === this.#screenPoints.at(-1);
    this.#marker.replaceChildren(...(screenPoint && !isNewest
      ? [s("circle", { class: "location-circle selected", cx: screenPoint.x, cy: screenPoint.y, r: screenPoint.radius }), s("circle", { class: "location-selected", cx: screenPoint.x, cy: screenPoint.y, r: 6 })]
      : []));
  }
}

/**
 * Fits the plot to every point, and to the newest accuracy circle unless the circle is far larger than the extent of
 * the points.
 */
function fitView(points, width) {
  const newest = points.at(-1);
  const xs = points.map((point) => point.x);
  const ys = points.map((point) => point.y);
  const extent = diagonal(points);
  const accuracyMargin = extent < minimumExtent ? newest.accuracy : Math.min(newest.accuracy, maximumAccuracyRatio * extent);
  const [left, right] = [Math.min(...xs, newest.x - accuracyMargin), Math.max(...xs, newest.x + accuracyMargin)];
  const [low, high] = [Math.min(...ys, newest.y - accuracyMargin), Math.max(...ys, newest.y + accuracyMargin)];
  const scale = Math.min((width - 2 * margin) / Math.max(minimumExtent, right - left), (height - 2 * margin) / Math.max(minimumExtent, high - low));
  const middle = { x: (left + right) / 2, y: (low + high) / 2 };
  return { scale, middle, toScreen: ({ x, y }) => ({ x: width / 2 + (x - middle.x) * scale, y: height / 2 - (y - middle.y) * scale }) };
}

/** Draws lines at round distances, a scale bar, and the direction of north. */
function gridNodes(view, width) {
  const step = floorToRound(Math.max(1, Math.min(width, height) / 3.2 / view.scale));
  const size = step * view.scale;
  const lines = [];
  for (let x = width / 2 - Math.floor(width / 2 / size) * size; x < width; x += size) lines.push(`M${x.toFixed(1)} 0V${height}`);
  for (let y = height / 2 - Math.floor(height / 2 / size) * size; y < height; y += size) lines.push(`M0 ${y.toFixed(1)}H${width}`);
  return [
    s("path", { class: "grid", d: lines.join("") }),
    s("path", { class: "scale-bar", d: `M14 ${height - 18}v5h${size}v-5` }),
    s("text", { class: "label haloed", x: 20 + size, y: height - 11 }, formatDistance(step)),
    s("path", { class: "north", d: `M${width - 20} 12l5 13-5-3-5 3z` }),
    s("text", { class: "label haloed", x: width - 20, y: 38, "text-anchor": "middle" }, "N"),
  ];
}
