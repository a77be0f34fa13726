// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// “Add to dashboard”: saves an insight as a card of a new or existing dashboard.

import { ask, tell } from "./ask.js";
import { byId, h, setText } from "./dom.js";
import { printable } from "./stream.js";

const attempts = 5;

/** The dialog. `wantKey()` is called when a key is needed. */
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

  /** Opens the dialog for a card: {title, kind, query, size}. */
  async open(card) {
    this.#card = card;
    setText(byId("save-told"), "");
    byId("save-done").replaceChildren();
    byId("save-submit").hidden = false;
    byId("save-title").value = card.title;
    try {
      const { boards } = await ask("/v1/boards");
      byId("save-board").replaceChildren(...boards.map(({ id, title }) => h("option", { value: id }, printable(title).slice(0, 80))), h("option", { value: "" }, "New dashboard"));
    } catch (error) {
      if (error.wantsKey) return this.#wantKey({ again: () => this.open(card) });
      byId("save-board").replaceChildren(h("option", { value: "" }, "New dashboard"));
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
      const board = id === "" ? await tell("POST", "/v1/boards", { title: byId("save-name").value.trim() || "My dashboard", cards: [card] }) : await this.#append(id, card);
      setText(byId("save-told"), "");
      byId("save-done").replaceChildren("Saved to ", h("a", { href: `/?boards=${encodeURIComponent(board.id)}` }, printable(board.title).slice(0, 80)), ".");
      // The card is saved: submitting again would create a second one.
      byId("save-submit").hidden = true;
      byId("save-done").querySelector("a").focus();
    } catch (error) {
      if (error.wantsKey) this.#wantKey({ writes: true, again: () => this.#save() });
      else setText(byId("save-told"), error.status ? error.message : "The collector is not responding. Nothing was saved.");
    }
  }

  /** Appends the card after the dashboard's last one, even while others save. */
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
