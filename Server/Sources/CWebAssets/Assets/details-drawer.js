// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The drawer: the details of an event or a rejected event.

import { getJSON, requestText } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { traceList } from "./event-trace.js";
import { formatDuration, formatExactTime, formatNumber, pluralize, printable } from "./format.js";
import { highlightedBlock, member, parseExact, pretty } from "./json.js";
import { eventTime } from "./live-table.js";

/** The drawer on the right. `onFilter(key, value)` filters the live table; `onClose()` restores the focus. */
export class DetailsDrawer {
  #onFilter;
  #onClose;
  #drawer = byId("drawer");
  #requestNumber = 0;

  constructor(onFilter, onClose) {
    this.#onFilter = onFilter;
    this.#onClose = onClose;
    byId("drawer-close").addEventListener("click", () => this.close());
  }

  get isOpen() {
    return !this.#drawer.hidden;
  }

  close() {
    if (!this.isOpen) return;
    this.#drawer.hidden = true;
    this.#requestNumber += 1;
    this.#onClose();
  }

  /** Shows a stored event, first with the data of the live table, then exactly as the collector stores it. */
  async showEvent(stored) {
    const event = stored.event;
    const requestNumber = this.#open(event.name, `${formatExactTime(eventTime(stored))} on the device`);
    const slot = h("div", {});
    const traceSlot = h("div", {});
    byId("drawer-body").replaceChildren(this.#facts(stored), slot, traceSlot);
    this.#showTrace(stored.id, traceSlot);
    let text = null;
    try {
      text = await requestText(`/v1/events/${encodeURIComponent(stored.id)}`);
    } catch {
      // The collector is not responding; the data of the live table remains.
    }
    if (requestNumber !== this.#requestNumber) return;
    let full;
    try {
      full = parseExact(text ?? JSON.stringify(stored));
    } catch {
      full = parseExact(JSON.stringify(stored));
    }
    const context = member(full, "context");
    slot.replaceChildren(
      this.#json("Event", member(full, "event") ?? full, true),
      ...(context?.members?.length ? [this.#json("Context", context, false)] : []),
    );
  }

  /** Shows the trace of the event from the device to the index. */
  async #showTrace(id, slot) {
    try {
      slot.replaceChildren(h("details", { class: "drawer-section", open: true }, h("summary", {}, "Trace"), traceList(await getJSON(`/v1/events/${encodeURIComponent(id)}/life`))));
    } catch {
      // The log no longer contains the event, or the collector is not responding; the data above remains.
    }
  }

  /** Shows the event with an ID from the URL. */
  async showEventWithID(id) {
    const requestNumber = this.#open("Event", "");
    byId("drawer-body").replaceChildren(h("p", { class: "drawer-message" }, "Loading…"));
    try {
      const stored = await getJSON(`/v1/events/${encodeURIComponent(id)}`);
      if (requestNumber === this.#requestNumber) this.showEvent(stored);
    } catch (error) {
      if (requestNumber !== this.#requestNumber) return;
      byId("drawer-body").replaceChildren(h("p", { class: "drawer-message error" }, error.status ? error.message : "The collector is not responding."), facts([["ID", h("code", {}, id.slice(0, 128))]]));
    }
  }

  /** Shows a rejected event, first with the data in the list, then with all stored data. */
  async showRejection(rejection) {
    const requestNumber = this.#open(rejection.code, `${formatExactTime(rejection.received)} · rejected`);
    this.#drawRejection(rejection);
    if (!(rejection.bytes > (rejection.content ?? "").length)) return;
    try {
      const full = await getJSON(`/v1/failed?position=${encodeURIComponent(rejection.position)}`);
      if (requestNumber === this.#requestNumber) this.#drawRejection(full);
    } catch {
      // The collector is not responding; the beginning of the event remains.
    }
  }

  #drawRejection(rejection) {
    const body = rejection.content ?? "";
    let content;
    try {
      content = this.#json("Body", parseExact(body), true);
    } catch {
      content = this.#section("Body", h("pre", { class: "json", tabindex: "0" }, printableBody(body)), body, true);
    }
    byId("drawer-body").replaceChildren(
      h("p", { class: "drawer-message" }, printable(rejection.message ?? "")),
      facts([["Field", rejection.field], ["Key", rejection.key], ["Size", Number.isFinite(rejection.bytes) ? pluralize(rejection.bytes, "byte") : null], ["Position", rejection.position]]),
      content,
    );
  }

  #open(title, time) {
    setText(byId("drawer-title"), printable(title));
    setText(byId("drawer-time"), time);
    const wasHidden = this.#drawer.hidden;
    this.#drawer.hidden = false;
    byId("drawer-body").scrollTop = 0;
    if (wasHidden && matchMedia("(max-width: 899px)").matches) byId("drawer-title").focus();
    this.#requestNumber += 1;
    return this.#requestNumber;
  }

  #facts(stored) {
    const link = (key, value) => value && h("button", {
      type: "button", class: "link", title: `Filter by ${key}:${value}`, onclick: () => this.#onFilter(key, value),
    }, printable(value));
    return facts([
      ["ID", h("code", {}, stored.id)],
      ["Received", Number.isFinite(stored.received) ? `${formatExactTime(stored.received)} (${delayText(stored.received - eventTime(stored))})` : null],
      ["Device clock", Number.isFinite(stored.event.time) && stored.event.time !== eventTime(stored) ? `${formatExactTime(stored.event.time)}, corrected` : null],
      ["User", link("user", stored.user)],
      ["Session", link("session", stored.session)],
      ["Installation", link("installation", stored.installation)],
      ["Project", link("project", stored.context?.app?.project)],
      ["Process", stored.writer && h("code", {}, stored.writer)],
      ["Sequence", stored.sequence === undefined || stored.sequence === null ? null : formatNumber(stored.sequence)],
      ["Position", h("code", {}, stored.position)],
    ]);
  }

  #json(title, node, isOpen) {
    return this.#section(title, highlightedBlock(node), pretty(node), isOpen);
  }

  #section(title, content, text, isOpen) {
    const copy = h("button", { type: "button", class: "button small" }, "Copy");
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        setText(copy, "Copied");
      } catch {
        // The clipboard requires a secure origin. Select the text instead, so that it can be copied with the keyboard.
        getSelection().selectAllChildren(content);
        setText(copy, "Selected");
      }
      setTimeout(() => setText(copy, "Copy"), 1500);
    });
    return h("details", { class: "drawer-section", open: isOpen }, h("summary", {}, title), copy, content);
  }
}

function facts(pairs) {
  return h("dl", { class: "facts" }, pairs.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([key, value]) =>
    h("div", {}, h("dt", {}, key), h("dd", {}, value))));
}

/** Formats a delay. A negative delay means that the device's clock is ahead. */
const delayText = (ms) => (ms < 0 ? `${formatDuration(-ms)} before: the device's clock is ahead` : `${formatDuration(ms)} later`);

const printableBody = (text) => text.split("\n").map(printable).join("\n");
