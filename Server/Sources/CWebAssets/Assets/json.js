// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Parses JSON exactly: numbers keep their digits (JSON.parse rounds beyond 2^53), keys keep their order and may repeat.

import { h } from "./dom.js";

const deepest = 128;

/** JSON.parse that keeps integers beyond 2^53 as their digits, in browsers whose reviver gets the source text. */
export const parseKeepingDigits = (text) =>
  JSON.parse(text, (_, value, context) =>
    typeof value === "number" && Number.isInteger(value) && !Number.isSafeInteger(value) && context?.source ? context.source : value);

/** Parses JSON into nodes {kind, text | items | members}. Throws SyntaxError. */
export function parseExact(text) {
  const tokens = /\s*(?:([{}[\],:])|("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|(true|false|null))\s*/gy;
  let token = null;
  const fail = () => new SyntaxError("not JSON");
  const next = () => {
    const at = tokens.lastIndex;
    token = tokens.exec(text);
    if (token === null && at < text.length) throw fail();
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
    if (token === null || depth > deepest) throw fail();
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

/** Returns the member of an object node, or undefined. */
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
export function block(node) {
  const pre = h("pre", { class: "json", tabindex: "0" });
  paint(node, "", pre);
  return pre;
}

function paint(node, indent, into) {
  const inner = `${indent}  `;
  const children = node.members ?? node.items;
  if (!children) {
    into.append(h("span", { class: `json-${node.kind}` }, node.text));
    return;
  }
  const [open, close] = node.members ? "{}" : "[]";
  if (children.length === 0) {
    into.append(open + close);
    return;
  }
  into.append(`${open}\n`);
  children.forEach((child, index) => {
    into.append(inner);
    if (node.members) into.append(h("span", { class: "json-key" }, child[0]), ": ");
    paint(node.members ? child[1] : child, inner, into);
    into.append(index + 1 < children.length ? ",\n" : "\n");
  });
  into.append(indent + close);
}
