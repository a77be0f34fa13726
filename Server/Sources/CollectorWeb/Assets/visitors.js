// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The visitors: who was there, in which sessions, on which screens. Looks again every few seconds while it is shown.

import { ask } from "./ask.js";
import { byId, h, setText } from "./dom.js";
import { ago, counted, shortID } from "./format.js";
import { card } from "./person.js";
import { followReportForm } from "./report.js";
import { ScreenColours, screensTable } from "./screens.js";
import { sessionList, timeline } from "./sessions.js";
import { printable } from "./stream.js";

const mostPeople = 100;
const mostSessions = 30;

/** The view of visitors. `showEvents(key, value)` goes to the live events with a filter, `moved()` says that `place` changed. */
export class Visitors {
  #showEvents;
  #moved;
  #isShown = false;
  /** Whose view it is: null for everybody, {user} for somebody who signed in, {installation} for a visitor. */
  #chosen = null;
  #colours = new ScreenColours();
  #drawn = { people: "", detail: "" };
  #isLooking = false;
  #lookAfter = 0;

  constructor(showEvents, moved) {
    this.#showEvents = showEvents;
    this.#moved = moved;
    followReportForm();
  }

  /** What the address says about the view: "", or "user:carl". */
  get place() {
    if (this.#chosen === null) return "";
    return this.#chosen.user === undefined ? `installation:${this.#chosen.installation}` : `user:${this.#chosen.user}`;
  }

  set place(text) {
    const match = /^(user|installation):(.+)$/s.exec(text);
    this.#chosen = match ? { [match[1]]: match[2] } : null;
    this.#drawn = { people: "", detail: "" };
  }

  show(isShown) {
    this.#isShown = isShown;
    if (isShown) this.look(true);
  }

  /** Asks and draws what has changed. A collector with much to tell is asked as often as it is quick. */
  async look(force = false) {
    if (!this.#isShown || (this.#isLooking && !force) || (!force && Date.now() < this.#lookAfter)) return;
    this.#isLooking = true;
    const began = performance.now();
    const chosen = this.#chosen;
    try {
      const scope = new URLSearchParams(chosen ?? {});
      const flowScope = chosen?.installation ? `installation=${chosen.installation}&` : "";
      const [people, sessions, flow] = await Promise.all([
        ask(`/v1/users?limit=${mostPeople}`),
        ask(`/v1/sessions?${scope}&limit=${mostSessions}`),
        ask(`/v1/screens?${flowScope}limit=40`),
      ]);
      const self = chosen ? (await ask(`/v1/users?${scope}&limit=1`)).users : [];
      if (chosen !== this.#chosen) return;
      const now = Date.now();
      this.#drawPeople(people.users, people.next !== undefined, now);
      this.#drawDetail(self[0] ?? null, sessions, flow, now);
    } catch {
      // The connection state already says that the collector is away; what was drawn stays.
    } finally {
      this.#isLooking = false;
      this.#lookAfter = Date.now() + 20 * (performance.now() - began);
    }
  }

  #choose(chosen) {
    this.#chosen = chosen;
    this.#drawn = { people: "", detail: "" };
    this.#moved();
    byId("visitor").scrollTop = 0;
    this.look(true);
  }

  #drawPeople(users, hasMore, now) {
    const state = JSON.stringify(users.map((user) => [key(user), user.last, user.sessions])) + Math.floor(now / 5000);
    if (state === this.#drawn.people) return;
    this.#drawn.people = state;
    const list = byId("people");
    const focused = document.activeElement?.closest?.("#people button")?.dataset.key;
    const entry = (name, lines, chosen, id, isRecent) => h("li", {}, h("button", {
      type: "button", class: "person", "data-key": id, "aria-pressed": String(this.place === id), onclick: () => this.#choose(chosen),
    }, h("span", { class: "person-line" }, h("span", { class: isRecent ? "presence here" : "presence", "aria-hidden": "true" }), h("b", {}, name)), h("span", { class: "person-note" }, lines)));
    list.replaceChildren(
      entry("Everybody", users.length === 0 ? "Nobody was here yet" : counted(users.length, "person", "people") + (hasMore ? " and more" : ""), null, "", false),
      ...users.map((user) => entry(
        name(user),
        [user.sessions > 0 ? counted(user.sessions, "session") : null, counted(user.events, "event"), ago(user.last, now)].filter(Boolean).join(" · "),
        user.id === undefined ? { installation: user.installations[0] } : { user: user.id },
        key(user),
        now - user.last < 60_000,
      )),
    );
    if (focused !== undefined) list.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  #drawDetail(user, answer, flow, now) {
    const state = JSON.stringify([this.place, user, answer.sessions, flow]) + Math.floor(now / 30_000);
    if (state === this.#drawn.detail) return;
    this.#drawn.detail = state;
    const sessions = answer.sessions;
    this.#colours.assign(flow.screens.map((screen) => screen.name));
    const title = this.#chosen?.installation ? `Installation ${shortID(this.#chosen.installation)}` : user ? name(user) : this.#chosen ? printable(this.#chosen.user) : "Everybody";
    setText(byId("visitor-title"), title);
    const parts = [];
    if (user) parts.push(card(user, this.#chosen, (installation) => this.#choose({ installation })));
    if (sessions.length > 0) parts.push(timeline(sessions, (session) => {
      const row = byId("visitor").querySelector(`[data-session="${CSS.escape(rowKey(session))}"]`);
      row?.scrollIntoView({ block: "nearest", behavior: "smooth" });
      row?.focus({ preventScroll: true });
    }));
    if (!this.#chosen?.user) parts.push(screensTable(flow, this.#colours, this.#chosen !== null));
    parts.push(sessionList(sessions, answer.next !== undefined, this.#colours, {
      isEverybody: this.#chosen === null,
      rowKey,
      events: (session) => this.#showEvents("session", session),
      person: (id) => this.#choose({ user: id }),
      installation: (id) => this.#choose({ installation: id }),
    }));
    const keep = byId("visitor").scrollTop;
    byId("visitor-body").replaceChildren(...parts);
    byId("visitor").scrollTop = keep;
  }
}

const key = (user) => (user.id === undefined ? `installation:${user.installations[0] ?? ""}` : `user:${user.id}`);
const rowKey = (session) => `${session.installation ?? ""} ${session.id}`;
const name = (user) => (user.id === undefined ? `Visitor ${shortID(user.installations[0] ?? user.unique_id ?? "")}` : printable(user.id));

