// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// One board as it is looked at: its cards, each drawn as its answer arrives, a skeleton before and an error in its place.

import { h, setText } from "./dom.js";
import { called } from "./figures.js";
import { clock } from "./format.js";
import { changeOf, drawCard, emptyCard, linkOf } from "./cards.js";
import { printable } from "./stream.js";
import { ownZone } from "./zones.js";

/** So many answers are waited for at once: as many as the collector gives, and of those who come by a link one less. */
const atOnce = { all: 3, shared: 2 };
/** How long a card waits for others that ask, in times it asks again, a second or two apart; and after how many of them that is said. */
const patience = 600;
const soon = 5;
const liveEvery = 5000;
/** Of these no time is asked. */

/** Draws into `box`. `answer(card, change, signal)` asks for a card's answer; `tools(card)` gives a card's controls, or null. */
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

  /** Stops asking. */
  stop() {
    this.#request?.abort();
    this.#request = null;
  }

  /** Shows these cards. What was drawn of a card that asks the same stays until it is asked again. */
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

  /** A few at a time, in their order. */
  #work(waiting, last, signal) {
    const next = async () => {
      for (let job = waiting.shift(); job !== undefined && !signal.aborted; job = waiting.shift()) await this.#draw(job, last, signal);
    };
    for (const { body } of waiting) body.setAttribute("aria-busy", "true");
    for (let index = 0; index < (this.#isStill ? atOnce.shared : atOnce.all); index += 1) next();
  }

  async #draw({ card, body }, last, signal, isAgain = false) {
    try {
      const answer = await this.#patiently(card, last, signal, () => isAgain || body.append(h("p", { class: "panel-note card-waits" }, "Other questions are being answered; this one waits for its turn.")));
      const drawn = drawCard(card, answer, { isStill: this.#isStill, zone: ownZone() });
      if (signal.aborted) return;
      body.removeAttribute("aria-busy");
      if (drawn === null) body.replaceChildren(h("p", { class: "card-nothing" }, emptyCard(card)));
      else {
        // Of several charts on one page each has a name of its own.
        for (const part of [drawn.main, ...drawn.more]) for (const node of [part, ...part.querySelectorAll("[role=region]")]) node.setAttribute("aria-label", `${printable(card.title)}: ${node.getAttribute("aria-label") ?? "answer"}`);
        body.replaceChildren(drawn.main, ...(drawn.more.length > 0 ? [h("details", { class: "card-more" }, h("summary", {}, "Figures"), drawn.more)] : []));
      }
    } catch (error) {
      if (signal.aborted || isAgain) return;
      body.removeAttribute("aria-busy");
      const said = error.status ? error.message : "The collector does not answer.";
      body.replaceChildren(h("div", { class: "card-wrong" }, h("p", { class: "wrong" }, said), h("button", {
        type: "button", class: "button small", onclick: () => {
          body.setAttribute("aria-busy", "true");
          body.replaceChildren(skeleton(card));
          this.#draw({ card, body }, last, signal);
        },
      }, "Ask again")));
    }
  }

  async #patiently(card, last, signal, tell) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#answer(card, this.#isStill ? [] : changeOf(card, last), signal);
      } catch (error) {
        // Others are asking, too, or very often: a moment later there is room.
        if (!(error.code === "too_many_questions" || error.status === 429) || attempt === patience) throw error;
        if (attempt === soon) tell();
        await pause(1000 + 1000 * Math.random(), signal);
      }
    }
  }

  async #follow(live, last, signal) {
    while (!signal.aborted) {
      await pause(liveEvery, signal).catch(() => {}); // Told by the signal.
      if (signal.aborted || document.visibilityState !== "visible") continue;
      // While somebody reads its values, they stay.
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

/** In the place of cards of which nothing is known yet. */
export const skeletons = (count) => Array.from({ length: count }, () => h("section", { class: "panel card", "aria-busy": "true" }, skeleton({ kind: "" })));

const skeleton = (card) => h("div", { class: `skeleton card-skeleton${["ledger", "failed"].includes(card.kind) ? " low" : ""}` }, h("p", { class: "visually-hidden" }, "Asking the collector…"), Array.from({ length: 5 }, (_, index) => h("div", { class: `skeleton-bar s${index}` })));

/** Says when the cards were asked. */
export const tellAsked = (node) => setText(node, `asked at ${clock(Date.now()).slice(0, 5)}`);
