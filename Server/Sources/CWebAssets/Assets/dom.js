// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Building nodes. Strings only ever become text nodes or attribute values, never markup: what events contain is untrusted.

const svgSpace = "http://www.w3.org/2000/svg";

/** The element with this id. */
export const byId = (id) => document.getElementById(id);

/** An HTML element: attributes, `on…` listeners, and children (nodes, strings; null is left out). */
export function h(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
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

/** Sets text only when it differs, so that assistive technology is not told the same thing again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
