// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A dashboard. Each card is drawn when its response arrives; until then it shows a skeleton, and on failure an error
// message.

import { cardLink, drawCard, emptyMessage, extraParams } from "./board-cards.js";
import { nameNode } from "./data-table.js";
import { h, setText } from "./dom.js";
import { formatDateTime, printable } from "./format.js";
import { defaultZone } from "./time-zones.js";

/**
 * The maximum number of concurrent requests: the number of queries that the collector runs at once, or one fewer for
 * visitors with a shared link.
 */
const maximumConcurrent = { all: 3, shared: 2 };
/**
 * The maximum number of retries of a card, one or two seconds apart, while other queries run. After
 * `retriesBeforeNotice` retries, the card shows that it is waiting.
 */
const maximumRetries = 600;
const retriesBeforeNotice = 5;
const liveInterval = 5000;
/**
 * A dashboard, drawn into `box`. `fetchCard(card, change, signal)` requests a card's data; `tools(card)` returns a
 * card's controls, or null.
 */
export class BoardView {
  #box;
  #fetchCard;
  #tools;
  #isReadOnly;
  #request = null;
  #bodies = new Map();

  constructor(box, { fetchCard, tools = () => null, isReadOnly = false }) {
    this.#box = box;
    this.#fetchCard = fetchCard;
    this.#tools = tools;
    this.#isReadOnly = isReadOnly;
  }

  /** Stops all requests. */
  stop() {
    this.#request?.abort();
    this.#request = null;
  }

  /** Shows these cards. A card with an unchanged query keeps its contents until it is refreshed. */
  show(cards, last, isReload = true) {
    this.stop();
    const request = new AbortController();
    this.#request = request;
    const previous = this.#bodies;
    this.#bodies = new Map();
    const queue = [];
    this.#box.replaceChildren(...cards.map((card) => {
      const key = JSON.stringify([card.kind, card.query, last]);
      const existing = isReload ? undefined : previous.get(`${card.id} ${key}`);
      const body = existing ?? h("div", { class: "card-body" }, skeleton(card));
      this.#bodies.set(`${card.id} ${key}`, body);
      if (existing === undefined || body.hasAttribute("aria-busy")) queue.push({ card, body });
      return this.#cardFrame(card, body);
    }));
    this.#runQueue(queue, last, request.signal);
    const live = cards.filter(({ kind }) => kind === "live").map((card) => ({ card, body: this.#bodies.get(`${card.id} ${JSON.stringify([card.kind, card.query, last])}`) }));
    if (live.length > 0) this.#pollLive(live, last, request.signal);
  }

  #cardFrame(card, body) {
    const link = cardLink(card);
    const title = h("h3", { id: `card-${card.id}`, tabindex: "-1" }, this.#isReadOnly ? nameNode(card.title, 200) : h("a", { href: link }, nameNode(card.title, 200)));
    return h("article", { class: `panel card ${card.size} card-${card.kind}`, "aria-labelledby": `card-${card.id}`, "data-card": card.id }, h("header", { class: "card-head" }, title, this.#tools(card)), body);
  }

  /** Loads a few cards at a time, in order. */
  #runQueue(queue, last, signal) {
    const next = async () => {
      for (let job = queue.shift(); job !== undefined && !signal.aborted; job = queue.shift()) await this.#drawCard(job, last, signal);
    };
    for (const { body } of queue) body.setAttribute("aria-busy", "true");
    for (let index = 0; index < (this.#isReadOnly ? maximumConcurrent.shared : maximumConcurrent.all); index += 1) next();
  }

  async #drawCard({ card, body }, last, signal, isRefresh = false) {
    try {
      const response = await this.#fetchWithRetry(card, last, signal, () => isRefresh || body.append(h("p", { class: "panel-note card-waiting" }, "Waiting for other queries to finish.")));
      const rendered = drawCard(card, response, { isReadOnly: this.#isReadOnly, zone: defaultZone() });
      if (signal.aborted) return;
      body.removeAttribute("aria-busy");
      if (rendered === null) body.replaceChildren(h("p", { class: "card-empty" }, emptyMessage(card)));
      else {
        // Each chart on a page needs a distinct label.
        for (const part of [rendered.main, ...rendered.more]) for (const node of [part, ...part.querySelectorAll("[role=region]")]) node.setAttribute("aria-label", `${printable(card.title)}: ${node.getAttribute("aria-label") ?? "result"}`);
        body.replaceChildren(rendered.main, ...(rendered.more.length > 0 ? [h("details", { class: "card-more" }, h("summary", {}, "Data"), rendered.more)] : []));
      }
    } catch (error) {
      if (signal.aborted || isRefresh) return;
      body.removeAttribute("aria-busy");
      const message = error.status ? error.message : "The collector is not responding.";
      body.replaceChildren(h("div", { class: "card-error" }, h("p", { class: "error" }, message), h("button", {
        type: "button", class: "button small", onclick: () => {
          body.setAttribute("aria-busy", "true");
          body.replaceChildren(skeleton(card));
          this.#drawCard({ card, body }, last, signal);
        },
      }, "Try again")));
    }
  }

  async #fetchWithRetry(card, last, signal, onWait) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.#fetchCard(card, this.#isReadOnly ? [] : extraParams(card, last), signal);
      } catch (error) {
        // Other queries are running, or the request rate is too high, so retry after a short delay.
        if (!(error.code === "too_many_questions" || error.status === 429) || attempt === maximumRetries) throw error;
        if (attempt === retriesBeforeNotice) onWait();
        await delay(1000 + 1000 * Math.random(), signal);
      }
    }
  }

  async #pollLive(live, last, signal) {
    while (!signal.aborted) {
      await delay(liveInterval, signal).catch(() => {}); // The signal is checked below.
      if (signal.aborted || document.visibilityState !== "visible") continue;
      // A card under the pointer or with the focus is not redrawn.
      for (const job of live) if (!job.body.hasAttribute("aria-busy") && !job.body.matches(":hover, :focus-within")) await this.#drawCard(job, last, signal, true);
    }
  }
}

function delay(ms, signal) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    }, { once: true });
  });
}

/** Returns placeholders for cards that have not been loaded yet. */
export const skeletons = (count) => Array.from({ length: count }, () => h("section", { class: "panel card", "aria-busy": "true" }, skeleton({ kind: "" })));

const skeleton = (card) => h("div", { class: `skeleton card-skeleton${["ledger", "failed"].includes(card.kind) ? " short" : ""}` }, h("p", { class: "visually-hidden" }, "Loading…"), Array.from({ length: 5 }, (_, index) => h("div", { class: `skeleton-bar s${index}` })));

/** Shows when the cards were loaded. */
export const showUpdateTime = (node) => setText(node, `updated ${formatDateTime(Date.now()).slice(0, 16)}`);
