// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The page's address as names and values. `+` is a plus sign, as the collector reads it.

/** An address that cannot be what somebody meant; its message says why. */
export class WrongAddress extends Error {}

/** `?a=b&c` becomes [["a", "b"], ["c", ""]]. */
export function readPairs(search) {
  return search.replace(/^\?/, "").split("&").filter(Boolean).map((part) => {
    const at = part.indexOf("=");
    return [unescaped(at < 0 ? part : part.slice(0, at)), at < 0 ? "" : unescaped(part.slice(at + 1))];
  });
}

/** The pairs as they stand in the page's address, `?` included; empty without any. */
export function writePairs(pairs) {
  if (pairs.length === 0) return "";
  const readable = (text) => escaped(text).replace(/%(?:2F|3A|2C|40)/g, decodeURIComponent);
  return `?${pairs.map(([key, value]) => (value === "" ? readable(key) : `${readable(key)}=${readable(value)}`)).join("&")}`;
}

/** The pairs as the collector is asked. */
export const asQuery = (pairs) => pairs.map(([key, value]) => `${escaped(key)}=${escaped(value)}`).join("&");

// Half of a surrogate pair has no percent-encoding.
const escaped = (text) => encodeURIComponent(text.toWellFormed?.() ?? text);

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new WrongAddress(`“${text.slice(0, 64)}” in the address is not percent-encoded text: write “%” as “%25”.`);
  }
}
