// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Suggestions for an insight's form: names of events, attributes and screens from the catalog and from recent events.

import { ask } from "./ask.js";
import { byId, h } from "./dom.js";
import { printable } from "./stream.js";

const most = 200;
const longest = 120;
const stale = 60_000;
let asked = -stale;

/** Fills the lists of suggestions, at most once a minute. Without a response they are empty; any text can be typed. */
export async function suggest() {
  if (performance.now() - asked < stale) return;
  asked = performance.now();
  const parts = await Promise.all(["/v1/catalogue?limit=200", "/v1/events?order=desc&limit=200", "/v1/screens?limit=40"].map((path) => ask(path).catch(() => null)));
  const [catalogue, recent, screens] = parts;
  // The most frequent names first, because they are the most likely ones.
  const names = new Set((catalogue?.events ?? []).map(({ name }) => name));
  const attributes = new Set();
  for (const { event, context } of recent?.events ?? []) {
    names.add(event.name);
    for (const name of Object.keys(event.attributes ?? {})) attributes.add(/[=≠!<≤>≥]|^"|^context\./.test(name) ? JSON.stringify(name) : name);
    for (const [part, members] of Object.entries(context ?? {})) {
      if (members === null || typeof members !== "object" || Array.isArray(members)) continue;
      for (const member of Object.keys(members)) attributes.add(part === "global" ? member : `context.${part}.${member}`);
    }
  }
  fill("event-names", [...names]);
  fill("attributes", [...attributes].sort((a, b) => a.startsWith("context.") - b.startsWith("context.") || (a < b ? -1 : 1)));
  fill("places", [...(screens?.screens ?? []).map(({ name }) => name), ...names]);
}

function fill(id, texts) {
  const fit = [...new Set(texts)].filter((text) => typeof text === "string" && text !== "" && text.length <= longest && printable(text) === text);
  byId(id).replaceChildren(...fit.slice(0, most).map((value) => h("option", { value })));
}
