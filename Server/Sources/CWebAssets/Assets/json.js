// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Parses JSON exactly: numbers keep their digits (JSON.parse rounds numbers beyond 2^53), and keys keep their order and
// may repeat.

import { h } from "./dom.js";

const maximumDepth = 128;

/**
 * Parses JSON like JSON.parse, but returns integers beyond 2^53 as their digits in browsers that pass the source text
 * to the reviver.
 */
export const parseKeepingDigits = (text) =>
  JSON.parse(text, (_, value, context) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && context?.source ? context.source : value);

/** Parses JSON into nodes {kind, text | items | members}. Throws SyntaxError. */
export function parseExact(text) {
  const tokens = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))\s*/gy;
  let token = null;
  const fail = () => new SyntaxError("not JSON");
  const next = () => {
    const start = tokens.lastIndex;
    token = tokens.exec(text);
    if (token === null && start < text.length) throw fail();
  };
  const expect = (mark) => {
    if (token?.[1] !== mark) throw fail();
    next();
  };
  const list = (close, read) => {
    const found = [];
    next();
    if (token?.[1] === close) {
      next();
      return found;
    }
    for (;;) {
      found.push(read());
      if (token?.[1] !== ",") break;
      next();
    }
    expect(close);
    return found;
  };
  const value = (depth) => {
    if (token === null || depth > maximumDepth) throw fail();
    if (token[1] === "{") {
      const members = list("}", () => {
        if (!token?.[2]) throw fail();
        const key = token[2];
        next();
        expect(":");
        return [key, value(depth + 1)];
      });
      return { kind: "object", members };
    }
    if (token[1] === "[") return { kind: "array", items: list("]", () => value(depth + 1)) };
    if (token[1]) throw fail();
    const node = token[2]
      ? { kind: "string", text: token[2] }
      : token[3]
        ? { kind: "number", text: token[3] }
        : { kind: "word", text: token[4] };
    next();
    return node;
  };
  next();
  const root = value(0);
  if (token !== null) throw fail();
  return root;
}

/** Returns the value of an object node's member, or undefined. */
export function member(node, key) {
  return node?.members?.find(([quoted]) => quoted === JSON.stringify(key))?.[1];
}

/** Formats the node as indented text. */
export function pretty(node, indent = "") {
  const inner = `${indent}  `;
  if (node.kind === "object") {
    if (node.members.length === 0) return "{}";
    return `{\n${node.members.map(([key, value]) => `${inner}${key}: ${pretty(value, inner)}`).join(",\n")}\n${indent}}`;
  }
  if (node.kind === "array") {
    if (node.items.length === 0) return "[]";
    return `[\n${node.items.map((item) => inner + pretty(item, inner)).join(",\n")}\n${indent}]`;
  }
  return node.text;
}

/** Creates a syntax-colored <pre> for the node. */
export function highlightedBlock(node) {
  const pre = h("pre", { class: "json", tabindex: "0" });
  appendHighlighted(node, "", pre);
  return pre;
}

function appendHighlighted(node, indent, target) {
  const inner = `${indent}  `;
  const children = node.members ?? node.items;
  if (!children) {
    target.append(h("span", { class: `json-${node.kind}` }, node.text));
    return;
  }
  const [open, close] = node.members ? "{}" : "[]";
  if (children.length === 0) {
    target.append(open + close);
    return;
  }
  target.append(`${open}\n`);
  children.forEach((child, index) => {
    target.append(inner);
    if (node.members) target.append(h("span", { class: "json-key" }, child[0]), ": ");
    appendHighlighted(node.members ? child[1] : child, inner, target);
    target.append(index + 1 < children.length ? ",\n" : "\n");
  });
  target.append(indent + close);
}
