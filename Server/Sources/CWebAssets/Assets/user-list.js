// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The list of users: most recent first, with search by ID and attributes. Older users are loaded on request.

import { getJSON } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { formatDateTime, formatNumber, pluralize, printable, shortID, timeAgo } from "./format.js";
import { encodeQuery } from "./url.js";

const pageSize = 100;
/** The maximum number of users on the page; older users can be found with a search. */
const maximumUsers = 2000;
const activeInterval = 60_000;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Converts a search line (`plan=pro`, the id of an installation, and other words) to the collector's parameters. Text
 * that contains spaces is quoted.
 */
export function searchPairs(line) {
  return Array.from(line.matchAll(/(?:"(?:[^"\\]|\\.)*"|[^\s"]|")+/g), ([token]) => {
    const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(token);
    if (quoted) return ["text", quoted[1].replace(/\\(.)/g, "$1")];
    if (uuid.test(token)) return ["installation", token.toLowerCase()];
    return [/^(?:"(?:[^"\\]|\\.)*"|[^"=≠!<≤>≥]+)(?::=|!=|[=≠<≤>≥])/.test(token) ? "where" : "text", token];
  });
}

/** Returns the key of a user's entry, as in the URL. */
export const userKey = (user) => (user.id === undefined ? `installation:${user.installations[0] ?? ""}` : `user:${user.id}`);

/** Returns the display name of a user. */
export const userName = (user) => (user.id === undefined ? `Visitor ${shortID(user.installations[0] ?? user.unique_id ?? "")}` : printable(user.id));

/**
 * The list of users with its search field. `onSelect(key)` shows a user, or all users for ""; `onSearch()` is called
 * when `search` changes.
 */
export class UserList {
  #onSelect;
  #onSearch;
  /** The users by key, most recent first. */
  #users = new Map();
  #next;
  #progress = null;
  #drawnState = "";
  #state = "new";
  #requestNumber = 0;
  #typingTimer = 0;
  #hasOlderPages = false;
  #input = byId("user-search");

  constructor(onSelect, onSearch) {
    this.#onSelect = onSelect;
    this.#onSearch = onSearch;
    byId("user-search-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#runSearch(false);
    });
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#typingTimer);
      this.#typingTimer = setTimeout(() => this.#runSearch(true), 300);
    });
    byId("user-list-older").addEventListener("click", () => this.#loadOlder());
    byId("user-list").addEventListener("keydown", (event) => this.#moveFocus(event));
  }

  get search() {
    return this.#input.value.trim();
  }

  set search(line) {
    if (line === this.search) return;
    this.#input.value = line;
    this.#clear();
  }

  /** Loads the latest users and puts them before the users already listed. */
  async refresh(selected) {
    // A search is expensive, so it runs once, and again only on request.
    if (this.#state === "loaded" && this.search !== "") return this.render(selected);
    if (this.#hasOlderPages) return this.render(selected);
    await this.#loadPage(undefined, selected);
  }

  render(selected, now = Date.now()) {
    const users = [...this.#users.values()];
    const state = JSON.stringify([this.#state, selected, users.map((user) => [userKey(user), user.last, user.events, user.sessions]), this.#next, this.#progress]) + Math.floor(now / 5000);
    if (state === this.#drawnState) return;
    this.#drawnState = state;
    const list = byId("user-list");
    const focused = document.activeElement?.closest?.("#user-list button")?.dataset.key;
    const all = users.length === 0 ? "" : pluralize(users.length, "user", "users") + (this.#next === undefined ? "" : " or more");
    list.replaceChildren(
      ...(this.search === "" ? [this.#entryItem("", h("b", {}, "All users"), all || { loading: "Loading…", loaded: "No users yet" }[this.#state] || "", null, selected, now)] : []),
      ...users.map((user) => this.#entryItem(userKey(user), h("b", { dir: "auto" }, userName(user)),
        [user.sessions > 0 ? pluralize(user.sessions, "session") : null, pluralize(user.events, "event"), timeAgo(user.last, now)].filter(Boolean).join(" · "), user.last, selected, now)));
    if (focused !== undefined) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    byId("user-list-older").hidden = this.#next === undefined || users.length >= maximumUsers;
    setText(byId("user-list-older"), this.#state === "loading" ? "Loading…" : "Load older");
    this.#updateNote(users.length);
  }

  #entryItem(key, name, note, last, selected, now) {
    const isActive = last !== null && Math.abs(now - last) < activeInterval;
    return h("li", {}, h("button", { type: "button", class: "side-item", "data-key": key, "aria-pressed": String(selected === key), onclick: () => this.#onSelect(key) },
      h("span", { class: "side-item-line" }, h("span", { class: isActive ? "presence online" : "presence", "aria-hidden": "true" }), name),
      h("span", { class: "side-item-note", title: last === null ? null : formatDateTime(last) }, note)));
  }

  #updateNote(count) {
    const progressText = this.#progress !== null && this.#next !== undefined ? `Searched ${formatNumber(this.#progress.searched)} of ${pluralize(this.#progress.of, "user")}. ` : "";
    const stateTexts = {
      loading: count === 0 ? "Loading…" : "",
      loaded: this.search === "" ? "" : count === 0 ? (progressText === "" ? "No matching users." : "No matches so far.") : `${pluralize(count, "user")}${this.#next === undefined ? "" : " so far"}.`,
    };
    const limitText = count >= maximumUsers && this.#next !== undefined ? ` Only the first ${formatNumber(maximumUsers)} are shown; search to find others.` : "";
    setText(byId("user-search-note"), (progressText + (stateTexts[this.#state] ?? this.#state) + limitText).trim());
    byId("user-search-note").hidden = byId("user-search-note").textContent === "";
    byId("user-search-note").classList.toggle("error", !["new", "loading", "loaded"].includes(this.#state));
  }

  #clear() {
    this.#requestNumber += 1;
    this.#users = new Map();
    this.#next = undefined;
    this.#progress = null;
    this.#hasOlderPages = false;
    this.#state = "new";
    this.#drawnState = "";
  }

  #runSearch(isTyping) {
    clearTimeout(this.#typingTimer);
    this.#clear();
    this.#onSearch(isTyping);
    this.#loadPage(undefined, this.#selected);
  }

  #selected = "";

  async #loadOlder() {
    if (this.#next === undefined || this.#state === "loading") return;
    this.#hasOlderPages = true;
    await this.#loadPage(this.#next, this.#selected);
  }

  async #loadPage(after, selected) {
    this.#selected = selected;
    const requestNumber = ++this.#requestNumber;
    if (after !== undefined || this.#users.size === 0) {
      this.#state = "loading";
      this.render(selected);
    }
    try {
      const pairs = [...searchPairs(this.search), ["attributes", "none"], ["limit", String(pageSize)], ...(after === undefined ? [] : [["after", after]])];
      const response = await getJSON(`/v1/users?${encodeQuery(pairs)}`);
      if (requestNumber !== this.#requestNumber) return;
      this.#applyPage(response, after);
      this.#state = "loaded";
    } catch (error) {
      if (requestNumber !== this.#requestNumber) return;
      // Keep the last list; an error after a user's action is shown next to the list.
      this.#state = error.status && !error.needsKey ? error.message : "The collector is not responding.";
    }
    this.render(selected);
  }

  #applyPage(response, after) {
    const users = response.users.map((user) => [userKey(user), user]);
    if (after === undefined) this.#users = new Map(users);
    else for (const [key, user] of users) if (!this.#users.has(key)) this.#users.set(key, user);
    this.#next = response.next;
    const before = after === undefined ? 0 : this.#progress?.searched ?? 0;
    this.#progress = response.searched === undefined ? null : { searched: before + response.searched, of: response.of };
  }

  /** Moves the focus to the next or previous user when an arrow key is pressed. */
  #moveFocus(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...byId("user-list").querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    if (at === 0 && step < 0) this.#input.focus();
    else buttons[Math.min(buttons.length - 1, at + step)].focus();
  }
}
