// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// “Add to dashboard”: saves an insight as a card of a new or existing dashboard.

import { getJSON, sendJSON } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { printable } from "./format.js";

const maximumRetries = 5;

/** The dialog that saves a card. `requestKey()` is called when a key is needed. */
export class SaveCardDialog {
  #requestKey;
  #card = null;

  constructor(requestKey) {
    this.#requestKey = requestKey;
    byId("save-board").addEventListener("change", () => this.#updateFields());
    byId("save-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#save();
    });
  }

  /** Opens the dialog for a card: {title, kind, query, size}. `note` explains how the card differs from the insight. */
  async open(card, note = "") {
    this.#card = card;
    setText(byId("save-note"), note);
    setText(byId("save-error"), "");
    byId("save-result").replaceChildren();
    byId("save-submit").hidden = false;
    byId("save-card-title").value = card.title;
    try {
      const { boards } = await getJSON("/v1/boards");
      byId("save-board").replaceChildren(...boards.map(({ id, title }) => h("option", { value: id }, printable(title).slice(0, 80))), h("option", { value: "" }, "New dashboard"));
    } catch (error) {
      if (error.needsKey) return this.#requestKey({ retry: () => this.open(card, note) });
      byId("save-board").replaceChildren(h("option", { value: "" }, "New dashboard"));
    }
    this.#updateFields();
    byId("save-dialog").showModal();
  }

  #updateFields() {
    byId("save-new-board").hidden = byId("save-board").value !== "";
  }

  async #save() {
    const card = { ...this.#card, title: byId("save-card-title").value.trim() };
    const id = byId("save-board").value;
    try {
      const board = id === "" ? await sendJSON("POST", "/v1/boards", { title: byId("save-board-title").value.trim() || "My dashboard", cards: [card] }) : await this.#appendCard(id, card);
      setText(byId("save-error"), "");
      byId("save-result").replaceChildren("Saved to ", h("a", { href: `/?boards=${encodeURIComponent(board.id)}` }, printable(board.title).slice(0, 80)), ".");
      // The card is saved; submitting the form again would create a second card.
      byId("save-submit").hidden = true;
      byId("save-result").querySelector("a").focus();
    } catch (error) {
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#save() });
      else setText(byId("save-error"), error.status ? error.message : "The collector is not responding. Nothing was saved.");
    }
  }

  /** Appends the card after the dashboard's last card, even if other users save the dashboard at the same time. */
  async #appendCard(id, card) {
    const path = `/v1/boards/${encodeURIComponent(id)}`;
    for (let attempt = 0; ; attempt += 1) {
      const { title, cards, version } = await getJSON(path);
      try {
        return await sendJSON("PUT", path, { title, cards: [...cards, card], version });
      } catch (error) {
        if (error.status !== 409 || attempt === maximumRetries) throw error;
      }
    }
  }
}
