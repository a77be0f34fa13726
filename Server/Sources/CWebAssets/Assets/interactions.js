// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Interactions with interface elements: clicks and triggers.

import { h, s } from "./dom.js";
import { formatNumber, pluralize, printable, truncate } from "./format.js";

const maximumScreens = 8;
const maximumElements = 6;
const maximumNameLength = 60;

/** The attributes that `describeInteraction` describes, by event name. */
const describedKeys = {
  _click: ["_element_id", "_element_type", "_element_content", "_element_position"],
  _trigger: ["_trigger", "_element_id", "_element_type", "_trace", "_trigger_outcome"],
};

/** Returns a description of a click or a trigger and the remaining attributes; null for any other event. */
export function describeInteraction(event) {
  const keys = describedKeys[event.name];
  if (keys === undefined) return null;
  const attributes = event.attributes ?? {};
  const text = (key) => (typeof attributes[key] === "string" && attributes[key] !== "" ? printable(truncate(attributes[key], maximumNameLength)) : null);
  const element = text("_element_id") ?? text("_element_content") ?? text("_element_type");
  const kind = element === text("_element_type") ? null : text("_element_type");
  const position = text("_element_position");
  const nodes = [
    event.name === "_trigger" ? h("span", { class: "trigger-name" }, text("_trigger") ?? "–") : null,
    element ? h("b", { class: "element" }, element) : null,
    kind ? h("span", { class: "element-kind" }, kind) : null,
    position ? h("span", { class: "element-kind" }, position) : null,
    text("_trace") ? h("q", { class: "trace" }, text("_trace")) : null,
    text("_trigger_outcome") ? h("span", { class: "element-kind" }, text("_trigger_outcome")) : null,
  ];
  const rest = Object.fromEntries(Object.entries(attributes).filter(([key, value]) => !keys.includes(key) || typeof value !== "string"));
  return { nodes: nodes.filter((node) => node !== null), rest };
}

/** Draws each screen's elements with their clicks, starting with the screen that has the most clicks. */
export function clicksByScreen(elements, colors) {
  const screens = new Map();
  for (const element of elements) {
    const group = screens.get(element.screen) ?? { clicks: 0, elements: [] };
    group.clicks += element.clicks;
    group.elements.push(element);
    screens.set(element.screen, group);
  }
  if (screens.size === 0) return null;
  const maximum = Math.max(...elements.map((element) => element.clicks));
  const ranked = [...screens].sort(([, one], [, other]) => other.clicks - one.clicks).slice(0, maximumScreens);
  return h("div", { class: "clicks", "aria-label": "Elements by clicks" }, ranked.map(([screen, group]) => h("section", { class: "screen-clicks" },
    h("h3", {}, h("span", { class: `dot ${colors.of(screen)}`, "aria-hidden": "true" }), screen === "" ? "No screen" : printable(screen), h("span", { class: "screen-clicks-total" }, pluralize(group.clicks, "click"))),
    h("ol", {}, group.elements.slice(0, maximumElements).map((element) => row(element, maximum, colors.of(screen))),
      group.elements.length > maximumElements ? h("li", { class: "screen-clicks-more" }, `and ${pluralize(group.elements.length - maximumElements, "other element")}`) : null))));
}

function row(element, maximum, color) {
  const name = printable(truncate(element.element, maximumNameLength));
  const kind = element.type === undefined || element.type === element.element ? null : h("span", { class: "element-kind" }, printable(truncate(element.type, maximumNameLength)));
  return h("li", { title: `${pluralize(element.clicks, "click")} from ${pluralize(element.installations, "installation")}` },
    s("svg", { class: "row-bar", viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, s("rect", { class: `fill ${color}`, width: (100 * element.clicks) / maximum, height: 10 })),
    h("span", { class: "row-text" }, name, " ", kind),
    h("b", {}, formatNumber(element.clicks)));
}
