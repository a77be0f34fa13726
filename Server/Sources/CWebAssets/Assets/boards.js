// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Dashboards: the list, and one dashboard with its cards, which can be moved, renamed, resized and removed. The URL contains the dashboard
// and its time range.

import { asQuery } from "./address.js";
import { ask, tell, whyNot } from "./ask.js";
import { BoardView, skeletons, tellAsked } from "./boardview.js";
import { plainCards, withZone } from "./cards.js";
import { byId, h, setText } from "./dom.js";
import { called } from "./figures.js";
import { counted } from "./format.js";
import { Links } from "./links.js";
import { unknown } from "./modes.js";
import { printable } from "./stream.js";

const lasts = { "": "As saved", "24h": "24 h", "7d": "7 days", "30d": "30 days", "90d": "90 days" };
const first = "first-look";
const path = (id) => `/v1/boards/${encodeURIComponent(id)}`;

/** The dashboards section. `moved()` is called when the URL changes, `wantKey()` when a key is needed. */
export class Boards {
  #moved;
  #wantKey;
  #isShown = false;
  #id = "";
  #last = "";
  #board = null;
  #isEditing = false;
  #list = [];
  #view;
  #links;
  #turn = 0;

  constructor(moved, wantKey) {
    this.#moved = moved;
    this.#wantKey = wantKey;
    this.#view = new BoardView(byId("board-cards"), {
      answer: (card, change, signal) => ask(`${path(this.#id || first)}/cards/${encodeURIComponent(card.id)}?${asQuery(change)}`, signal),
      tools: (card) => (this.#isEditing ? this.#tools(card) : null),
    });
    this.#links = new Links(wantKey, () => this.#load());
    byId("board-range").replaceChildren(...Object.entries(lasts).map(([last, text]) => h("button", {
      type: "button", "data-last": last, onclick: () => {
        this.#last = last;
        this.#moved();
        this.#draw();
      },
    }, text)));
    byId("board-edit").addEventListener("click", () => {
      this.#isEditing = !this.#isEditing;
      this.#draw(false);
    });
    byId("board-copy").addEventListener("click", () => this.#copy());
    byId("board-delete").addEventListener("click", () => this.#delete());
    byId("board-link").addEventListener("click", () => this.#links.open(this.#board));
    byId("board-new").addEventListener("click", () => this.#make({ title: "New dashboard", cards: [] }));
    byId("board-again").addEventListener("click", () => this.#load());
    // Enter in the title saves a change and must not submit the form.
    byId("board-form").addEventListener("submit", (event) => event.preventDefault());
    byId("board-name").addEventListener("change", ({ target: { value } }) => this.#save((board) => (board.title = value.trim())));
    byId("board-add").addEventListener("change", ({ target }) => {
      const kind = target.value;
      target.value = "";
      if (kind !== "") this.#save((board) => board.cards.push({ kind, ...plainCards[kind] }));
    });
  }

  get title() {
    return `${this.#board === null ? "Dashboards" : printable(this.#board.title)} – Trackway`;
  }

  get pairs() {
    return [["boards", this.#id], ...(this.#last === "" ? [] : [["last", this.#last]])];
  }

  restore(pairs) {
    const find = (key) => pairs.find(([name]) => name === key)?.[1] ?? "";
    const last = find("last");
    const id = find("boards");
    if (id !== this.#id) this.#board = null;
    this.#id = id;
    this.#last = last in lasts ? last : "";
    if (!(last in lasts)) return `“${last.slice(0, 64)}” is not a time range of a dashboard. Available: ${Object.keys(lasts).filter(Boolean).join(", ")}.`;
    return unknown(pairs.filter(([key]) => key !== "boards" && key !== "last"));
  }

  show(isShown) {
    this.#isShown = isShown;
    if (!isShown) return this.#view.stop();
    this.#load();
  }

  /** Opens a dashboard. */
  #go(id) {
    this.#id = id;
    this.#board = null;
    this.#isEditing = false;
    this.#moved();
    this.#load();
  }

  async #load() {
    const turn = (this.#turn += 1);
    this.#mark();
    if (this.#board === null) this.#wait();
    try {
      const asked = this.#patiently(path(this.#id || first));
      // If the dashboard is missing, the list of existing ones is still shown.
      const list = ask("/v1/boards").then((answer) => {
        if (turn !== this.#turn) return;
        this.#list = [...answer.ready_made.map((one) => ({ ...one, isReady: true })), ...answer.boards];
        this.#correctList();
        this.#drawList();
      });
      const [board] = await Promise.all([asked, list]);
      if (turn !== this.#turn) return;
      // A dashboard saved after the request was sent is newer than the response.
      const isOlder = this.#board?.id === board.id && this.#board.version > board.version;
      if (!isOlder) this.#board = board;
      if (this.#board.ready_made) this.#isEditing = false;
      this.#correctList();
      this.#drawList();
      this.#draw();
      document.title = this.title;
    } catch (error) {
      if (turn === this.#turn) this.#fail(error);
    }
  }

  async #patiently(place) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await ask(place);
      } catch (error) {
        if (error.code !== "too_many_questions" || attempt === 30) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  /** Shows placeholders until the dashboard is loaded. */
  #wait() {
    this.#view.stop();
    this.#offer(false);
    setText(byId("board-title"), "Dashboard");
    setText(byId("board-note"), "loading…");
    byId("board-cards").replaceChildren(...skeletons(4));
  }

  /** Shows a dashboard's controls only if there is a dashboard. */
  #offer(isThere) {
    byId("board-tools").hidden = !isThere;
    if (!isThere) byId("board-form").hidden = true;
  }

  #drawList() {
    const item = ({ id, title, isReady, cards }) => h("li", {}, h("a", {
      href: `/?boards=${encodeURIComponent(id)}`, "aria-current": id === (this.#id || first) ? "page" : null, onclick: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return; // Opens another tab or window.
        event.preventDefault();
        this.#go(id);
      },
    }, h("span", {}, called(title, 60)), h("small", {}, isReady ? "built-in" : counted(cards, "card"))));
    byId("board-list").replaceChildren(...this.#list.map(item));
  }

  /** Updates the dashboard's list entry, because the list may have been requested before a change. */
  #correctList() {
    const board = this.#board;
    if (board === null) return;
    this.#list = this.#list.map((one) => (one.id === board.id ? { ...one, title: board.title, cards: board.cards.length } : one));
  }

  #mark() {
    for (const button of byId("board-range").children) button.setAttribute("aria-pressed", String(button.dataset.last === this.#last));
  }

  #draw(isAnew = true) {
    const board = this.#board;
    if (board === null || !this.#isShown) return;
    this.#mark();
    this.#offer(true);
    const isOwn = !board.ready_made;
    setText(byId("board-title"), printable(board.title));
    if (isAnew) tellAsked(byId("board-note"));
    byId("board-edit").hidden = !isOwn;
    byId("board-edit").setAttribute("aria-pressed", String(this.#isEditing));
    setText(byId("board-edit"), this.#isEditing ? "Done" : "Edit");
    byId("board-link").hidden = !isOwn;
    byId("board-delete").hidden = !this.#isEditing;
    byId("board-form").hidden = !this.#isEditing;
    const name = byId("board-name");
    // A response that arrives during typing does not change the text.
    if (document.activeElement !== name || name.value === name.defaultValue) name.value = board.title;
    name.defaultValue = board.title;
    if (board.cards.length === 0) {
      this.#view.stop();
      byId("board-cards").replaceChildren(h("section", { class: "panel empty board-empty" }, h("p", { class: "empty-title" }, "Empty dashboard"),
        h("p", {}, "Create an insight and choose “Add to dashboard”, or choose “Edit” and add a card."), h("a", { class: "button", href: "/?questions=trends" }, "Create an insight")));
    } else this.#view.show(board.cards, this.#last, isAnew);
  }

  /** The controls of a card. */
  #tools(card) {
    const at = this.#board.cards.findIndex(({ id }) => id === card.id);
    // The dashboard may have changed by the time there is a key.
    const change = (act, how) => this.#save((board) => {
      const place = board.cards.findIndex(({ id }) => id === card.id);
      if (place >= 0) how(board.cards, place);
    }, card.id, act);
    const move = (by) => change(by < 0 ? "earlier" : "later", (cards, place) => cards.splice(place + by, 0, ...cards.splice(place, 1)));
    const button = (text, label, name, act, isOff = false) => h("button", { type: "button", class: "icon-button small", "data-act": name, "aria-label": `${label}: ${printable(card.title)}`, title: label, "aria-disabled": String(isOff), onclick: () => isOff || act() }, text);
    return h("div", { class: "card-tools", role: "group", "aria-label": `Change ${printable(card.title)}` },
      h("input", { type: "text", class: "card-rename", value: card.title, "aria-label": "Card title", maxlength: 200, onchange: ({ target: { value } }) => change(null, (cards, place) => (cards[place].title = value.trim())) }),
      button("←", "Move earlier", "earlier", () => move(-1), at === 0), button("→", "Move later", "later", () => move(1), at === this.#board.cards.length - 1),
      button(card.size === "full" ? "½" : "1", card.size === "full" ? "Half width" : "Full width", "size", () => change("size", (cards, place) => (cards[place].size = card.size === "full" ? "half" : "full"))),
      button("×", "Remove", "remove", () => change(null, (cards, place) => cards.splice(place, 1))));
  }

  /** Saves the dashboard with a change, and draws the saved version. If another user saved first, that version is shown with a message. */
  async #save(change, focused = null, act = null) {
    const board = structuredClone(this.#board);
    change(board);
    try {
      this.#board = await tell("PUT", path(board.id), { title: board.title, cards: board.cards, version: board.version });
      this.#say("Saved.");
    } catch (error) {
      this.#refuse(error, () => this.#save(change, focused, act));
      if (error.status === 409) {
        const name = byId("board-name");
        name.defaultValue = name.value;
        return this.#load();
      }
    }
    this.#correctList();
    this.#drawList();
    this.#draw(false);
    if (focused !== null && act !== null) byId("board-cards").querySelector(`[data-card="${CSS.escape(focused)}"] [data-act="${act}"]`)?.focus();
  }

  async #make(draft) {
    try {
      const made = await tell("POST", "/v1/boards", draft);
      this.#go(made.id);
      this.#isEditing = true;
      this.#say("Saved as a new dashboard.");
    } catch (error) {
      this.#refuse(error, () => this.#make(draft));
    }
  }

  /** Creates an own dashboard with the same cards and an explicit time zone. */
  #copy() {
    const { title, cards } = this.#board;
    this.#make({ title: this.#board.ready_made ? title : `Copy of ${title}`.slice(0, 200), cards: cards.map(withZone) });
  }

  async #delete() {
    const { id, version, title } = this.#board;
    const dialog = byId("board-sure");
    setText(byId("board-sure-text"), `“${printable(title).slice(0, 80)}” and its links will be deleted for everyone.`);
    dialog.showModal();
    const answer = await new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
    if (answer === "delete") this.#remove(id, version);
  }

  async #remove(id, version) {
    try {
      await tell("DELETE", `${path(id)}?version=${version}`);
      this.#go("");
      this.#say("Deleted.");
    } catch (error) {
      this.#refuse(error, () => this.#remove(id, version));
      if (error.status === 409) this.#load();
    }
  }

  #say(text) {
    const told = byId("board-told");
    told.classList.remove("wrong");
    setText(told, text);
  }

  /** `again` repeats the rejected action once there is a key. */
  #refuse(error, again) {
    if (error.wantsKey) this.#wantKey({ writes: true, again });
    const told = byId("board-told");
    told.classList.add("wrong");
    setText(told, error.status === 409 ? "Another user has just changed this dashboard. Their version is shown now; repeat your change." : error.status ? error.message : "The collector is not responding. Nothing was saved.");
  }

  #fail(error) {
    if (error.wantsKey) this.#wantKey();
    this.#view.stop();
    this.#board = null;
    this.#isEditing = false;
    this.#offer(false);
    const isGone = error.status === 404;
    setText(byId("board-title"), isGone ? "Not found" : "Dashboard");
    setText(byId("board-note"), "");
    byId("board-cards").replaceChildren(h("section", { class: "panel empty board-empty", role: "alert" }, h("p", { class: "empty-title" }, isGone ? "Dashboard not found" : "No response"),
      h("p", { class: "wrong" }, isGone ? `“${printable(this.#id).slice(0, 64)}” does not exist or was deleted.` : whyNot(error)),
      isGone ? h("a", { class: "button", href: "/?boards" }, "All dashboards") : h("button", { type: "button", class: "button", onclick: () => this.#load() }, "Try again")));
  }
}
