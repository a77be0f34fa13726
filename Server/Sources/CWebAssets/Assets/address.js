// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The page's URL parameters as names and values. `+` is a plus sign, as the collector reads it.

/** A malformed or unsupported URL; the message gives the reason. */
export class WrongAddress extends Error {}

/** `?a=b&c` is parsed as [["a", "b"], ["c", ""]]. */
export function readPairs(search) {
  return search.replace(/^\?/, "").split("&").filter(Boolean).map((part) => {
    const at = part.indexOf("=");
    return [unescaped(at < 0 ? part : part.slice(0, at)), at < 0 ? "" : unescaped(part.slice(at + 1))];
  });
}

/** Returns the pairs as the query string of the page's URL, including `?`; empty without pairs. */
export function writePairs(pairs) {
  if (pairs.length === 0) return "";
  const readable = (text) => escaped(text).replace(/%(?:2F|3A|2C|40)/g, decodeURIComponent);
  return `?${pairs.map(([key, value]) => (value === "" ? readable(key) : `${readable(key)}=${readable(value)}`)).join("&")}`;
}

/** Returns the pairs as a query string for the collector. */
export const asQuery = (pairs) => pairs.map(([key, value]) => `${escaped(key)}=${escaped(value)}`).join("&");

// A lone surrogate cannot be percent-encoded.
const escaped = (text) => encodeURIComponent(text.toWellFormed?.() ?? text);

function unescaped(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new WrongAddress(`“${text.slice(0, 64)}” in the URL is not percent-encoded text: write “%” as “%25”.`);
  }
}
