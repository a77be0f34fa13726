// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Dashboards: the list, and the open dashboard, whose cards can be moved, renamed, resized and removed. The URL
// contains the dashboard and its time range.

import { errorMessage, getJSON, sendJSON } from "./api.js";
import { plainCards, withExplicitZone } from "./board-cards.js";
import { BoardView, showUpdateTime, skeletons } from "./board-view.js";
import { nameNode } from "./data-table.js";
import { byId, h, setText } from "./dom.js";
import { pluralize, printable } from "./format.js";
import { unknownParameterMessage } from "./sections.js";
import { ShareDialog } from "./share-dialog.js";
import { encodeQuery } from "./url.js";

const timeRanges = { "": "As saved", "24h": "24 h", "7d": "7 days", "30d": "30 days", "90d": "90 days" };
const defaultBoard = "first-look";
const boardPath = (id) => `/v1/boards/${encodeURIComponent(id)}`;

/** The dashboards section. `onURLChange()` is called when the URL changes, `requestKey()` when a key is needed. */
export class Boards {
  #onURLChange;
  #requestKey;
  #isVisible = false;
  #id = "";
  #last = "";
  #board = null;
  #isEditing = false;
  #list = [];
  #view;
  #shareDialog;
  #loadNumber = 0;

  constructor(onURLChange, requestKey) {
    this.#onURLChange = onURLChange;
    this.#requestKey = requestKey;
    this.#view = new BoardView(byId("board-cards"), {
      fetchCard: (card, change, signal) => getJSON(`${boardPath(this.#id || defaultBoard)}/cards/${encodeURIComponent(card.id)}?${encodeQuery(change)}`, signal),
      tools: (card) => (this.#isEditing ? this.#cardTools(card) : null),
    });
    this.#shareDialog = new ShareDialog(requestKey, () => this.#load());
    byId("board-range").replaceChildren(...Object.entries(timeRanges).map(([last, text]) => h("button", {
      type: "button", "data-last": last, onclick: () => {
        this.#last = last;
        this.#onURLChange();
        this.#render();
      },
    }, text)));
    byId("board-edit").addEventListener("click", () => {
      this.#isEditing = !this.#isEditing;
      this.#render(false);
    });
    byId("board-duplicate").addEventListener("click", () => this.#duplicate());
    byId("board-delete").addEventListener("click", () => this.#delete());
    byId("board-share").addEventListener("click", () => this.#shareDialog.open(this.#board));
    byId("board-new").addEventListener("click", () => this.#create({ title: "New dashboard", cards: [] }));
    byId("board-refresh").addEventListener("click", () => this.#load());
    // Pressing Enter in the title saves a change and must not submit the form.
    byId("board-form").addEventListener("submit", (event) => event.preventDefault());
    byId("board-title-input").addEventListener("change", ({ target: { value } }) => this.#save((board) => (board.title = value.trim())));
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
    this.#last = last in timeRanges ? last : "";
    if (!(last in timeRanges)) return `“${last.slice(0, 64)}” is not a dashboard time range. Available: ${Object.keys(timeRanges).filter(Boolean).join(", ")}.`;
    return unknownParameterMessage(pairs.filter(([key]) => key !== "boards" && key !== "last"));
  }

  setVisible(isVisible) {
    this.#isVisible = isVisible;
    if (!isVisible) return this.#view.stop();
    this.#load();
  }

  /** Opens a dashboard. */
  #openBoard(id) {
    this.#id = id;
    this.#board = null;
    this.#isEditing = false;
    this.#onURLChange();
    this.#load();
  }

  async #load() {
    const loadNumber = (this.#loadNumber += 1);
    this.#markTimeRange();
    if (this.#board === null) this.#showSkeleton();
    try {
      const boardRequest = this.#getWithRetry(boardPath(this.#id || defaultBoard));
      // If the dashboard is missing, the list of existing dashboards is still shown.
      const listRequest = getJSON("/v1/boards").then((response) => {
        if (loadNumber !== this.#loadNumber) return;
        this.#list = [...response.ready_made.map((entry) => ({ ...entry, isBuiltIn: true })), ...response.boards];
        this.#syncListEntry();
        this.#drawList();
      });
      const [board] = await Promise.all([boardRequest, listRequest]);
      if (loadNumber !== this.#loadNumber) return;
      // A dashboard saved after the request was sent is newer than the response.
      const isOlder = this.#board?.id === board.id && this.#board.version > board.version;
      if (!isOlder) this.#board = board;
      if (this.#board.ready_made) this.#isEditing = false;
      this.#syncListEntry();
      this.#drawList();
      this.#render();
      document.title = this.title;
    } catch (error) {
      if (loadNumber === this.#loadNumber) this.#showLoadError(error);
    }
  }

  async #getWithRetry(path) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await getJSON(path);
      } catch (error) {
        if (error.code !== "too_many_questions" || attempt === 30) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  }

  /** Shows placeholders until the dashboard is loaded. */
  #showSkeleton() {
    this.#view.stop();
    this.#showTools(false);
    setText(byId("board-title"), "Dashboard");
    setText(byId("board-note"), "loading…");
    byId("board-cards").replaceChildren(...skeletons(4));
  }

  /** Shows the dashboard's controls, or hides them if no dashboard is loaded. */
  #showTools(hasBoard) {
    byId("board-tools").hidden = !hasBoard;
    if (!hasBoard) byId("board-form").hidden = true;
  }

  #drawList() {
    const item = ({ id, title, isBuiltIn, cards }) => h("li", {}, h("a", {
      href: `/?boards=${encodeURIComponent(id)}`, "aria-current": id === (this.#id || defaultBoard) ? "page" : null, onclick: (event) => {
        // The browser handles such a click, which opens another tab or window.
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        this.#openBoard(id);
      },
    }, h("span", {}, nameNode(title, 60)), h("small", {}, isBuiltIn ? "built-in" : pluralize(cards, "card"))));
    byId("board-list").replaceChildren(...this.#list.map(item));
  }

  /** Updates the dashboard's entry in the list, which may have been requested before a change. */
  #syncListEntry() {
    const board = this.#board;
    if (board === null) return;
    this.#list = this.#list.map((entry) => (entry.id === board.id ? { ...entry, title: board.title, cards: board.cards.length } : entry));
  }

  #markTimeRange() {
    for (const button of byId("board-range").children) button.setAttribute("aria-pressed", String(button.dataset.last === this.#last));
  }

  #render(isReload = true) {
    const board = this.#board;
    if (board === null || !this.#isVisible) return;
    this.#markTimeRange();
    this.#showTools(true);
    const isCustom = !board.ready_made;
    setText(byId("board-title"), printable(board.title));
    if (isReload) showUpdateTime(byId("board-note"));
    byId("board-edit").hidden = !isCustom;
    byId("board-edit").setAttribute("aria-pressed", String(this.#isEditing));
    setText(byId("board-edit"), this.#isEditing ? "Done" : "Edit");
    byId("board-share").hidden = !isCustom;
    byId("board-delete").hidden = !this.#isEditing;
    byId("board-form").hidden = !this.#isEditing;
    const name = byId("board-title-input");
    // A response that arrives while the user is typing must not change the text.
    if (document.activeElement !== name || name.value === name.defaultValue) name.value = board.title;
    name.defaultValue = board.title;
    if (board.cards.length === 0) {
      this.#view.stop();
      byId("board-cards").replaceChildren(h("section", { class: "panel empty board-empty" }, h("p", { class: "empty-title" }, "Empty dashboard"),
        h("p", {}, "Create an insight and choose “Add to dashboard”, or choose “Edit” and add a card."), h("a", { class: "button", href: "/?questions=trends" }, "Create an insight")));
    } else this.#view.show(board.cards, this.#last, isReload);
  }

  /** Returns the controls of a card. */
  #cardTools(card) {
    const position = this.#board.cards.findIndex(({ id }) => id === card.id);
    // The dashboard may have changed by the time a key is entered.
    const change = (action, edit) => this.#save((board) => {
      const index = board.cards.findIndex(({ id }) => id === card.id);
      if (index >= 0) edit(board.cards, index);
    }, card.id, action);
    const move = (offset) => change(offset < 0 ? "earlier" : "later", (cards, index) => cards.splice(index + offset, 0, ...cards.splice(index, 1)));
    const button = (text, label, name, action, isDisabled = false) => h("button", { type: "button", class: "icon-button small", "data-action": name, "aria-label": `${label}: ${printable(card.title)}`, title: label, "aria-disabled": String(isDisabled), onclick: () => isDisabled || action() }, text);
    return h("div", { class: "card-tools", role: "group", "aria-label": `Change ${printable(card.title)}` },
      h("input", { type: "text", class: "card-title-input", value: card.title, "aria-label": "Card title", maxlength: 200, onchange: ({ target: { value } }) => change(null, (cards, index) => (cards[index].title = value.trim())) }),
      button("←", "Move earlier", "earlier", () => move(-1), position === 0), button("→", "Move later", "later", () => move(1), position === this.#board.cards.length - 1),
      button(card.size === "full" ? "½" : "1", card.size === "full" ? "Half width" : "Full width", "size", () => change("size", (cards, index) => (cards[index].size = card.size === "full" ? "half" : "full"))),
      button("×", "Remove", "remove", () => change(null, (cards, index) => cards.splice(index, 1))));
  }

  /**
   * Saves a change to the dashboard and draws the saved version. If another user saved first, the other user's version
   * is shown with a message.
   */
  async #save(change, focusedCard = null, action = null) {
    const board = structuredClone(this.#board);
    change(board);
    try {
      this.#board = await sendJSON("PUT", boardPath(board.id), { title: board.title, cards: board.cards, version: board.version });
      this.#showMessage("Saved.");
    } catch (error) {
      this.#showSaveError(error, () => this.#save(change, focusedCard, action));
      if (error.status === 409) {
        const name = byId("board-title-input");
        name.defaultValue = name.value;
        return this.#load();
      }
    }
    this.#syncListEntry();
    this.#drawList();
    this.#render(false);
    if (focusedCard !== null && action !== null) byId("board-cards").querySelector(`[data-card="${CSS.escape(focusedCard)}"] [data-action="${action}"]`)?.focus();
  }

  async #create(draft) {
    try {
      const created = await sendJSON("POST", "/v1/boards", draft);
      this.#openBoard(created.id);
      this.#isEditing = true;
      this.#showMessage("Saved as a new dashboard.");
    } catch (error) {
      this.#showSaveError(error, () => this.#create(draft));
    }
  }

  /** Creates a custom dashboard with the same cards and an explicit time zone. */
  #duplicate() {
    const { title, cards } = this.#board;
    this.#create({ title: this.#board.ready_made ? title : `Copy of ${title}`.slice(0, 200), cards: cards.map(withExplicitZone) });
  }

  async #delete() {
    const { id, version, title } = this.#board;
    const dialog = byId("board-delete-dialog");
    setText(byId("board-delete-text"), `“${printable(title).slice(0, 80)}” and its links will be deleted for everyone.`);
    dialog.showModal();
    const choice = await new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
    if (choice === "delete") this.#remove(id, version);
  }

  async #remove(id, version) {
    try {
      await sendJSON("DELETE", `${boardPath(id)}?version=${version}`);
      this.#openBoard("");
      this.#showMessage("Deleted.");
    } catch (error) {
      this.#showSaveError(error, () => this.#remove(id, version));
      if (error.status === 409) this.#load();
    }
  }

  #showMessage(text) {
    const status = byId("board-status");
    status.classList.remove("error");
    setText(status, text);
  }

  /** Shows an error that occurred while saving. `retry` repeats the rejected action after a key is entered. */
  #showSaveError(error, retry) {
    if (error.needsKey) this.#requestKey({ needsWrite: true, retry });
    const status = byId("board-status");
    status.classList.add("error");
    setText(status, error.status === 409 ? "Another user has just changed this dashboard. Their version is shown now; repeat your change." : error.status ? error.message : "The collector is not responding. Nothing was saved.");
  }

  #showLoadError(error) {
    if (error.needsKey) this.#requestKey();
    this.#view.stop();
    this.#board = null;
    this.#isEditing = false;
    this.#showTools(false);
    const isNotFound = error.status === 404;
    setText(byId("board-title"), isNotFound ? "Not found" : "Dashboard");
    setText(byId("board-note"), "");
    byId("board-cards").replaceChildren(h("section", { class: "panel empty board-empty", role: "alert" }, h("p", { class: "empty-title" }, isNotFound ? "Dashboard not found" : "No response"),
      h("p", { class: "error" }, isNotFound ? `“${printable(this.#id).slice(0, 64)}” does not exist or was deleted.` : errorMessage(error)),
      isNotFound ? h("a", { class: "button", href: "/?boards" }, "All dashboards") : h("button", { type: "button", class: "button", onclick: () => this.#load() }, "Try again")));
  }
}
