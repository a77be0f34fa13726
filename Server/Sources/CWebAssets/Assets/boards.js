// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Boards: their list, and one with its cards, which can be moved, renamed, widened and removed. The address says which, and in which time.

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

/** The part of the page for boards. `moved()` says that the address is another; `wantKey()` that a key is needed. */
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
    byId("board-new").addEventListener("click", () => this.#make({ title: "New board", cards: [] }));
    byId("board-again").addEventListener("click", () => this.#load());
    // Enter in the title is a change like any other, and no reason to leave the page.
    byId("board-form").addEventListener("submit", (event) => event.preventDefault());
    byId("board-name").addEventListener("change", ({ target: { value } }) => this.#save((board) => (board.title = value.trim())));
    byId("board-add").addEventListener("change", ({ target }) => {
      const kind = target.value;
      target.value = "";
      if (kind !== "") this.#save((board) => board.cards.push({ kind, ...plainCards[kind] }));
    });
  }

  get title() {
    return `${this.#board === null ? "Boards" : printable(this.#board.title)} – Trackway`;
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
    if (!(last in lasts)) return `“${last.slice(0, 64)}” is no time of a board: there are ${Object.keys(lasts).filter(Boolean).join(", ")}.`;
    return unknown(pairs.filter(([key]) => key !== "boards" && key !== "last"));
  }

  show(isShown) {
    this.#isShown = isShown;
    if (!isShown) return this.#view.stop();
    this.#load();
  }

  /** Goes to a board. */
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
      // Whoever asks for a board that is gone sees those that there are.
      const list = ask("/v1/boards").then((answer) => {
        if (turn !== this.#turn) return;
        this.#list = [...answer.ready_made.map((one) => ({ ...one, isReady: true })), ...answer.boards];
        this.#correctList();
        this.#drawList();
      });
      const [board] = await Promise.all([asked, list]);
      if (turn !== this.#turn) return;
      // A board that was saved after this was asked is newer than the answer.
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

  /** Until it is known what is on the board. */
  #wait() {
    this.#view.stop();
    this.#offer(false);
    setText(byId("board-title"), "Board");
    setText(byId("board-note"), "asking the collector…");
    byId("board-cards").replaceChildren(...skeletons(4));
  }

  /** What can be done with a board is offered where there is one. */
  #offer(isThere) {
    byId("board-tools").hidden = !isThere;
    if (!isThere) byId("board-form").hidden = true;
  }

  #drawList() {
    const item = ({ id, title, isReady, cards }) => h("li", {}, h("a", {
      href: `/?boards=${encodeURIComponent(id)}`, "aria-current": id === (this.#id || first) ? "page" : null, onclick: (event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return; // Another tab or window is meant.
        event.preventDefault();
        this.#go(id);
      },
    }, h("span", {}, called(title, 60)), h("small", {}, isReady ? "ready-made" : counted(cards, "card"))));
    byId("board-list").replaceChildren(...this.#list.map(item));
  }

  /** Shows the board in the list as it is shown beside it: the list may have been asked before a change. */
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
      byId("board-cards").replaceChildren(h("section", { class: "panel empty board-empty" }, h("p", { class: "empty-title" }, "An empty board"),
        h("p", {}, "Ask a question and choose “Save to a board”, or choose “Edit” and add what needs no question."), h("a", { class: "button", href: "/?questions=trends" }, "Ask a question")));
    } else this.#view.show(board.cards, this.#last, isAnew);
  }

  /** What can be done with a card. */
  #tools(card) {
    const at = this.#board.cards.findIndex(({ id }) => id === card.id);
    // The board may be another by the time there is a key.
    const change = (act, how) => this.#save((board) => {
      const place = board.cards.findIndex(({ id }) => id === card.id);
      if (place >= 0) how(board.cards, place);
    }, card.id, act);
    const move = (by) => change(by < 0 ? "earlier" : "later", (cards, place) => cards.splice(place + by, 0, ...cards.splice(place, 1)));
    const button = (text, label, name, act, isOff = false) => h("button", { type: "button", class: "icon-button small", "data-act": name, "aria-label": `${label}: ${printable(card.title)}`, title: label, "aria-disabled": String(isOff), onclick: () => isOff || act() }, text);
    return h("div", { class: "card-tools", role: "group", "aria-label": `Change ${printable(card.title)}` },
      h("input", { type: "text", class: "card-rename", value: card.title, "aria-label": "Title of the card", maxlength: 200, onchange: ({ target: { value } }) => change(null, (cards, place) => (cards[place].title = value.trim())) }),
      button("←", "Move earlier", "earlier", () => move(-1), at === 0), button("→", "Move later", "later", () => move(1), at === this.#board.cards.length - 1),
      button(card.size === "full" ? "½" : "1", card.size === "full" ? "Half as wide" : "As wide as the board", "size", () => change("size", (cards, place) => (cards[place].size = card.size === "full" ? "half" : "full"))),
      button("×", "Remove", "remove", () => change(null, (cards, place) => cards.splice(place, 1))));
  }

  /** Saves the board as `change` makes it, and draws what was saved. Where somebody else was faster, theirs is shown, and it is said. */
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
      this.#say("Saved as a board of its own.");
    } catch (error) {
      this.#refuse(error, () => this.#make(draft));
    }
  }

  /** A board of one's own with the same cards, which say in which zone their days begin. */
  #copy() {
    const { title, cards } = this.#board;
    this.#make({ title: this.#board.ready_made ? title : `Copy of ${title}`.slice(0, 200), cards: cards.map(withZone) });
  }

  async #delete() {
    const { id, version, title } = this.#board;
    const dialog = byId("board-sure");
    setText(byId("board-sure-text"), `“${printable(title).slice(0, 80)}” and its links are gone for everybody.`);
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

  /** `again` does what was refused once more, when there is a key. */
  #refuse(error, again) {
    if (error.wantsKey) this.#wantKey({ writes: true, again });
    const told = byId("board-told");
    told.classList.add("wrong");
    setText(told, error.status === 409 ? "Somebody else has just changed this board. What they saved is shown now, and your change is not in it: make it once more." : error.status ? error.message : "The collector does not answer: nothing was saved.");
  }

  #fail(error) {
    if (error.wantsKey) this.#wantKey();
    this.#view.stop();
    this.#board = null;
    this.#isEditing = false;
    this.#offer(false);
    const isGone = error.status === 404;
    setText(byId("board-title"), isGone ? "No board" : "Board");
    setText(byId("board-note"), "");
    byId("board-cards").replaceChildren(h("section", { class: "panel empty board-empty", role: "alert" }, h("p", { class: "empty-title" }, isGone ? "There is no such board" : "No answer"),
      h("p", { class: "wrong" }, isGone ? `“${printable(this.#id).slice(0, 64)}” was deleted, or never was one.` : whyNot(error)),
      isGone ? h("a", { class: "button", href: "/?boards" }, "All boards") : h("button", { type: "button", class: "button", onclick: () => this.#load() }, "Ask again")));
  }
}
