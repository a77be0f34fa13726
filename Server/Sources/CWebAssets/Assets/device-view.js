// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// One device: its facts, the states of its app over time, its properties, and property changes.

import { batteryLabel } from "./battery-icon.js";
import { DeviceProperties } from "./device-properties.js";
import { h } from "./dom.js";
import { formatDateTime, formatNumber, pluralize, printable, timeAgo } from "./format.js";
import { LocationPlot } from "./location-plot.js";
import { PropertyHistory } from "./property-history.js";
import { StateDetails } from "./state-details.js";
import { stateTable } from "./state-table.js";
import { StateTimeline } from "./state-timeline.js";

/** The parts of one device. They are updated in place, so that focus and scroll position are kept. */
export class DeviceView {
  #actions;
  #card = h("section", { class: "panel device-card", "aria-label": "Device" });
  #selection = { preview: (index) => this.#preview(index), pin: (index) => this.#pin(index) };
  #timeline = new StateTimeline(this.#selection);
  #locations = new LocationPlot(this.#selection);
  #stateDetails = new StateDetails(this.#selection);
  #properties = new DeviceProperties((line) => this.#changes.filter(line));
  #changes = new PropertyHistory();
  #stateTable = stateTable();
  /** The drawn states, oldest first. */
  #stateList = [];
  /** The index of the selected state; null for the newest. */
  #pinned = null;
  /** The index of the state under the pointer, or null. */
  #previewed = null;
  #drawn = { card: "", states: "", properties: "" };

  /** The whole view as one element. */
  node = h("div", { class: "device-panels" }, this.#card, this.#timeline.node,
    h("div", { class: "device-columns" }, this.#locations.node, this.#stateDetails.node),
    h("div", { class: "device-columns" }, this.#properties.node, this.#changes.node),
    this.#stateTable.node);

  constructor(actions) {
    this.#actions = actions;
  }

  /** Shows the collector's data about the device and, if there is one, the device's entry in the device list. */
  show(detail, summary, now) {
    this.#drawIfChanged("card", [summary, detail.user, detail.app, Math.floor(now / 5000)], () => {
      this.#drawCard(detail, summary, now);
      this.#updateSelection();
    });
    this.#drawIfChanged("states", detail.states, () => {
      const pinned = this.#pinned === null ? null : this.#stateList[this.#pinned].at;
      this.#previewed = null;
      this.#stateList = detail.states.toReversed().sort((a, b) => a.at - b.at);
      // The pinned state's index may have changed, or the state may be older than the loaded states.
      const found = pinned === null ? -1 : this.#stateList.findIndex((state) => state.at === pinned);
      this.#pinned = found < 0 ? null : found;
      this.#timeline.show(this.#stateList, summary?.states ?? null);
      this.#locations.show(this.#stateList);
      this.#stateTable.show(this.#stateList);
      this.#updateSelection();
    });
    this.#drawIfChanged("properties", [detail.properties, detail.history], () => {
      this.#properties.show(detail.properties, detail.history);
      this.#changes.show(detail.history);
    });
  }

  #drawIfChanged(part, value, draw) {
    const state = JSON.stringify(value);
    if (state === this.#drawn[part]) return;
    this.#drawn[part] = state;
    draw();
  }

  #preview(index) {
    this.#previewed = index;
    this.#updateSelection();
  }

  #pin(index) {
    this.#previewed = null;
    this.#pinned = index === null || index >= this.#stateList.length - 1 ? null : Math.max(0, index);
    this.#updateSelection();
  }

  #updateSelection() {
    const index = this.#previewed ?? this.#pinned ?? this.#stateList.length - 1;
    this.#timeline.markState(index);
    this.#locations.markState(index);
    this.#stateDetails.show(this.#stateList, index, Date.now());
  }

  #drawCard(detail, summary, now) {
    const focused = document.activeElement?.closest?.(".device-card [data-key]")?.dataset.key;
    const timeNode = (ms) => h("span", { title: formatDateTime(ms) }, formatDateTime(ms).slice(0, 16), h("small", {}, ` ${timeAgo(ms, now)}`));
    const link = (key, text, action) => h("button", { type: "button", class: "link", "data-key": key, onclick: action }, text);
    const { installation, properties } = detail;
    const system = summary?.system ?? [properties.device_system_name, properties.device_system_version].filter(Boolean).join(" ");
    const facts = [
      ["Model", summary?.model ?? properties.device_model ?? properties.device_hardware_machine],
      ["System", system],
      ["App", [detail.app, summary?.version].filter(Boolean).join(" ")],
      ["User", detail.user ?? "not signed in"],
      ["Battery", batteryLabel(summary?.battery_level, summary?.battery_state)],
      ["State", summary?.application_state],
      ["First seen", summary && timeNode(summary.first_seen)],
      ["Last seen", summary && timeNode(summary.last_seen)],
      ["Events", summary && formatNumber(summary.events)],
      ["Reported", summary && `${pluralize(summary.states, "state")}, ${pluralize(summary.property_changes, "change")}`],
    ].filter(([, value]) => value !== null && value !== undefined && value !== "");
    this.#card.replaceChildren(
      h("dl", { class: "device-facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, typeof value === "string" ? printable(value) : value)))),
      h("p", { class: "device-links" },
        h("span", {}, "Installation ", h("code", { title: installation }, printable(installation))),
        link("events", "Live events", () => this.#actions.showEvents(installation)),
        link("sessions", "Sessions", () => this.#actions.showSessions(installation))));
    if (focused !== undefined) this.#card.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }
}
