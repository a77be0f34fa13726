// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Creates nodes. Strings become only text nodes or attribute values, never markup, because event contents are untrusted.

const svgSpace = "http://www.w3.org/2000/svg";

/** Returns the element with this id. */
export const byId = (id) => document.getElementById(id);

/** Creates an HTML element with attributes, `on…` listeners, and children (nodes, strings; null is skipped). */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** Creates an SVG element in the same way. */
export function s(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(svgSpace, tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children.flat()) {
    if (child === null || child === undefined || child === false) continue;
    node.append(child);
  }
  return node;
}

/** Sets text only if it differs, so that assistive technology does not announce the same text again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
