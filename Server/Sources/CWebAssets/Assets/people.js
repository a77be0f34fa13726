// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The list of users: most recent first, with search by id and attributes; older ones are loaded on request.

import { asQuery } from "./address.js";
import { ask } from "./ask.js";
import { byId, h, setText } from "./dom.js";
import { ago, counted, dateAndClock, number, shortID } from "./format.js";
import { printable } from "./stream.js";

const pageSize = 100;
/** The maximum users on the page; a search finds older ones. */
const most = 2000;
const recent = 60_000;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Parses a search line: `plan=pro`, the id of an installation, and other words, as the collector's parameters. Words with spaces are
 * quoted.
 */
export function searchPairs(line) {
  return Array.from(line.matchAll(/(?:"(?:[^"\\]|\\.)*"|[^\s"]|")+/g), ([token]) => {
    const quoted = /^"((?:[^"\\]|\\.)*)"$/.exec(token);
    if (quoted) return ["text", quoted[1].replace(/\\(.)/g, "$1")];
    if (uuid.test(token)) return ["installation", token.toLowerCase()];
    return [/^(?:"(?:[^"\\]|\\.)*"|[^"=≠!<≤>≥]+)(?::=|!=|[=≠<≤>≥])/.test(token) ? "where" : "text", token];
  });
}

/** The key of a user's entry, as in the URL. */
export const keyOf = (user) => (user.id === undefined ? `installation:${user.installations[0] ?? ""}` : `user:${user.id}`);

/** The display name of a user. */
export const nameOf = (user) => (user.id === undefined ? `Visitor ${shortID(user.installations[0] ?? user.unique_id ?? "")}` : printable(user.id));

/** The list and its search. `choose(key)` shows a user, or all for ""; `searched()` is called when `search` changes. */
export class People {
  #choose;
  #searched;
  /** By key, most recent first. */
  #known = new Map();
  #next;
  #progress = null;
  #drawn = "";
  #state = "new";
  #request = 0;
  #typing = 0;
  #isOld = false;
  #input = byId("people-search");

  constructor(choose, searched) {
    this.#choose = choose;
    this.#searched = searched;
    byId("people-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.#ask(false);
    });
    this.#input.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#ask(true), 300);
    });
    byId("people-more").addEventListener("click", () => this.#older());
    byId("people").addEventListener("keydown", (event) => this.#move(event));
  }

  get search() {
    return this.#input.value.trim();
  }

  set search(line) {
    if (line === this.search) return;
    this.#input.value = line;
    this.#clear();
  }

  /** Loads the latest users and puts them before the known ones. */
  async look(chosen) {
    // A search is expensive: it runs once, and again only on request.
    if (this.#state === "found" && this.search !== "") return this.draw(chosen);
    if (this.#isOld) return this.draw(chosen);
    await this.#page(undefined, chosen);
  }

  draw(chosen, now = Date.now()) {
    const users = [...this.#known.values()];
    const state = JSON.stringify([this.#state, chosen, users.map((user) => [keyOf(user), user.last, user.events, user.sessions]), this.#next, this.#progress]) + Math.floor(now / 5000);
    if (state === this.#drawn) return;
    this.#drawn = state;
    const list = byId("people");
    const focused = document.activeElement?.closest?.("#people button")?.dataset.key;
    const all = users.length === 0 ? "" : counted(users.length, "user", "users") + (this.#next === undefined ? "" : " or more");
    list.replaceChildren(
      ...(this.search === "" ? [this.#entry("", h("b", {}, "All users"), all || { asking: "Loading…", found: "No users yet" }[this.#state] || "", null, chosen, now)] : []),
      ...users.map((user) => this.#entry(keyOf(user), h("b", { dir: "auto" }, nameOf(user)),
        [user.sessions > 0 ? counted(user.sessions, "session") : null, counted(user.events, "event"), ago(user.last, now)].filter(Boolean).join(" · "), user.last, chosen, now)));
    if (focused !== undefined) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
    byId("people-more").hidden = this.#next === undefined || users.length >= most;
    setText(byId("people-more"), this.#state === "asking" ? "Loading…" : "Older");
    this.#note(users.length);
  }

  #entry(key, name, note, last, chosen, now) {
    const isHere = last !== null && Math.abs(now - last) < recent;
    return h("li", {}, h("button", { type: "button", class: "person", "data-key": key, "aria-pressed": String(chosen === key), onclick: () => this.#choose(key) },
      h("span", { class: "person-line" }, h("span", { class: isHere ? "presence here" : "presence", "aria-hidden": "true" }), name),
      h("span", { class: "person-note", title: last === null ? null : dateAndClock(last) }, note)));
  }

  #note(count) {
    const bounded = this.#progress !== null && this.#next !== undefined ? `Searched ${number(this.#progress.searched)} of ${counted(this.#progress.of, "user")}. ` : "";
    const texts = {
      asking: count === 0 ? "Loading…" : "",
      found: this.search === "" ? "" : count === 0 ? (bounded === "" ? "No matching users." : "No matches so far.") : `${counted(count, "user")}${this.#next === undefined ? "" : " so far"}.`,
    };
    const full = count >= most && this.#next !== undefined ? ` Only the first ${number(most)} are shown; search to find others.` : "";
    setText(byId("people-note"), (bounded + (texts[this.#state] ?? this.#state) + full).trim());
    byId("people-note").hidden = byId("people-note").textContent === "";
    byId("people-note").classList.toggle("wrong", !["new", "asking", "found"].includes(this.#state));
  }

  #clear() {
    this.#request += 1;
    this.#known = new Map();
    this.#next = undefined;
    this.#progress = null;
    this.#isOld = false;
    this.#state = "new";
    this.#drawn = "";
  }

  #ask(isTyped) {
    clearTimeout(this.#typing);
    this.#clear();
    this.#searched(isTyped);
    this.#page(undefined, this.#chosen);
  }

  #chosen = "";

  async #older() {
    if (this.#next === undefined || this.#state === "asking") return;
    this.#isOld = true;
    await this.#page(this.#next, this.#chosen);
  }

  async #page(after, chosen) {
    this.#chosen = chosen;
    const request = ++this.#request;
    if (after !== undefined || this.#known.size === 0) {
      this.#state = "asking";
      this.draw(chosen);
    }
    try {
      const pairs = [...searchPairs(this.search), ["attributes", "none"], ["limit", String(pageSize)], ...(after === undefined ? [] : [["after", after]])];
      const answer = await ask(`/v1/users?${asQuery(pairs)}`);
      if (request !== this.#request) return;
      this.#take(answer, after);
      this.#state = "found";
    } catch (error) {
      if (request !== this.#request) return;
      // Keep the last list; an error after a user's action is shown next to it.
      this.#state = error.status && !error.wantsKey ? error.message : "The collector is not responding.";
    }
    this.draw(chosen);
  }

  #take(answer, after) {
    const users = answer.users.map((user) => [keyOf(user), user]);
    if (after === undefined) this.#known = new Map(users);
    else for (const [key, user] of users) if (!this.#known.has(key)) this.#known.set(key, user);
    this.#next = answer.next;
    const before = after === undefined ? 0 : this.#progress?.searched ?? 0;
    this.#progress = answer.searched === undefined ? null : { searched: before + answer.searched, of: answer.of };
  }

  /** Moves the focus with the arrow keys. */
  #move(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const buttons = [...byId("people").querySelectorAll("button")];
    const at = buttons.indexOf(document.activeElement);
    if (at < 0) return;
    event.preventDefault();
    if (at === 0 && step < 0) this.#input.focus();
    else buttons[Math.min(buttons.length - 1, at + step)].focus();
  }
}
