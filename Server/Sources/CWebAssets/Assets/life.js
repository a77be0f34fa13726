// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// An event's path: when it was recorded, the batch that contained it, when it was received, and where it is stored.

import { h } from "./dom.js";
import { counted, duration, exactTime, number, printable } from "./format.js";

/** Draws the steps as a list; unknown values are left out and listed below. */
export function lifeList({ recorded, batch, received, durable, indexed, durations, unknown }) {
  const times = batch.events === 1 ? "only event" : `${number(batch.ordinal + 1)} of ${counted(batch.events, "event")}`;
  return h("div", { class: "life" },
    h("ol", { class: "life-steps" },
      step("Recorded", recorded.at, null, [["monotonic", said(recorded.mono, (ms) => `${number(ms)} ms`)], ["boot", recorded.boot], ["session", recorded.session], ["user", recorded.user]]),
      step("Sent", batch.sent, durations.recorded_to_sent, [["batch", batch.id], ["in batch", times], ["sequence", said(batch.sequence, number)], ["attempts", said(batch.attempts, number)], ["SDK", batch.sdk], ["rejected in batch", batch.rejected > 0 ? number(batch.rejected) : null]]),
      step("Received", received.at, durations.sent_to_received ?? durations.recorded_to_received, [["key", received.key], ["format", received.format], ["encoding", received.encoding], ["size", said(received.bytes, (count) => counted(count, "byte"))]]),
      step("Durable", durable.at, null, [["position", durable.position], ["on", durable.durability]]),
      step("Indexed", indexed.at, null, [["up to", indexed.position]])),
    unknown.length === 0 ? null : h("details", { class: "life-unknown" }, h("summary", {}, `${counted(unknown.length, "unknown value")}`), h("ul", {}, unknown.map((text) => h("li", {}, printable(text))))));
}

const said = (value, write) => (value === null || value === undefined ? null : write(value));

function step(name, at, since, facts) {
  const told = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return h("li", { class: "life-step" },
    h("p", {}, h("b", {}, name), at === null || at === undefined ? null : h("time", {}, exactTime(at)), since === null || since === undefined ? null : h("span", { class: "life-since" }, `${since < 0 ? "" : "+"}${duration(since)}`)),
    told.length === 0 ? null : h("dl", {}, told.map(([key, value]) => h("div", {}, h("dt", {}, key), h("dd", {}, printable(value))))));
}
