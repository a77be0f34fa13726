// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Suggestions for an insight's form: names of events, attributes and screens from the catalog and from recent events.

import { getJSON } from "./api.js";
import { byId, h } from "./dom.js";
import { printable } from "./format.js";

const maximumSuggestions = 200;
const maximumLength = 120;
const refreshInterval = 60_000;
/** The first-touch facts of people. */
const personFacts = ["seen", "version", "platform", "country", "referrer", "link"].map((name) => `person.first_${name}`);
let loadedAt = -refreshInterval;

/**
 * Fills the lists of suggestions, at most once a minute. Without a response, the lists are empty; any text can still be
 * typed.
 */
export async function loadSuggestions() {
  if (performance.now() - loadedAt < refreshInterval) return;
  loadedAt = performance.now();
  const parts = await Promise.all(["/v1/catalogue?limit=200", "/v1/events?order=desc&limit=200", "/v1/screens?limit=40", "/v1/users?limit=50", "/v1/cohorts"].map((path) => getJSON(path).catch(() => null)));
  const [catalog, recent, screens, users, cohorts] = parts;
  // Put the most frequent names first, because the user is most likely to select them.
  const names = new Set((catalog?.events ?? []).map(({ name }) => name));
  const attributes = new Set();
  for (const { event, context } of recent?.events ?? []) {
    names.add(event.name);
    for (const name of Object.keys(event.attributes ?? {})) attributes.add(/[=≠!<≤>≥~]|^"|^(context|person)\.|^cohort$/.test(name) ? JSON.stringify(name) : name);
    for (const [part, members] of Object.entries(context ?? {})) {
      if (members === null || typeof members !== "object" || Array.isArray(members)) continue;
      for (const member of Object.keys(members)) attributes.add(part === "global" ? member : `context.${part}.${member}`);
    }
  }
  const needsQuotes = (name) => /[=≠!<≤>≥~"]/.test(name) || personFacts.includes(`person.${name}`);
  const traits = new Set(personFacts);
  for (const { attributes: values } of users?.users ?? []) for (const name of Object.keys(values ?? {})) traits.add(`person.${needsQuotes(name) ? JSON.stringify(name) : name}`);
  fillList("event-names", [...names]);
  fillList("cohort-names", (cohorts?.cohorts ?? []).map(({ name }) => name));
  const rank = (name) => (name.startsWith("context.") ? 2 : 0);
  const own = [...attributes].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  fillList("attributes", [...own.filter((name) => rank(name) === 0), "cohort", ...traits, ...own.filter((name) => rank(name) === 2)]);
  fillList("path-steps", [...(screens?.screens ?? []).map(({ name }) => name), ...names]);
}

/** Loads the suggestions again, because they have changed. */
export function refreshSuggestions() {
  loadedAt = -refreshInterval;
  loadSuggestions();
}

function fillList(id, texts) {
  const valid = [...new Set(texts)].filter((text) => typeof text === "string" && text !== "" && text.length <= maximumLength && printable(text) === text);
  byId(id).replaceChildren(...valid.slice(0, maximumSuggestions).map((value) => h("option", { value })));
}
