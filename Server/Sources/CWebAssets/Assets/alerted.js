// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Text that describes alerts.

import { figure } from "./figures.js";

/** The state of an alert for display: {word, mood}. */
export function stateOf({ state, paused }) {
  const moods = { ok: "good", pending: "warn", firing: "bad", unknown: "calm" };
  return { word: paused ? `${state}, paused` : state, mood: paused && state !== "firing" ? "calm" : moods[state] ?? "calm" };
}

/** Describes a condition. */
export function conditionOf({ condition: { kind, query, operator, threshold, of, within, at_least: least } }) {
  const limit = figure(threshold);
  switch (kind) {
    case "missing": return `more than ${limit} events missing`;
    case "failed": return `more than ${limit} % rejected within ${within}, minimum ${figure(least)} events`;
    case "silence": return `no events within ${within}`;
    case "disk": return `less than ${limit} ${of === "bytes" ? "bytes" : "%"} of the disk free`;
    case "lag": return `index more than ${limit} s behind`;
    case "funnels": return `conversion rate ${operator} ${limit} %: ${asked(query)}`;
    default: return of === "change" ? `change ${operator} ${limit} %: ${asked(query)}` : `${asked(query)} ${operator} ${limit}`;
  }
}

/** The unit of a condition's value; empty for a count. */
export function unitOf({ kind, of }) {
  if (kind === "lag") return "s";
  if (of === "bytes") return "bytes";
  return ["funnels", "failed", "disk"].includes(kind) || (kind === "trends" && of === "change") ? "%" : "";
}

/** Describes the response to an attempt, or why it is missing. */
export function attemptOf({ status, message, took }) {
  return `${status === undefined ? message ?? "no response" : `status ${status}`} after ${figure(took)} ms`;
}

/** Describes a query's parameters. */
function asked(query) {
  const pairs = [...new URLSearchParams(query)];
  const all = (name) => pairs.filter(([key]) => key === name).map(([, value]) => value);
  const names = [...all("name"), ...all("step")];
  const rest = pairs.filter(([key]) => !["name", "step", "last", "measure", "zone"].includes(key)).map(([key, value]) => (key.startsWith("where") ? value : `${key} ${value}`));
  const measure = all("measure").at(-1) ?? "events";
  const what = all("step").length > 0 ? names.join(" → ") : `${measure === "events" ? "events" : measure.replace(":", " of ")} of ${names.length > 0 ? names.join(", ") : "any name"}`;
  return `${what}${rest.length > 0 ? `, ${rest.join(", ")}` : ""} within ${all("last").at(-1) ?? "?"}`;
}
