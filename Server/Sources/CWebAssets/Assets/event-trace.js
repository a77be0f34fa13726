// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The trace of an event: when the event was recorded, its batch, when it was received, and where it is stored.

import { h } from "./dom.js";
import { formatDuration, formatExactTime, formatNumber, pluralize, printable } from "./format.js";

/** Draws the steps as a list; unknown values are omitted and listed below. */
export function traceList({ recorded, batch, received, durable, indexed, durations, unknown }) {
  const batchPosition = batch.events === 1 ? "only event" : `${formatNumber(batch.ordinal + 1)} of ${pluralize(batch.events, "event")}`;
  return h("div", { class: "event-trace" },
    h("ol", { class: "trace-steps" },
      traceStep("Recorded", recorded.at, null, [["monotonic", ifPresent(recorded.mono, (ms) => `${formatNumber(ms)} ms`)], ["boot", recorded.boot], ["session", recorded.session], ["user", recorded.user]]),
      traceStep("Sent", batch.sent, durations.recorded_to_sent, [["batch", batch.id], ["in batch", batchPosition], ["sequence", ifPresent(batch.sequence, formatNumber)], ["attempts", ifPresent(batch.attempts, formatNumber)], ["SDK", batch.sdk], ["rejected in batch", batch.rejected > 0 ? formatNumber(batch.rejected) : null]]),
      traceStep("Received", received.at, durations.sent_to_received ?? durations.recorded_to_received, [["key", received.key], ["format", received.format], ["encoding", received.encoding], ["size", ifPresent(received.bytes, (count) => pluralize(count, "byte"))]]),
      traceStep("Durable", durable.at, null, [["position", durable.position], ["on", durable.durability]]),
      traceStep("Indexed", indexed.at, null, [["up to", indexed.position]])),
    unknown.length === 0 ? null : h("details", { class: "trace-unknown" }, h("summary", {}, `${pluralize(unknown.length, "unknown value")}`), h("ul", {}, unknown.map((text) => h("li", {}, printable(text))))));
}

const ifPresent = (value, format) => (value === null || value === undefined ? null : format(value));

function traceStep(name, at, elapsed, facts) {
  const presentFacts = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("li", { class: "trace-step" },
    h("p", {}, h("b", {}, name), at === null || at === undefined ? null : h("time", {}, formatExactTime(at)), elapsed === null || elapsed === undefined ? null : h("span", { class: "trace-elapsed" }, `${elapsed < 0 ? "" : "+"}${formatDuration(elapsed)}`)),
    presentFacts.length === 0 ? null : h("dl", {}, presentFacts.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, printable(value))))));
}
