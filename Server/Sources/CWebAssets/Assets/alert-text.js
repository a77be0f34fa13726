// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Formats alerts as text.

import { formatValue } from "./data-table.js";

/** Returns the display text and the color tone of an alert's state: {label, tone}. */
export function stateLabel({ state, paused }) {
  const tones = { ok: "good", pending: "warn", firing: "bad", unknown: "neutral" };
  return { label: paused ? `${state}, paused` : state, tone: paused && state !== "firing" ? "neutral" : tones[state] ?? "neutral" };
}

/** Returns a description of a condition. */
export function conditionText({ condition: { kind, query, operator, threshold, of, within, at_least: minimumEvents } }) {
  const limit = formatValue(threshold);
  switch (kind) {
    case "missing": return `more than ${limit} events missing`;
    case "failed": return `more than ${limit}% rejected within ${within}, minimum ${formatValue(minimumEvents)} events`;
    case "silence": return `no events within ${within}`;
    case "disk": return `less than ${limit}${of === "bytes" ? " bytes" : "%"} of the disk free`;
    case "lag": return `index more than ${limit} s behind`;
    case "funnels": return `conversion rate ${operator} ${limit}%: ${queryText(query)}`;
    default: return of === "change" ? `change ${operator} ${limit}%: ${queryText(query)}` : `${queryText(query)} ${operator} ${limit}`;
  }
}

/** Returns the unit of a condition's value; empty for a count. */
export function unitOf({ kind, of }) {
  if (kind === "lag") return "s";
  if (of === "bytes") return "bytes";
  return ["funnels", "failed", "disk"].includes(kind) || (kind === "trends" && of === "change") ? "%" : "";
}

/** Returns a description of a delivery attempt: its response, or the reason why there was no response. */
export function attemptText({ status, message, took }) {
  return `${status === undefined ? message ?? "no response" : `status ${status}`} after ${formatValue(took)} ms`;
}

/** Returns a description of a query's parameters. */
function queryText(query) {
  const pairs = [...new URLSearchParams(query)];
  const valuesOf = (name) => pairs.filter(([key]) => key === name).map(([, value]) => value);
  const names = [...valuesOf("name"), ...valuesOf("step")];
  const others = pairs.filter(([key]) => !["name", "step", "last", "measure", "zone"].includes(key)).map(([key, value]) => (key.startsWith("where") ? value : `${key} ${value}`));
  const measure = valuesOf("measure").at(-1) ?? "events";
  const subject = valuesOf("step").length > 0 ? names.join(" → ") : `${measure === "events" ? "events" : measure.replace(":", " of ")} of ${names.length > 0 ? names.join(", ") : "any name"}`;
  return `${subject}${others.length > 0 ? `, ${others.join(", ")}` : ""} within ${valuesOf("last").at(-1) ?? "?"}`;
}
