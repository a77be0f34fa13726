// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Suggestions for an insight's form: names of events, attributes and screens, and the values of attributes, from the
// catalog, recent events and recent users.

import { getJSON } from "./api.js";
import { byId, h } from "./dom.js";
import { printable } from "./format.js";

const maximumSuggestions = 200;
const maximumLength = 120;
const refreshInterval = 60_000;
/** The maximum number of events whose catalog entries are read for the values of one attribute. */
const maximumEntries = 3;
/** The first-touch facts of people. */
const personFacts = ["seen", "version", "platform", "country", "referrer", "link"].map((name) => `person.first_${name}`);
/** What well-known fields mean, shown next to their names. */
const meanings = {
  "context.device.country": "Country", "context.device.locale": "Language and region", "context.device.platform": "Platform", "context.device.model": "Device model",
  "context.device.os_name": "System", "context.device.os_version": "System version", "context.app.version": "App version", "context.app.id": "App", cohort: "Cohort",
  "person.first_seen": "Day of the first event", "person.first_version": "First app version", "person.first_platform": "First platform",
  "person.first_country": "First country", "person.first_referrer": "First referrer", "person.first_link": "First link",
};
let loadedAt = -refreshInterval;
let loading = Promise.resolve();
/** The values of fields in recent events and users, as a map from the field to a set of texts. */
let sampleValues = new Map();
let catalogEntries = new Map();

/**
 * Fills the lists of suggestions, at most once a minute. Without a response, the lists are empty; any text can still be
 * typed.
 */
export function loadSuggestions() {
  if (performance.now() - loadedAt >= refreshInterval) {
    loadedAt = performance.now();
    loading = load();
  }
  return loading;
}

async function load() {
  const parts = await Promise.all(["/v1/catalogue?limit=200", "/v1/events?order=desc&limit=200", "/v1/screens?limit=40", "/v1/users?limit=50", "/v1/cohorts"].map((path) => getJSON(path).catch(() => null)));
  const [catalog, recent, screens, users, cohorts] = parts;
  // Put the most frequent names first, because the user is most likely to select them.
  const names = new Set((catalog?.events ?? []).map(({ name }) => name));
  const attributes = new Set();
  const values = new Map();
  const addValue = (field, value) => {
    if (!["string", "number", "boolean"].includes(typeof value)) return;
    if (!values.has(field)) values.set(field, new Set());
    values.get(field).add(String(value));
  };
  for (const { event, context } of recent?.events ?? []) {
    names.add(event.name);
    for (const name of Object.keys(event.attributes ?? {})) attributes.add(/[=≠!<≤>≥~]|^"|^(context|person)\.|^cohort$/.test(name) ? JSON.stringify(name) : name);
    for (const [part, members] of Object.entries(context ?? {})) {
      if (members === null || typeof members !== "object" || Array.isArray(members)) continue;
      for (const [member, value] of Object.entries(members)) {
        const field = part === "global" ? member : `context.${part}.${member}`;
        attributes.add(field);
        addValue(field, value);
      }
    }
  }
  const needsQuotes = (name) => /[=≠!<≤>≥~"]/.test(name) || personFacts.includes(`person.${name}`);
  const traits = new Set(personFacts);
  for (const user of users?.users ?? []) {
    for (const [name, { value }] of Object.entries(user.attributes ?? {})) {
      const field = `person.${needsQuotes(name) ? JSON.stringify(name) : name}`;
      traits.add(field);
      addValue(field, value);
    }
    for (const field of personFacts) addValue(field, user[field.slice("person.".length)]);
  }
  sampleValues = values;
  catalogEntries = new Map();
  fillList("event-names", [...names]);
  fillList("cohort-names", (cohorts?.cohorts ?? []).map(({ name }) => name));
  const rank = (name) => (name.startsWith("context.") ? 2 : 0);
  const own = [...attributes].sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  fillList("attributes", [...own.filter((name) => rank(name) === 0), "cohort", ...traits, ...own.filter((name) => rank(name) === 2)], (field) => (Object.hasOwn(meanings, field) ? meanings[field] : null));
  fillList("path-steps", [...(screens?.screens ?? []).map(({ name }) => name), ...names]);
}

/** Loads the suggestions again, because they have changed. */
export function refreshSuggestions() {
  loadedAt = -refreshInterval;
  loadSuggestions();
}

/**
 * Fills the list of values for a field: from the catalog entries of the query's events, else from recent events and
 * users.
 */
export async function loadValues(field, names) {
  const found = new Map([...(sampleValues.get(field) ?? [])].map((value) => [value, null]));
  fillList("field-values", [...found.keys()]);
  if (field === "" || field.startsWith("person.")) return;
  const entries = await Promise.all(names.slice(0, maximumEntries).map(catalogEntry));
  for (const entry of entries) {
    const counts = { "context.app.version": entry?.app_versions, "context.device.platform": entry?.platforms }[field] ?? entry?.attributes.find(({ name }) => name === field)?.values ?? [];
    for (const { value, events } of counts) {
      if (!["string", "number", "boolean"].includes(typeof value)) continue;
      found.set(String(value), (found.get(String(value)) ?? 0) + Number(events));
    }
  }
  const sorted = [...found].sort(([, a], [, b]) => (b ?? 0) - (a ?? 0));
  fillList("field-values", sorted.map(([value]) => value), (value) => (found.get(value) === null ? null : `${found.get(value)} events`));
}

/** Returns the catalog entry of an event name, requested once; null if there is none. */
function catalogEntry(name) {
  if (!catalogEntries.has(name)) catalogEntries.set(name, getJSON(`/v1/catalogue/${encodeURIComponent(name)}`).catch(() => null));
  return catalogEntries.get(name);
}

/** Returns the known fields that a word such as “country” can mean. */
export async function fieldsFor(word) {
  await loadSuggestions();
  const wanted = word.trim().toLowerCase();
  return [...byId("attributes").children].map(({ value }) => value).filter((field) => field !== word && (meanings[field]?.toLowerCase() === wanted || field.split(".").at(-1).toLowerCase() === wanted || field === `person.first_${wanted}`));
}

function fillList(id, texts, labelOf = () => null) {
  const valid = [...new Set(texts)].filter((text) => typeof text === "string" && text !== "" && text.length <= maximumLength && printable(text) === text);
  byId(id).replaceChildren(...valid.slice(0, maximumSuggestions).map((value) => h("option", { value, label: labelOf(value) })));
}
