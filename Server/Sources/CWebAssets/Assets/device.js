// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// One device: its facts, its app's states over time, its properties and their changes.

import { Changes } from "./changes.js";
import { h } from "./dom.js";
import { ago, counted, dateAndClock, number } from "./format.js";
import { battery } from "./meter.js";
import { Moment } from "./moment.js";
import { momentTable } from "./moments.js";
import { Places } from "./places.js";
import { Properties } from "./properties.js";
import { States } from "./states.js";
import { printable } from "./stream.js";

/** The parts of one device. They are updated in place, so that focus and scroll position are kept. */
export class Device {
  #go;
  #card = h("section", { class: "panel device-card", "aria-label": "Device" });
  #pointing = { pass: (index) => this.#pass(index), pin: (index) => this.#pin(index) };
  #states = new States(this.#pointing);
  #places = new Places(this.#pointing);
  #moment = new Moment(this.#pointing);
  #properties = new Properties((line) => this.#changes.filter(line));
  #changes = new Changes();
  #table = momentTable();
  /** Oldest first, as drawn. */
  #known = [];
  /** The index of the chosen state; null for the newest. */
  #pinned = null;
  /** The index of the state under the pointer, or null. */
  #passing = null;
  #drawn = { card: "", states: "", properties: "" };

  /** The whole view as one element. */
  node = h("div", { class: "device-parts" }, this.#card, this.#states.node,
    h("div", { class: "device-pair" }, this.#places.node, this.#moment.node),
    h("div", { class: "device-pair" }, this.#properties.node, this.#changes.node),
    this.#table.node);

  constructor(go) {
    this.#go = go;
  }

  /** Shows the collector's data about the device, and its entry in the device list, if there is one. */
  show(detail, summary, now) {
    this.#once("card", [summary, detail.user, detail.app, Math.floor(now / 5000)], () => {
      this.#drawCard(detail, summary, now);
      this.#tell();
    });
    this.#once("states", detail.states, () => {
      const pinned = this.#pinned === null ? null : this.#known[this.#pinned].at;
      this.#passing = null;
      this.#known = detail.states.toReversed().sort((a, b) => a.at - b.at);
      // The pinned state may have moved, or be older than the loaded states.
      const found = pinned === null ? -1 : this.#known.findIndex((state) => state.at === pinned);
      this.#pinned = found < 0 ? null : found;
      this.#states.show(this.#known, summary?.states ?? null);
      this.#places.show(this.#known);
      this.#table.show(this.#known);
      this.#tell();
    });
    this.#once("properties", [detail.properties, detail.history], () => {
      this.#properties.show(detail.properties, detail.history);
      this.#changes.show(detail.history);
    });
  }

  #once(part, value, draw) {
    const state = JSON.stringify(value);
    if (state === this.#drawn[part]) return;
    this.#drawn[part] = state;
    draw();
  }

  #pass(index) {
    this.#passing = index;
    this.#tell();
  }

  #pin(index) {
    this.#passing = null;
    this.#pinned = index === null || index >= this.#known.length - 1 ? null : Math.max(0, index);
    this.#tell();
  }

  #tell() {
    const index = this.#passing ?? this.#pinned ?? this.#known.length - 1;
    this.#states.point(index);
    this.#places.point(index);
    this.#moment.show(this.#known, index, Date.now());
  }

  #drawCard(detail, summary, now) {
    const focused = document.activeElement?.closest?.(".device-card [data-key]")?.dataset.key;
    const moment = (ms) => h("span", { title: dateAndClock(ms) }, dateAndClock(ms).slice(0, 16), h("small", {}, ` ${ago(ms, now)}`));
    const link = (key, text, action) => h("button", { type: "button", class: "link", "data-key": key, onclick: action }, text);
    const { installation, properties } = detail;
    const system = summary?.system ?? [properties.device_system_name, properties.device_system_version].filter(Boolean).join(" ");
    const facts = [
      ["Model", summary?.model ?? properties.device_model ?? properties.device_hardware_machine],
      ["System", system],
      ["App", [detail.app, summary?.version].filter(Boolean).join(" ")],
      ["User", detail.user ?? "not signed in"],
      ["Battery", battery(summary?.battery_level, summary?.battery_state)],
      ["State", summary?.application_state],
      ["First seen", summary && moment(summary.first_seen)],
      ["Last seen", summary && moment(summary.last_seen)],
      ["Events", summary && number(summary.events)],
      ["Reported", summary && `${counted(summary.states, "state")}, ${counted(summary.property_changes, "change")}`],
    ].filter(([, value]) => value !== null && value !== undefined && value !== "");
    this.#card.replaceChildren(
      h("dl", { class: "device-facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, typeof value === "string" ? printable(value) : value)))),
      h("p", { class: "device-links" },
        h("span", {}, "Installation ", h("code", { title: installation }, printable(installation))),
        link("events", "Live events", () => this.#go.events(installation)),
        link("visitor", "Sessions", () => this.#go.visitor(installation))));
    if (focused !== undefined) this.#card.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }
}
