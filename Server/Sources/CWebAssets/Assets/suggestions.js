// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Suggestions for an insight's form: names of events, attributes and screens from the catalog and from recent events.

import { getJSON } from "./api.js";
import { byId, h } from "./dom.js";
import { printable } from "./format.js";

const maximumSuggestions = 200;
const maximumLength = 120;
const refreshInterval = 60_000;
let loadedAt = -refreshInterval;

/**
 * Fills the lists of suggestions, at most once a minute. Without a response, the lists are empty; any text can still be
 * typed.
 */
export async function loadSuggestions() {
  if (performance.now() - loadedAt < refreshInterval) return;
  loadedAt = performance.now();
  const parts = await Promise.all(["/v1/catalogue?limit=200", "/v1/events?order=desc&limit=200", "/v1/screens?limit=40"].map((path) => getJSON(path).catch(() => null)));
  const [catalog, recent, screens] = parts;
  // Put the most frequent names first, because the user is most likely to select them.
  const names = new Set((catalog?.events ?? []).map(({ name }) => name));
  const attributes = new Set();
  for (const { event, context } of recent?.events ?? []) {
    names.add(event.name);
    for (const name of Object.keys(event.attributes ?? {})) attributes.add(/[=≠!<≤>≥]|^"|^context\./.test(name) ? JSON.stringify(name) : name);
    for (const [part, members] of Object.entries(context ?? {})) {
      if (members === null || typeof members !== "object" || Array.isArray(members)) continue;
      for (const member of Object.keys(members)) attributes.add(part === "global" ? member : `context.${part}.${member}`);
    }
  }
  fillList("event-names", [...names]);
  fillList("attributes", [...attributes].sort((a, b) => a.startsWith("context.") - b.startsWith("context.") || (a < b ? -1 : 1)));
  fillList("path-steps", [...(screens?.screens ?? []).map(({ name }) => name), ...names]);
}

function fillList(id, texts) {
  const valid = [...new Set(texts)].filter((text) => typeof text === "string" && text !== "" && text.length <= maximumLength && printable(text) === text);
  byId(id).replaceChildren(...valid.slice(0, maximumSuggestions).map((value) => h("option", { value })));
}
