// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Users: their sessions, their screens, and the events of one user. Polls every few seconds while shown; each part is drawn as its response
// arrives.

import { asQuery } from "./address.js";
import { ask } from "./ask.js";
import { byId, h, setText } from "./dom.js";
import { shortID } from "./format.js";
import { History } from "./history.js";
import { unknown } from "./modes.js";
import { keyOf, nameOf, People } from "./people.js";
import { card, peopleHere } from "./person.js";
import { followReportForm } from "./report.js";
import { ScreenColours, screensTable } from "./screens.js";
import { sessionList, timeline } from "./sessions.js";
import { printable } from "./stream.js";

const mostSessions = 30;
/** The URL parameters of this section. */
const ours = new Set(["visitors", "search", "events"]);

/**
 * The user section. `go`: events(key, value) opens the live events with a filter, open(stored) shows an event, moved(replacing) is called
 * when the URL changes.
 */
export class Visitors {
  #go;
  #isShown = false;
  /** The current selection: null for all users, {user} for a signed-in user, {installation} for a visitor. */
  #chosen = null;
  #colours = new ScreenColours();
  #people;
  #history;
  /** The attributes beyond the first page, while a user is shown. */
  #more = { attributes: {}, next: undefined };
  #isUnknown = false;
  #isLooking = false;
  #lookAfter = 0;
  #turn = 0;
  /** The node of each part, and the data it was drawn from. */
  #slots = new Map(["told", "card", "history", "line", "screens", "sessions"].map((name) => [name, { node: h("div", { class: "visitor-part", hidden: true }), drawn: "" }]));

  constructor(go) {
    this.#go = go;
    this.#people = new People((key) => this.#choose(key), (isTyped) => go.moved(isTyped));
    this.#history = new History({ open: go.open, filtered: (isTyped) => go.moved(isTyped), installation: (id) => this.#choose(`installation:${id}`) });
    this.#slots.get("history").node.append(this.#history.node);
    byId("visitor-body").replaceChildren(...[...this.#slots.values()].map(({ node }) => node));
    followReportForm();
  }

  /** The selection for the URL: "", or "user:carl". */
  get place() {
    if (this.#chosen === null) return "";
    return this.#chosen.user === undefined ? `installation:${this.#chosen.installation}` : `user:${this.#chosen.user}`;
  }

  set place(text) {
    const match = /^(user|installation):(.+)$/s.exec(text);
    this.#chosen = match ? { [match[1]]: match[2] } : null;
    this.#forget();
  }

  get pairs() {
    const search = this.#people.search;
    return [["visitors", this.place], ...(search === "" ? [] : [["search", search]]), ...(this.#chosen === null ? [] : this.#history.pairs)];
  }

  restore(pairs) {
    const find = (key) => pairs.findLast(([name]) => name === key)?.[1] ?? "";
    const place = find("visitors");
    if (place !== this.place) this.place = place;
    this.#people.search = find("search");
    this.#history.restore(find("events"));
    if (place !== "" && this.#chosen === null) return `“${place.slice(0, 64)}” is not a user: write user:ID or installation:ID.`;
    return unknown(pairs.filter(([key]) => !ours.has(key)));
  }

  show(isShown) {
    this.#isShown = isShown;
    // Whether an installation has a visitor is known only after a request.
    if (this.#chosen?.user !== undefined) this.#showHistory(!this.#isUnknown);
    else if (!isShown) this.#history.show(this.#chosen, false);
    if (isShown) this.look(true);
  }

  focusOpened() {
    return this.#history.focusOpened();
  }

  /** Loads and draws changes. The faster the collector responds, the more often it is polled. */
  async look(force = false) {
    if (!this.#isShown || (!force && (this.#isLooking || Date.now() < this.#lookAfter))) return;
    this.#isLooking = true;
    const turn = ++this.#turn;
    const began = performance.now();
    setText(byId("visitor-title"), this.#title(null));
    const isCurrent = () => turn === this.#turn;
    const part = async (name, question, draw) => {
      try {
        const answer = await question;
        if (isCurrent()) draw(answer, Date.now());
      } catch (error) {
        if (isCurrent()) this.#fail(name, error);
      }
    };
    const asked = [this.#people.look(this.place)];
    if (!this.#isUnknown || force) asked.push(...this.#asked(part));
    await Promise.all(asked);
    if (!isCurrent()) return;
    this.#isLooking = false;
    this.#lookAfter = Date.now() + 20 * (performance.now() - began);
  }

  #asked(part) {
    const chosen = this.#chosen;
    const scope = chosen === null ? [] : Object.entries(chosen);
    const sessions = part("sessions", ask(`/v1/sessions?${asQuery([...scope, ["limit", String(mostSessions)]])}`), (answer, now) => this.#drawSessions(answer, now));
    this.#skeleton("sessions");
    if (chosen === null) {
      this.#skeleton("screens");
      return [sessions, part("screens", ask("/v1/screens?limit=40"), (flow) => this.#drawScreens(flow))];
    }
    this.#skeleton("card");
    if (chosen.user !== undefined) return [sessions, part("card", ask(`/v1/users/${encodeURIComponent(chosen.user)}`), (user, now) => this.#drawUser(user, now))];
    return [
      sessions,
      part("card", this.#installation(chosen.installation), (found, now) => this.#drawInstallation(found, now)),
      part("screens", ask(`/v1/screens?${asQuery([...scope, ["limit", "40"]])}`), (flow) => this.#drawScreens(flow)),
    ];
  }

  /** Returns the users of an installation, and its visitor if there was use without a sign-in. */
  async #installation(id) {
    const { users } = await ask(`/v1/users?${asQuery([["installation", id], ["limit", "50"], ["attributes", "none"]])}`);
    const visitor = users.some((user) => user.id === undefined) ? await ask(`/v1/visitors/${encodeURIComponent(id)}`) : null;
    return { users, visitor };
  }

  #showHistory(isThere) {
    this.#slots.get("history").node.hidden = !isThere;
    this.#history.show(isThere ? this.#chosen : null, this.#isShown);
  }

  #choose(place) {
    this.place = place;
    this.#go.moved();
    byId("visitor").scrollTop = 0;
    this.show(this.#isShown);
  }

  #forget() {
    this.#isUnknown = false;
    this.#more = { attributes: {}, next: undefined };
    this.#history.forget();
    for (const [name, slot] of this.#slots) {
      slot.drawn = "";
      slot.node.hidden = true;
      if (name !== "history") slot.node.replaceChildren();
    }
  }

  // MARK: Drawing

  #title(user) {
    if (user) return nameOf(user);
    if (this.#chosen === null) return "All users";
    return this.#chosen.user === undefined ? `Installation ${shortID(this.#chosen.installation)}` : printable(this.#chosen.user);
  }

  /** Draws a part if its data has changed, and keeps the focus. */
  #draw(name, from, make) {
    const slot = this.#slots.get(name);
    const state = JSON.stringify(from);
    if (slot.drawn === state) return;
    slot.drawn = state;
    const focused = slot.node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    const made = make();
    slot.node.replaceChildren(...made);
    slot.node.hidden = made.length === 0;
    if (focused !== undefined) slot.node.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  #skeleton(name) {
    const slot = this.#slots.get(name);
    if (slot.node.childElementCount > 0) return;
    slot.node.hidden = false;
    slot.node.replaceChildren(h("section", { class: "panel part-skeleton", "aria-busy": "true" }, h("p", { class: "visually-hidden" }, "Loading…"), h("span", {}), h("span", {}), h("span", {})));
  }

  #fail(name, error) {
    if (name === "card" && error.status === 404) {
      this.#nobody("No such user", error.message);
      return;
    }
    const slot = this.#slots.get(name);
    // Keep the last drawing: the connection state shows that the collector is down.
    if (slot.drawn !== "") return;
    slot.node.hidden = false;
    slot.node.replaceChildren(h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, error.wantsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding."),
      h("button", { type: "button", class: "button", onclick: () => this.look(true) }, "Try again")));
  }

  /** Shows that a user is unknown to the collector, which differs from a user without sessions. */
  #nobody(title, reason) {
    this.#isUnknown = true;
    this.#showHistory(false);
    for (const [name, slot] of this.#slots) if (name !== "told") slot.node.hidden = true;
    this.#draw("told", [title, reason], () => [h("section", { class: "panel empty unknown" }, h("p", { class: "empty-title" }, title), h("p", { dir: "auto" }, printable(reason)),
      h("button", { type: "button", class: "button", onclick: () => this.#choose("") }, "All users"))]);
  }

  #drawUser(user, now) {
    this.#isUnknown = false;
    setText(byId("visitor-title"), this.#title(user));
    if (this.#chosen.user !== undefined) this.#draw("told", null, () => []);
    const attributes = { ...user.attributes, ...this.#more.attributes };
    const next = Object.keys(this.#more.attributes).length === 0 ? user.next : this.#more.next;
    this.#draw("card", [user, Object.keys(attributes).length, next, Math.floor(now / 30_000)], () => [card({ ...user, attributes, next }, this.#chosen, {
      choose: (installation) => this.#choose(`installation:${installation}`),
      more: () => this.#moreAttributes(next),
    })]);
    this.#showHistory(true);
  }

  #drawInstallation({ users, visitor }, now) {
    if (users.length === 0) {
      this.#nobody("No such installation", `No events from installation ${this.#chosen.installation}. It may have been erased.`);
      return;
    }
    this.#isUnknown = false;
    const choose = (user) => this.#choose(keyOf(user));
    const signedIn = users.filter((user) => user.id !== undefined);
    if (signedIn.length > 0) this.#draw("told", [signedIn, visitor === null, Math.floor(now / 30_000)], () => [peopleHere(signedIn, visitor !== null, choose)]);
    if (visitor === null) {
      this.#slots.get("card").node.hidden = true;
      this.#showHistory(false);
      return;
    }
    this.#drawUser(visitor, now);
    setText(byId("visitor-title"), this.#title(null));
  }

  async #moreAttributes(after) {
    const chosen = this.#chosen;
    const path = chosen.user === undefined ? `/v1/visitors/${chosen.installation}` : `/v1/users/${encodeURIComponent(chosen.user)}`;
    try {
      const page = await ask(`${path}?${asQuery([["after", after], ["limit", "1000"]])}`);
      if (chosen !== this.#chosen) return;
      this.#more = { attributes: { ...this.#more.attributes, ...page.attributes }, next: page.next };
      this.look(true);
    } catch {
      // The button remains and retries; the connection state shows the reason.
    }
  }

  #drawSessions(answer, now) {
    const { sessions } = answer;
    if (this.#chosen?.user !== undefined) this.#colours.assign([...new Set(sessions.flatMap((session) => session.screens.map((screen) => screen.name)))]);
    this.#draw("line", [sessions, Math.floor(now / 30_000)], () => sessions.length === 0 ? [] : [timeline(sessions, (session) => {
      const row = byId("visitor").querySelector(`[data-session="${CSS.escape(rowKey(session))}"]`);
      row?.scrollIntoView({ block: "nearest", behavior: "smooth" });
      row?.focus({ preventScroll: true });
    })]);
    this.#draw("sessions", [answer, Math.floor(now / 30_000)], () => [sessionList(sessions, answer.next !== undefined, this.#colours, {
      isEverybody: this.#chosen === null,
      rowKey,
      events: (session) => this.#go.events("session", session),
      person: (id) => this.#choose(`user:${id}`),
      installation: (id) => this.#choose(`installation:${id}`),
    })]);
    if (this.#isUnknown) for (const name of ["line", "sessions"]) this.#slots.get(name).node.hidden = true;
  }

  #drawScreens(flow) {
    if (this.#isUnknown) return;
    this.#colours.assign(flow.screens.map((screen) => screen.name));
    this.#draw("screens", flow, () => [screensTable(flow, this.#colours, this.#chosen !== null)]);
  }
}

const rowKey = (session) => `${session.installation ?? ""} ${session.id}`;
