// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The devices: properties, property changes and app states. Polls every few seconds.

import { getJSON } from "./api.js";
import { deviceName, deviceTable, renderDeviceList } from "./device-list.js";
import { DeviceView } from "./device-view.js";
import { byId, h, setText } from "./dom.js";
import { formatDateTime, formatNumber, pluralize } from "./format.js";

const pageSize = 50;
const stateLimit = 200;
/** The maximum number of devices on the page; older devices can be found through their user or their events. */
const maximumDevices = 1000;

/**
 * The devices section. `actions`: `showEvents(installation)` and `showSessions(installation)` open other sections;
 * `onURLChange()` is called when `urlValue` changes.
 */
export class Devices {
  #actions;
  #isVisible = false;
  /** The installation shown in detail; null for the list of all devices. */
  #selected = null;
  #device = null;
  #devices = [];
  /**
   * Older devices that were loaded on request, in addition to the devices from each poll, and the position of the next
   * page.
   */
  #older = [];
  #next;
  #isLoadingOlder = false;
  #drawnState = "";
  #loadedAt = 0;
  #isPolling = false;
  #nextPoll = 0;

  constructor(actions) {
    this.#actions = actions;
    byId("device-back").addEventListener("click", () => this.#select(null));
  }

  /** The section's value in the URL: the installation, or "" for all devices. */
  get urlValue() {
    return this.#selected ?? "";
  }

  set urlValue(text) {
    this.#selected = text === "" ? null : text;
    this.#clear();
  }

  setVisible(isVisible) {
    this.#isVisible = isVisible;
    if (isVisible) this.refresh(true);
  }

  /** Loads and draws changes. The faster the collector responds, the more often it is polled. */
  async refresh(force = false) {
    if (!this.#isVisible || (!force && (this.#isPolling || Date.now() < this.#nextPoll))) return;
    this.#isPolling = true;
    const startedAt = performance.now();
    const selected = this.#selected;
    if (this.#loadedAt === 0) this.#showMessage("Loading…", []);
    try {
      const [list, detail] = await Promise.all([
        getJSON(`/v1/devices?limit=${pageSize}`),
        selected === null ? null : getJSON(`/v1/devices/${encodeURIComponent(selected)}?limit=${stateLimit}`).catch(emptyIfNotFound),
      ]);
      if (selected !== this.#selected) return;
      this.#loadedAt = Date.now();
      // A device that was seen again moves to the beginning and must be listed only once.
      const latest = new Set(list.devices.map(({ installation }) => installation));
      this.#older = this.#older.filter(({ installation }) => !latest.has(installation));
      this.#devices = [...list.devices, ...this.#older];
      if (this.#older.length === 0) this.#next = list.next;
      this.#showWarning(null);
      this.#render(detail, Date.now());
    } catch (error) {
      if (selected === this.#selected) this.#showError(error);
    } finally {
      this.#isPolling = false;
      this.#nextPoll = Date.now() + 20 * (performance.now() - startedAt);
    }
  }

  #select(installation) {
    const previous = this.#selected;
    this.#selected = installation;
    this.#clear();
    this.#actions.onURLChange();
    byId("device").scrollTop = 0;
    scrollTo({ top: 0 });
    this.#render(null, Date.now());
    // Move the keyboard focus to the selected device, or back to the device's entry when the list is shown again.
    const returnTarget = installation === null ? byId("device-body").querySelector(`[data-key="${CSS.escape(previous)}"]`) : null;
    (returnTarget ?? byId("device-title")).focus({ preventScroll: returnTarget === null });
    this.refresh(true);
  }

  #clear() {
    this.#drawnState = "";
    this.#device = null;
  }

  #render(detail, now) {
    byId("devices").dataset.layout = this.#selected === null ? "list" : "detail";
    const select = (installation) => this.#select(installation);
    if (this.#selected === null) {
      this.#renderList(select, now);
      return;
    }
    // The URL may spell the installation differently than the collector does.
    const installation = detail?.installation ?? this.#selected;
    const summary = detail?.device ?? this.#devices.find((device) => device.installation === installation);
    renderDeviceList(byId("device-list"), this.#devices, installation, select, now);
    setText(byId("device-title"), summary || detail?.installation ? deviceName(summary ?? detail) : "Device");
    setText(byId("device-note"), "");
    if (detail === null) {
      if (this.#device === null) this.#showMessage("Loading…", []);
      return;
    }
    if (detail.installation === undefined) {
      this.#device = null;
      this.#showMessage("No such device", [h("p", {}, "No events from installation ", h("code", {}, this.#selected), ". It may have been erased.")]);
      return;
    }
    if (this.#device === null) {
      this.#device = new DeviceView(this.#actions);
      byId("device-body").replaceChildren(this.#device.node);
    }
    this.#device.show(detail, summary ?? null, now);
  }

  #renderList(select, now) {
    setText(byId("device-title"), "Devices");
    if (this.#devices.length === 0) {
      this.#drawnState = "";
      setText(byId("device-note"), "");
      if (this.#loadedAt > 0) this.#showMessage("No devices yet", setupInstructions());
      return;
    }
    setText(byId("device-note"), this.#next !== undefined ? `the ${formatNumber(this.#devices.length)} most recent` : pluralize(this.#devices.length, "device"));
    const state = JSON.stringify([this.#devices, this.#next, this.#isLoadingOlder]) + Math.floor(now / 5000);
    if (state === this.#drawnState) return;
    this.#drawnState = state;
    const focused = document.activeElement?.closest?.("#device-body [data-key]")?.dataset.key;
    const isFull = this.#devices.length >= maximumDevices;
    const more = this.#next === undefined ? null : isFull ? h("p", { class: "panel-note" }, `Only the first ${formatNumber(maximumDevices)} are shown.`)
      : h("button", { type: "button", class: "button small", "data-key": "older", onclick: () => this.#loadOlder() }, this.#isLoadingOlder ? "Loading…" : "Load older");
    byId("device-body").replaceChildren(deviceTable(this.#devices, select, now), ...(more === null ? [] : [h("div", { class: "device-table-footer" }, more)]));
    if (focused !== undefined) byId("device-body").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  /** Loads devices that were last seen before those on the page. */
  async #loadOlder() {
    if (this.#isLoadingOlder || this.#next === undefined) return;
    this.#isLoadingOlder = true;
    this.#render(null, Date.now());
    try {
      const { devices, next } = await getJSON(`/v1/devices?limit=${pageSize}&after=${encodeURIComponent(this.#next)}`);
      const known = new Set(this.#devices.map(({ installation }) => installation));
      const added = devices.filter(({ installation }) => !known.has(installation));
      this.#older.push(...added);
      this.#devices.push(...added);
      this.#next = next;
      this.#showWarning(null);
    } catch (error) {
      this.#showError(error);
    }
    this.#isLoadingOlder = false;
    if (this.#selected === null) this.#render(null, Date.now());
  }

  /** Shows a title and instructions instead of devices. */
  #showMessage(title, lines) {
    byId("devices").dataset.layout = this.#selected === null ? "list" : "detail";
    if (byId("device-body").dataset.message === title && byId("device-body").querySelector(".empty")) return;
    byId("device-body").dataset.message = title;
    byId("device-body").replaceChildren(h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, title), lines));
  }

  #showError(error) {
    const message = error.needsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding.";
    if (this.#loadedAt > 0) {
      this.#showWarning(`${message} Showing data from ${formatDateTime(this.#loadedAt).slice(0, 19)}.`);
      return;
    }
    this.#showMessage(message, [h("button", { type: "button", class: "button", onclick: () => this.refresh(true) }, "Try again")]);
  }

  #showWarning(text) {
    byId("device-warning").hidden = text === null;
    setText(byId("device-warning"), text ?? "");
  }
}

/** Returns an empty result for an unknown or invalid installation; rethrows all other errors. */
function emptyIfNotFound(error) {
  if (error.status !== 404 && error.status !== 400) throw error;
  return {};
}

const setupInstructions = () => [
  h("p", {}, "Snapshots show device properties and app state. Turn them on in the app:"),
  h("pre", {}, "configuration.snapshots = SnapshotOptions()"),
  h("p", {}, "Apps that use the Sift format send snapshots to ", h("code", {}, "/v3/accounts/…/mobile_events"), "."),
];
