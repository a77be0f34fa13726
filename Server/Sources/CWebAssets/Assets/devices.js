// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The devices: what each one is, how that changed, and what its app was about. Looks again every few seconds.

import { ask } from "./ask.js";
import { Device } from "./device.js";
import { byId, h, setText } from "./dom.js";
import { deviceName, fleetList, fleetTable } from "./fleet.js";
import { clock, counted, number } from "./format.js";

const mostDevices = 50;
const mostStates = 200;
/** As many at most are in the page; who looks for one further back finds it by its user or its events. */
const most = 1000;

/** The view of devices. `go` leads elsewhere: `events(installation)`, `visitor(installation)`; `chosen()` says that `place` changed. */
export class Devices {
  #go;
  #isShown = false;
  /** The installation that is looked at in full; null for all of them. */
  #chosen = null;
  #device = null;
  #devices = [];
  /** The devices seen before those that every look asks for, as somebody asked for them; and where still older ones begin. */
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

  /** What the address says about the view: "", or the installation. */
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

  /** Asks and draws what has changed. A collector with much to tell is asked as often as it is quick. */
  async look(force = false) {
    if (!this.#isShown || (!force && (this.#isLooking || Date.now() < this.#lookAfter))) return;
    this.#isLooking = true;
    const began = performance.now();
    const chosen = this.#chosen;
    if (this.#answered === 0) this.#say("Asking the collector…", []);
    try {
      const [all, one] = await Promise.all([
        ask(`/v1/devices?limit=${mostDevices}`),
        chosen === null ? null : ask(`/v1/devices/${encodeURIComponent(chosen)}?limit=${mostStates}`).catch(absent),
      ]);
      if (chosen !== this.#chosen) return;
      this.#answered = Date.now();
      // Who was seen meanwhile stands at the beginning, once.
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
    // Whoever came by the keyboard goes on where the choice leads, and comes back to where it was made.
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
    // The address may spell the installation otherwise than the collector does.
    const installation = detail?.installation ?? this.#chosen;
    const summary = detail?.device ?? this.#devices.find((device) => device.installation === installation);
    fleetList(byId("fleet"), this.#devices, installation, choose, now);
    setText(byId("device-title"), summary || detail?.installation ? deviceName(summary ?? detail) : "Device");
    setText(byId("device-note"), "");
    if (detail === null) {
      if (this.#device === null) this.#say("Asking the collector…", []);
      return;
    }
    if (detail.installation === undefined) {
      this.#device = null;
      this.#say("No such device", [h("p", {}, "This collector has no event of the installation ", h("code", {}, this.#chosen), ". It may have been erased.")]);
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
      if (this.#answered > 0) this.#say("No device yet", howToBegin());
      return;
    }
    setText(byId("device-note"), this.#next !== undefined ? `the ${number(this.#devices.length)} seen last` : counted(this.#devices.length, "device"));
    const state = JSON.stringify([this.#devices, this.#next, this.#isAskingOlder]) + Math.floor(now / 5000);
    if (state === this.#drawn) return;
    this.#drawn = state;
    const focused = document.activeElement?.closest?.("#device-body [data-key]")?.dataset.key;
    const isFull = this.#devices.length >= most;
    const more = this.#next === undefined ? null : isFull ? h("p", { class: "panel-note" }, `The first ${number(most)} are shown.`)
      : h("button", { type: "button", class: "button small", "data-key": "older", onclick: () => this.#askOlder() }, this.#isAskingOlder ? "Asking…" : "Older");
    byId("device-body").replaceChildren(fleetTable(this.#devices, choose, now), ...(more === null ? [] : [h("div", { class: "fleet-foot" }, more)]));
    if (focused !== undefined) byId("device-body").querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  /** The devices seen before those that are shown. */
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

  /** Instead of the devices: a title, and what to do. */
  #say(title, lines) {
    byId("devices").dataset.shows = this.#chosen === null ? "all" : "one";
    if (byId("device-body").dataset.says === title && byId("device-body").querySelector(".empty")) return;
    byId("device-body").dataset.says = title;
    byId("device-body").replaceChildren(h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, title), lines));
  }

  #fail(error) {
    const why = error.wantsKey ? "The collector wants a key for reading." : error.status ? error.message : "The collector does not answer.";
    if (this.#answered > 0) {
      this.#trouble(`${why} What is shown is of ${clock(this.#answered).slice(0, 8)}.`);
      return;
    }
    this.#say(why, [h("button", { type: "button", class: "button", onclick: () => this.look(true) }, "Ask again")]);
  }

  #trouble(text) {
    byId("device-trouble").hidden = text === null;
    setText(byId("device-trouble"), text ?? "");
  }
}

/** An installation the collector does not know, or that can be none, is an answer; everything else is not. */
function absent(error) {
  if (error.status !== 404 && error.status !== 400) throw error;
  return {};
}

const howToBegin = () => [
  h("p", {}, "Snapshots tell what a device is and what its app is about. An app takes them when it is told to:"),
  h("pre", {}, "configuration.snapshots = SnapshotOptions()"),
  h("p", {}, "Apps that speak the format of Sift send theirs to ", h("code", {}, "/v3/accounts/…/mobile_events"), "."),
];
