// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The devices: properties, property changes and app states. Polls every few seconds.

import { ask } from "./ask.js";
import { Device } from "./device.js";
import { byId, h, setText } from "./dom.js";
import { deviceName, fleetList, fleetTable } from "./fleet.js";
import { counted, dateAndClock, number } from "./format.js";

const mostDevices = 50;
const mostStates = 200;
/** The maximum devices on the page; older ones are found through their user or their events. */
const most = 1000;

/**
 * The device view. `go` opens other sections: `events(installation)`, `visitor(installation)`; `chosen()` is called when `place` changes.
 */
export class Devices {
  #go;
  #isShown = false;
  /** The installation shown in detail; null for the list of all. */
  #chosen = null;
  #device = null;
  #devices = [];
  /** Older devices that were loaded on request, beyond those of every poll; and where still older ones begin. */
  #older = [];
  #next;
  #isAskingOlder = false;
  #drawn = "";
  #answered = 0;
  #isLooking = false;
  #lookAfter = 0;

  constructor(go) {
    this.#go = go;
    byId("device-back").addEventListener("click", () => this.#choose(null));
  }

  /** The view's part of the URL: "", or the installation. */
  get place() {
    return this.#chosen ?? "";
  }

  set place(text) {
    this.#chosen = text === "" ? null : text;
    this.#clear();
  }

  show(isShown) {
    this.#isShown = isShown;
    if (isShown) this.look(true);
  }

  /** Loads and draws changes. The faster the collector responds, the more often it is polled. */
  async look(force = false) {
    if (!this.#isShown || (!force && (this.#isLooking || Date.now() < this.#lookAfter))) return;
    this.#isLooking = true;
    const began = performance.now();
    const chosen = this.#chosen;
    if (this.#answered === 0) this.#say("Loading…", []);
    try {
      const [all, one] = await Promise.all([
        ask(`/v1/devices?limit=${mostDevices}`),
        chosen === null ? null : ask(`/v1/devices/${encodeURIComponent(chosen)}?limit=${mostStates}`).catch(absent),
      ]);
      if (chosen !== this.#chosen) return;
      this.#answered = Date.now();
      // A device that was seen again moves to the beginning and is listed once.
      const latest = new Set(all.devices.map(({ installation }) => installation));
      this.#older = this.#older.filter(({ installation }) => !latest.has(installation));
      this.#devices = [...all.devices, ...this.#older];
      if (this.#older.length === 0) this.#next = all.next;
      this.#trouble(null);
      this.#draw(one, Date.now());
    } catch (error) {
      if (chosen === this.#chosen) this.#fail(error);
    } finally {
      this.#isLooking = false;
      this.#lookAfter = Date.now() + 20 * (performance.now() - began);
    }
  }

  #choose(installation) {
    const left = this.#chosen;
    this.#chosen = installation;
    this.#clear();
    this.#go.chosen();
    byId("device").scrollTop = 0;
    scrollTo({ top: 0 });
    this.#draw(null, Date.now());
    // Keyboard users continue at the chosen device, and return to its entry.
    const back = installation === null ? byId("device-body").querySelector(`[data-key="${CSS.escape(left)}"]`) : null;
    (back ?? byId("device-title")).focus({ preventScroll: back === null });
    this.look(true);
  }

  #clear() {
    this.#drawn = "";
    this.#device = null;
  }

  #draw(detail, now) {
    byId("devices").dataset.shows = this.#chosen === null ? "all" : "one";
    const choose = (installation) => this.#choose(installation);
    if (this.#chosen === null) {
      this.#drawAll(choose, now);
      return;
    }
    // The URL may spell the installation differently than the collector.
    const installation = detail?.installation ?? this.#chosen;
    const summary = detail?.device ?? this.#devices.find((device) => device.installation === installation);
    fleetList(byId("fleet"), this.#devices, installation, choose, now);
    setText(byId("device-title"), summary || detail?.installation ? deviceName(summary ?? detail) : "Device");
    setText(byId("device-note"), "");
    if (detail === null) {
      if (this.#device === null) this.#say("Loading…", []);
      return;
    }
    if (detail.installation === undefined) {
      this.#device = null;
      this.#say("No such device", [h("p", {}, "No events from installation ", h("code", {}, this.#chosen), ". It may have been erased.")]);
      return;
    }
    if (this.#device === null) {
      this.#device = new Device(this.#go);
      byId("device-body").replaceChildren(this.#device.node);
    }
    this.#device.show(detail, summary ?? null, now);
  }

  #drawAll(choose, now) {
    setText(byId("device-title"), "Devices");
    if (this.#devices.length === 0) {
      this.#drawn = "";
      setText(byId("device-note"), "");
      if (this.#answered > 0) this.#say("No devices yet", howToBegin());
      return;
    }
    setText(byId("device-note"), this.#next !== undefined ? `the ${number(this.#devices.length)} most recent` : counted(this.#devices.length, "device"));
    const state = JSON.stringify([this.#devices, this.#next, this.#isAskingOlder]) + Math.floor(now / 5000);
    if (state === this.#drawn) return;
    this.#drawn = state;
    const focused = document.activeElement?.closest?.("#device-body [data-key]")?.dataset.key;
    const isFull = this.#devices.length >= most;
    const more = this.#next === undefined ? null : isFull ? h("p", { class: "panel-note" }, `Only the first ${number(most)} are shown.`)
      : h("button", { type: "button", class: "button small", "data-key": "older", onclick: () => this.#askOlder() }, this.#isAskingOlder ? "Loading…" : "Older");
    byId("device-body").replaceChildren(fleetTable(this.#devices, choose, now), ...(more === null ? [] : [h("div", { class: "fleet-foot" }, more)]));
    if (focused !== undefined) byId("device-body").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  /** Loads devices last seen before those on the page. */
  async #askOlder() {
    if (this.#isAskingOlder || this.#next === undefined) return;
    this.#isAskingOlder = true;
    this.#draw(null, Date.now());
    try {
      const { devices, next } = await ask(`/v1/devices?limit=${mostDevices}&after=${encodeURIComponent(this.#next)}`);
      const known = new Set(this.#devices.map(({ installation }) => installation));
      const fresh = devices.filter(({ installation }) => !known.has(installation));
      this.#older.push(...fresh);
      this.#devices.push(...fresh);
      this.#next = next;
      this.#trouble(null);
    } catch (error) {
      this.#fail(error);
    }
    this.#isAskingOlder = false;
    if (this.#chosen === null) this.#draw(null, Date.now());
  }

  /** Shows a title and instructions instead of devices. */
  #say(title, lines) {
    byId("devices").dataset.shows = this.#chosen === null ? "all" : "one";
    if (byId("device-body").dataset.says === title && byId("device-body").querySelector(".empty")) return;
    byId("device-body").dataset.says = title;
    byId("device-body").replaceChildren(h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, title), lines));
  }

  #fail(error) {
    const why = error.wantsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding.";
    if (this.#answered > 0) {
      this.#trouble(`${why} Showing data from ${dateAndClock(this.#answered).slice(0, 19)}.`);
      return;
    }
    this.#say(why, [h("button", { type: "button", class: "button", onclick: () => this.look(true) }, "Try again")]);
  }

  #trouble(text) {
    byId("device-trouble").hidden = text === null;
    setText(byId("device-trouble"), text ?? "");
  }
}

/** An unknown or invalid installation is a valid result; other errors are not. */
function absent(error) {
  if (error.status !== 404 && error.status !== 400) throw error;
  return {};
}

const howToBegin = () => [
  h("p", {}, "Snapshots show device properties and app state. Turn them on in the app:"),
  h("pre", {}, "configuration.snapshots = SnapshotOptions()"),
  h("p", {}, "Apps that use the Sift format send snapshots to ", h("code", {}, "/v3/accounts/…/mobile_events"), "."),
];
