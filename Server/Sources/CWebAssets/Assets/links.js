// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Links to a dashboard that work without a key: created, shown once, revoked.

import { ask, tell } from "./ask.js";
import { byId, h, setText } from "./dom.js";
import { counted, dateAndClock } from "./format.js";

/** The dialog. `wantKey()` is called when a key is needed, `changed()` when links change. */
export class Links {
  #wantKey;
  #changed;
  #board = null;

  constructor(wantKey, changed) {
    this.#wantKey = wantKey;
    this.#changed = changed;
    byId("link-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#make();
    });
    byId("link-revoke").addEventListener("click", () => this.#revoke());
    byId("link-dialog").addEventListener("close", () => {
      byId("link-made").replaceChildren();
      this.#changed();
    });
  }

  open(board) {
    this.#board = board;
    setText(byId("link-told"), "");
    this.#count(board.links);
    byId("link-dialog").showModal();
  }

  #count(links) {
    const lasting = links.filter(({ expires }) => expires === undefined).length;
    setText(byId("link-count"), links.length === 0 ? "No active links." : `${counted(links.length, "active link")}${lasting > 0 ? `, ${lasting} without expiration` : `, the last expires ${dateAndClock(Math.max(...links.map(({ expires }) => expires))).slice(0, 16)}`}.`);
    byId("link-revoke").hidden = links.length === 0;
  }

  async #act(act) {
    try {
      await act();
      this.#count((await ask(`/v1/boards/${encodeURIComponent(this.#board.id)}`)).links);
    } catch (error) {
      if (error.wantsKey) this.#wantKey({ writes: true, again: () => this.#act(act) });
      else setText(byId("link-told"), error.status ? error.message : "The collector is not responding.");
    }
  }

  #make() {
    const length = byId("link-length").value;
    return this.#act(async () => {
      const { path } = await tell("POST", `/v1/boards/${encodeURIComponent(this.#board.id)}/links${length === "" ? "" : `?expires_in=${length}`}`);
      const input = h("input", { type: "text", readonly: true, class: "link-text", "aria-label": "The link", value: location.origin + path });
      byId("link-made").replaceChildren(h("p", {}, "The link is shown only once. Copy it now."), input);
      input.focus();
      input.select();
      setText(byId("link-told"), "");
    });
  }

  #revoke() {
    return this.#act(async () => {
      await tell("DELETE", `/v1/boards/${encodeURIComponent(this.#board.id)}/links`);
      byId("link-made").replaceChildren();
      setText(byId("link-told"), "All links to this dashboard were revoked.");
    });
  }
}
