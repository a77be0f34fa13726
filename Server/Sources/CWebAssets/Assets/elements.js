// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Interface elements: clicks and triggers.

import { h, s } from "./dom.js";
import { counted, cut, number, printable } from "./format.js";

const mostScreens = 8;
const mostElements = 6;
const longestName = 60;

/** The attributes that `told` puts into words, by event. */
const words = {
  _click: ["_element_id", "_element_type", "_element_content", "_element_position"],
  _trigger: ["_trigger", "_element_id", "_element_type", "_trace", "_trigger_outcome"],
};

/** Describes a click or a trigger, with the remaining attributes; null for any other event. */
export function told(event) {
  const said = words[event.name];
  if (said === undefined) return null;
  const attributes = event.attributes ?? {};
  const text = (key) => (typeof attributes[key] === "string" && attributes[key] !== "" ? printable(cut(attributes[key], longestName)) : null);
  const element = text("_element_id") ?? text("_element_content") ?? text("_element_type");
  const kind = element === text("_element_type") ? null : text("_element_type");
  const position = text("_element_position");
  const nodes = [
    event.name === "_trigger" ? h("span", { class: "happened" }, text("_trigger") ?? "–") : null,
    element ? h("b", { class: "element" }, element) : null,
    kind ? h("span", { class: "element-kind" }, kind) : null,
    position ? h("span", { class: "element-kind" }, position) : null,
    text("_trace") ? h("q", { class: "trace" }, text("_trace")) : null,
    text("_trigger_outcome") ? h("span", { class: "element-kind" }, text("_trigger_outcome")) : null,
  ];
  const rest = Object.fromEntries(Object.entries(attributes).filter(([key, value]) => !said.includes(key) || typeof value !== "string"));
  return { nodes: nodes.filter((node) => node !== null), rest };
}

/** Draws the elements of each screen by clicks, the screen with the most clicks first. */
export function clicked(elements, colours) {
  const screens = new Map();
  for (const element of elements) {
    const known = screens.get(element.screen) ?? { clicks: 0, elements: [] };
    known.clicks += element.clicks;
    known.elements.push(element);
    screens.set(element.screen, known);
  }
  if (screens.size === 0) return null;
  const most = Math.max(...elements.map((element) => element.clicks));
  const ranked = [...screens].sort(([, one], [, other]) => other.clicks - one.clicks).slice(0, mostScreens);
  return h("div", { class: "clicks", "aria-label": "Elements by clicks" }, ranked.map(([screen, known]) => h("section", { class: "clicked" },
    h("h3", {}, h("span", { class: `dot ${colours.of(screen)}`, "aria-hidden": "true" }), screen === "" ? "No screen" : printable(screen), h("span", { class: "clicked-sum" }, counted(known.clicks, "click"))),
    h("ol", {}, known.elements.slice(0, mostElements).map((element) => row(element, most, colours.of(screen))),
      known.elements.length > mostElements ? h("li", { class: "clicked-more" }, `and ${counted(known.elements.length - mostElements, "other element")}`) : null))));
}

function row(element, most, colour) {
  const name = printable(cut(element.element, longestName));
  const kind = element.type === undefined || element.type === element.element ? null : h("span", { class: "element-kind" }, printable(cut(element.type, longestName)));
  return h("li", { title: `${counted(element.clicks, "click")} from ${counted(element.installations, "installation")}` },
    s("svg", { class: "step-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: `fill ${colour}`, width: (100 * element.clicks) / most, height: 10 })),
    h("span", { class: "step-text" }, name, " ", kind),
    h("b", {}, number(element.clicks)));
}
