// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The drawer: details of one event or one rejected event.

import { ask, askText } from "./ask.js";
import { byId, h, setText } from "./dom.js";
import { counted, duration, exactTime, number } from "./format.js";
import { lifeList } from "./life.js";
import { block, member, parseExact, pretty } from "./json.js";
import { printable, timeOf } from "./stream.js";

/** The drawer on the right. `choose(key, value)` filters the stream; `closed()` restores the focus. */
export class Detail {
  #choose;
  #closed;
  #drawer = byId("drawer");
  #request = 0;

  constructor(choose, closed) {
    this.#choose = choose;
    this.#closed = closed;
    byId("drawer-close").addEventListener("click", () => this.close());
  }

  get isOpen() {
    return !this.#drawer.hidden;
  }

  close() {
    if (!this.isOpen) return;
    this.#drawer.hidden = true;
    this.#request += 1;
    this.#closed();
  }

  /** Shows a stored event immediately with the stream's data, then exactly as the collector stores it. */
  async showEvent(stored) {
    const event = stored.event;
    const request = this.#begin(event.name, `${exactTime(timeOf(stored))} on the device`);
    const slot = h("div", {});
    const life = h("div", {});
    byId("drawer-body").replaceChildren(this.#facts(stored), slot, life);
    this.#showLife(stored.id, life);
    let text = null;
    try {
      text = await askText(`/v1/events/${encodeURIComponent(stored.id)}`);
    } catch {
      // The collector is not responding: the stream's data is shown instead.
    }
    if (request !== this.#request) return;
    let whole;
    try {
      whole = parseExact(text ?? JSON.stringify(stored));
    } catch {
      whole = parseExact(JSON.stringify(stored));
    }
    const context = member(whole, "context");
    slot.replaceChildren(
      this.#json("Event", member(whole, "event") ?? whole, true),
      ...(context?.members?.length ? [this.#json("Context", context, false)] : []),
    );
  }

  /** Shows the event's path from the device to the index. */
  async #showLife(id, slot) {
    try {
      slot.replaceChildren(h("details", { class: "section", open: true }, h("summary", {}, "Trace"), lifeList(await ask(`/v1/events/${encodeURIComponent(id)}/life`))));
    } catch {
      // The log no longer has the event, or the collector is not responding: the data above remains.
    }
  }

  /** Shows the event with this id, for the URL. */
  async showStored(id) {
    const request = this.#begin("Event", "");
    byId("drawer-body").replaceChildren(h("p", { class: "drawer-message" }, "Loading…"));
    try {
      const stored = await ask(`/v1/events/${encodeURIComponent(id)}`);
      if (request === this.#request) this.showEvent(stored);
    } catch (error) {
      if (request !== this.#request) return;
      byId("drawer-body").replaceChildren(h("p", { class: "drawer-message wrong" }, error.status ? error.message : "The collector is not responding."), facts([["Id", h("code", {}, id.slice(0, 128))]]));
    }
  }

  /** Shows a rejected event, immediately with the list's data, then with everything stored about it. */
  async showFailure(failure) {
    const request = this.#begin(failure.code, `${exactTime(failure.received)} · rejected`);
    this.#drawFailure(failure);
    if (!(failure.bytes > (failure.content ?? "").length)) return;
    try {
      const whole = await ask(`/v1/failed?position=${encodeURIComponent(failure.position)}`);
      if (request === this.#request) this.#drawFailure(whole);
    } catch {
      // The collector is not responding: the beginning is shown.
    }
  }

  #drawFailure(failure) {
    const body = failure.content ?? "";
    let content;
    try {
      content = this.#json("Body", parseExact(body), true);
    } catch {
      content = this.#section("Body", h("pre", { class: "json", tabindex: "0" }, printableBody(body)), body, true);
    }
    byId("drawer-body").replaceChildren(
      h("p", { class: "drawer-message" }, printable(failure.message ?? "")),
      facts([["Field", failure.field], ["Key", failure.key], ["Size", Number.isFinite(failure.bytes) ? counted(failure.bytes, "byte") : null], ["Position", failure.position]]),
      content,
    );
  }

  #begin(title, time) {
    setText(byId("drawer-title"), printable(title));
    setText(byId("drawer-time"), time);
    const opened = this.#drawer.hidden;
    this.#drawer.hidden = false;
    byId("drawer-body").scrollTop = 0;
    if (opened && matchMedia("(max-width: 899px)").matches) byId("drawer-title").focus();
    this.#request += 1;
    return this.#request;
  }

  #facts(stored) {
    const link = (key, value) => value && h("button", {
      type: "button", class: "link", title: `Filter by ${key}:${value}`, onclick: () => this.#choose(key, value),
    }, printable(value));
    return facts([
      ["Id", h("code", {}, stored.id)],
      ["Received", Number.isFinite(stored.received) ? `${exactTime(stored.received)} (${delay(stored.received - timeOf(stored))})` : null],
      ["Device clock", Number.isFinite(stored.event.time) && stored.event.time !== timeOf(stored) ? `${exactTime(stored.event.time)}, corrected` : null],
      ["User", link("user", stored.user)],
      ["Session", link("session", stored.session)],
      ["Installation", link("installation", stored.installation)],
      ["Project", link("project", stored.context?.app?.project)],
      ["Process", stored.writer && h("code", {}, stored.writer)],
      ["Sequence", stored.sequence === undefined || stored.sequence === null ? null : number(stored.sequence)],
      ["Position", h("code", {}, stored.position)],
    ]);
  }

  #json(title, node, open) {
    return this.#section(title, block(node), pretty(node), open);
  }

  #section(title, content, text, open) {
    const copy = h("button", { type: "button", class: "button small" }, "Copy");
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        setText(copy, "Copied");
      } catch {
        // The clipboard needs a secure origin: select the text instead, so that the keyboard can copy it.
        getSelection().selectAllChildren(content);
        setText(copy, "Selected");
      }
      setTimeout(() => setText(copy, "Copy"), 1500);
    });
    return h("details", { class: "section", open }, h("summary", {}, title), copy, content);
  }
}

function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([key, value]) =>
    h("div", {}, h("dt", {}, key), h("dd", {}, value))));
}

/** A negative delay means that the device's clock is ahead. */
const delay = (ms) => (ms < 0 ? `${duration(-ms)} before: the device's clock is ahead` : `${duration(ms)} later`);

const printableBody = (text) => text.split("\n").map(printable).join("\n");
