// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A dashboard: each card is drawn as its response arrives, with a skeleton before and an error message instead on failure.

import { h, setText } from "./dom.js";
import { called } from "./figures.js";
import { dateAndClock } from "./format.js";
import { changeOf, drawCard, emptyCard, linkOf } from "./cards.js";
import { printable } from "./stream.js";
import { ownZone } from "./zones.js";

/** The maximum concurrent requests: as many as the collector answers, one fewer for visitors with a link. */
const atOnce = { all: 3, shared: 2 };
/**
 * The maximum retries of a card, one or two seconds apart, while other queries run; `soon` is the number of retries after which the card
 * says that it is waiting.
 */
const patience = 600;
const soon = 5;
const liveEvery = 5000;
/** Draws into `box`. `answer(card, change, signal)` requests a card's data; `tools(card)` returns a card's controls, or null. */
export class BoardView {
  #box;
  #answer;
  #tools;
  #isStill;
  #request = null;
  #bodies = new Map();

  constructor(box, { answer, tools = () => null, isStill = false }) {
    this.#box = box;
    this.#answer = answer;
    this.#tools = tools;
    this.#isStill = isStill;
  }

  /** Stops all requests. */
  stop() {
    this.#request?.abort();
    this.#request = null;
  }

  /** Shows these cards. A card with an unchanged query keeps its drawing until it is refreshed. */
  show(cards, last, isAnew = true) {
    this.stop();
    const request = new AbortController();
    this.#request = request;
    const before = this.#bodies;
    this.#bodies = new Map();
    const waiting = [];
    this.#box.replaceChildren(...cards.map((card) => {
      const key = JSON.stringify([card.kind, card.query, last]);
      const kept = isAnew ? undefined : before.get(`${card.id} ${key}`);
      const body = kept ?? h("div", { class: "card-body" }, skeleton(card));
      this.#bodies.set(`${card.id} ${key}`, body);
      if (kept === undefined || body.hasAttribute("aria-busy")) waiting.push({ card, body });
      return this.#frame(card, body);
    }));
    this.#work(waiting, last, request.signal);
    const live = cards.filter(({ kind }) => kind === "live").map((card) => ({ card, body: this.#bodies.get(`${card.id} ${JSON.stringify([card.kind, card.query, last])}`) }));
    if (live.length > 0) this.#follow(live, last, request.signal);
  }

  #frame(card, body) {
    const link = linkOf(card);
    const title = h("h3", { id: `card-${card.id}`, tabindex: "-1" }, this.#isStill ? called(card.title, 200) : h("a", { href: link }, called(card.title, 200)));
    return h("article", { class: `panel card ${card.size} card-${card.kind}`, "aria-labelledby": `card-${card.id}`, "data-card": card.id }, h("header", { class: "card-head" }, title, this.#tools(card)), body);
  }

  /** Loads a few cards at a time, in order. */
  #work(waiting, last, signal) {
    const next = async () => {
      for (let job = waiting.shift(); job !== undefined && !signal.aborted; job = waiting.shift()) await this.#draw(job, last, signal);
    };
    for (const { body } of waiting) body.setAttribute("aria-busy", "true");
    for (let index = 0; index < (this.#isStill ? atOnce.shared : atOnce.all); index += 1) next();
  }

  async #draw({ card, body }, last, signal, isAgain = false) {
    try {
      const answer = await this.#patiently(card, last, signal, () => isAgain || body.append(h("p", { class: "panel-note card-waits" }, "Waiting for other queries to finish.")));
      const drawn = drawCard(card, answer, { isStill: this.#isStill, zone: ownZone() });
      if (signal.aborted) return;
      body.removeAttribute("aria-busy");
      if (drawn === null) body.replaceChildren(h("p", { class: "card-nothing" }, emptyCard(card)));
      else {
        // Each of several charts on a page needs a distinct label.
        for (const part of [drawn.main, ...drawn.more]) for (const node of [part, ...part.querySelectorAll("[role=region]")]) node.setAttribute("aria-label", `${printable(card.title)}: ${node.getAttribute("aria-label") ?? "result"}`);
        body.replaceChildren(drawn.main, ...(drawn.more.length > 0 ? [h("details", { class: "card-more" }, h("summary", {}, "Data"), drawn.more)] : []));
      }
    } catch (error) {
      if (signal.aborted || isAgain) return;
      body.removeAttribute("aria-busy");
      const said = error.status ? error.message : "The collector is not responding.";
      body.replaceChildren(h("div", { class: "card-wrong" }, h("p", { class: "wrong" }, said), h("button", {
        type: "button", class: "button small", onclick: () => {
          body.setAttribute("aria-busy", "true");
          body.replaceChildren(skeleton(card));
          this.#draw({ card, body }, last, signal);
        },
      }, "Try again")));
    }
  }

  async #patiently(card, last, signal, tell) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#answer(card, this.#isStill ? [] : changeOf(card, last), signal);
      } catch (error) {
        // Other queries are running, or the request rate is too high: retry a moment later.
        if (!(error.code === "too_many_questions" || error.status === 429) || attempt === patience) throw error;
        if (attempt === soon) tell();
        await pause(1000 + 1000 * Math.random(), signal);
      }
    }
  }

  async #follow(live, last, signal) {
    while (!signal.aborted) {
      await pause(liveEvery, signal).catch(() => {}); // The signal is checked below.
      if (signal.aborted || document.visibilityState !== "visible") continue;
      // A card under the pointer or with the focus is not redrawn.
      for (const job of live) if (!job.body.hasAttribute("aria-busy") && !job.body.matches(":hover, :focus-within")) await this.#draw(job, last, signal, true);
    }
  }
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

/** Placeholders for cards that are not known yet. */
export const skeletons = (count) => Array.from({ length: count }, () => h("section", { class: "panel card", "aria-busy": "true" }, skeleton({ kind: "" })));

const skeleton = (card) => h("div", { class: `skeleton card-skeleton${["ledger", "failed"].includes(card.kind) ? " low" : ""}` }, h("p", { class: "visually-hidden" }, "Loading…"), Array.from({ length: 5 }, (_, index) => h("div", { class: `skeleton-bar s${index}` })));

/** Shows when the cards were loaded. */
export const tellAsked = (node) => setText(node, `updated ${dateAndClock(Date.now()).slice(0, 16)}`);
