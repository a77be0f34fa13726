// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// “Save to a board”: a question becomes a card of a board, old or new.

import { ask, tell } from "./ask.js";
import { byId, h, setText } from "./dom.js";
import { printable } from "./stream.js";

const attempts = 5;

/** The dialog. `wantKey()` says that a key is needed. */
export class Saving {
  #wantKey;
  #card = null;

  constructor(wantKey) {
    this.#wantKey = wantKey;
    byId("save-board").addEventListener("change", () => this.#follow());
    byId("save-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#save();
    });
  }

  /** Asks where to save a card: {title, kind, query, size}. */
  async open(card) {
    this.#card = card;
    setText(byId("save-told"), "");
    byId("save-done").replaceChildren();
    byId("save-submit").hidden = false;
    byId("save-title").value = card.title;
    try {
      const { boards } = await ask("/v1/boards");
      byId("save-board").replaceChildren(...boards.map(({ id, title }) => h("option", { value: id }, printable(title).slice(0, 80))), h("option", { value: "" }, "A new board"));
    } catch (error) {
      if (error.wantsKey) return this.#wantKey({ again: () => this.open(card) });
      byId("save-board").replaceChildren(h("option", { value: "" }, "A new board"));
    }
    this.#follow();
    byId("save-dialog").showModal();
  }

  #follow() {
    byId("save-new").hidden = byId("save-board").value !== "";
  }

  async #save() {
    const card = { ...this.#card, title: byId("save-title").value.trim() };
    const id = byId("save-board").value;
    try {
      const board = id === "" ? await tell("POST", "/v1/boards", { title: byId("save-name").value.trim() || "My board", cards: [card] }) : await this.#append(id, card);
      setText(byId("save-told"), "");
      byId("save-done").replaceChildren("Saved to ", h("a", { href: `/?boards=${encodeURIComponent(board.id)}` }, printable(board.title).slice(0, 80)), ".");
      // It is saved: once more would make a second card.
      byId("save-submit").hidden = true;
      byId("save-done").querySelector("a").focus();
    } catch (error) {
      if (error.wantsKey) this.#wantKey({ writes: true, again: () => this.#save() });
      else setText(byId("save-told"), error.status ? error.message : "The collector does not answer: nothing was saved.");
    }
  }

  /** Behind the board's last card, whoever else saves at the same time. */
  async #append(id, card) {
    const path = `/v1/boards/${encodeURIComponent(id)}`;
    for (let attempt = 0; ; attempt += 1) {
      const { title, cards, version } = await ask(path);
      try {
        return await tell("PUT", path, { title, cards: [...cards, card], version });
      } catch (error) {
        if (error.status !== 409 || attempt === attempts) throw error;
      }
    }
  }
}
