// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The page's URL parameters as names and values. `+` stands for a plus sign, as in the collector.

/** A malformed or unsupported URL; the message gives the reason. */
export class InvalidURLError extends Error {}

/** Parses a query string: `?a=b&c` becomes [["a", "b"], ["c", ""]]. */
export function parseQuery(search) {
  return search.replace(/^\?/, "").split("&").filter(Boolean).map((part) => {
    const separator = part.indexOf("=");
    return [percentDecode(separator < 0 ? part : part.slice(0, separator)), separator < 0 ? "" : percentDecode(part.slice(separator + 1))];
  });
}

/** Returns the pairs as the query string of the page's URL, including `?`; an empty string without pairs. */
export function formatQuery(pairs) {
  if (pairs.length === 0) return "";
  const readable = (text) => percentEncode(text).replace(/%(?:2F|3A|2C|40)/g, decodeURIComponent);
  return `?${pairs.map(([key, value]) => (value === "" ? readable(key) : `${readable(key)}=${readable(value)}`)).join("&")}`;
}

/** Returns the pairs as a query string for the collector. */
export const encodeQuery = (pairs) => pairs.map(([key, value]) => `${percentEncode(key)}=${percentEncode(value)}`).join("&");

// A lone surrogate cannot be percent-encoded.
const percentEncode = (text) => encodeURIComponent(text.toWellFormed?.() ?? text);

function percentDecode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new InvalidURLError(`“${text.slice(0, 64)}” in the URL is not percent-encoded text: write “%” as “%25”.`);
  }
}
