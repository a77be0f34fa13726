// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Creates links to a dashboard that work without a key, shows each link once, and revokes links.

import { getJSON, sendJSON } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { formatDateTime, pluralize } from "./format.js";

/**
 * The dialog for a dashboard's links. `requestKey()` is called when a key is needed; `onChange()`, when links change.
 */
export class ShareDialog {
  #requestKey;
  #onChange;
  #board = null;

  constructor(requestKey, onChange) {
    this.#requestKey = requestKey;
    this.#onChange = onChange;
    byId("link-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#createLink();
    });
    byId("link-revoke").addEventListener("click", () => this.#revokeAll());
    byId("link-dialog").addEventListener("close", () => {
      byId("link-created").replaceChildren();
      this.#onChange();
    });
  }

  open(board) {
    this.#board = board;
    setText(byId("link-status"), "");
    this.#showCount(board.links);
    byId("link-dialog").showModal();
  }

  #showCount(links) {
    const permanentCount = links.filter(({ expires }) => expires === undefined).length;
    setText(byId("link-count"), links.length === 0 ? "No active links." : `${pluralize(links.length, "active link")}${permanentCount > 0 ? `, ${permanentCount} without expiration` : `, the last expires ${formatDateTime(Math.max(...links.map(({ expires }) => expires))).slice(0, 16)}`}.`);
    byId("link-revoke").hidden = links.length === 0;
  }

  async #perform(action) {
    try {
      await action();
      this.#showCount((await getJSON(`/v1/boards/${encodeURIComponent(this.#board.id)}`)).links);
    } catch (error) {
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#perform(action) });
      else setText(byId("link-status"), error.status ? error.message : "The collector is not responding.");
    }
  }

  #createLink() {
    const length = byId("link-expiry").value;
    return this.#perform(async () => {
      const { path } = await sendJSON("POST", `/v1/boards/${encodeURIComponent(this.#board.id)}/links${length === "" ? "" : `?expires_in=${length}`}`);
      const input = h("input", { type: "text", readonly: true, class: "link-text", "aria-label": "The link", value: location.origin + path });
      byId("link-created").replaceChildren(h("p", {}, "The link is shown only once. Copy it now."), input);
      input.focus();
      input.select();
      setText(byId("link-status"), "");
    });
  }

  #revokeAll() {
    return this.#perform(async () => {
      await sendJSON("DELETE", `/v1/boards/${encodeURIComponent(this.#board.id)}/links`);
      byId("link-created").replaceChildren();
      setText(byId("link-status"), "All links to this dashboard were revoked.");
    });
  }
}
