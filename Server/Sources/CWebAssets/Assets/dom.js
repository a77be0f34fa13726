// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Creates nodes. Strings become text nodes or attribute values, never markup, because event contents are untrusted.

const svgNamespace = "http://www.w3.org/2000/svg";

/** Returns the element with this id. */
export const byId = (id) => document.getElementById(id);

/** Creates an HTML element with attributes, `on…` listeners, and children (nodes or strings; null is skipped). */
export function h(tag, attributes = {}, ...children) {
  return build(document.createElement(tag), attributes, children);
}

/** Creates an SVG element with the same parameters as `h`. */
export function s(tag, attributes = {}, ...children) {
  return build(document.createElementNS(svgNamespace, tag), attributes, children);
}

function build(node, attributes, children) {
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
