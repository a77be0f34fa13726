// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Users: their sessions, their screens, and the events of one user. Polls every few seconds while visible; each part is
// drawn when its response arrives.

import { getJSON } from "./api.js";
import { setUpReportForm } from "./client-data-report.js";
import { ConsentDecisions } from "./consent-decisions.js";
import { byId, h, setText } from "./dom.js";
import { downloadArchive } from "./download.js";
import { EraseDialog } from "./erase-dialog.js";
import { erasuresPanel } from "./erasures.js";
import { printable, shortID } from "./format.js";
import { ScreenColors, screensPanel } from "./screens.js";
import { unknownParameterMessage } from "./sections.js";
import { sessionsPanel, timelinePanel } from "./sessions.js";
import { encodeQuery } from "./url.js";
import { userKey, UserList, userName } from "./user-list.js";
import { installationUsers, profileCard } from "./user-profile.js";
import { UserTimeline } from "./user-timeline.js";

const maximumSessions = 30;
const maximumErasures = 200;
/** The URL parameters of this section. */
const ownParameters = new Set(["visitors", "search", "events"]);

/**
 * The users section. `actions`: showEvents(key, value) opens the live events with a filter, openEvent(stored) shows an
 * event, onURLChange(isReplacement) is called when the URL changes, requestKey() when a key is needed.
 */
export class Users {
  #actions;
  #isVisible = false;
  /** The current selection: null for all users, {user} for a signed-in user, {installation} for a visitor. */
  #selected = null;
  #colors = new ScreenColors();
  #userList;
  #timeline;
  #consent;
  /** The selected user's attributes beyond the first page. */
  #extraAttributes = { attributes: {}, next: undefined };
  /** Whether the list of erasures is shown instead of users. */
  #showsErasures = false;
  /** The erasures whose receipts are shown. */
  #openErasures = new Set();
  #eraseDialog;
  #isUnknown = false;
  #isPolling = false;
  #nextPoll = 0;
  #refreshNumber = 0;
  /** The node of each part, and the data from which it was drawn. */
  #slots = new Map(["notice", "erasures", "profile", "consent", "events", "timeline", "screens", "sessions"].map((name) => [name, { node: h("div", { class: "detail-part", hidden: true }), drawn: "" }]));

  constructor(actions) {
    this.#actions = actions;
    this.#userList = new UserList((key) => this.#select(key), (isTyping) => actions.onURLChange(isTyping));
    this.#timeline = new UserTimeline({ openEvent: actions.openEvent, onFilterChange: (isTyping) => actions.onURLChange(isTyping), openInstallation: (id) => this.#select(`installation:${id}`) });
    this.#slots.get("events").node.append(this.#timeline.node);
    this.#consent = new ConsentDecisions((id) => this.#select(`installation:${id}`));
    this.#slots.get("consent").node.append(this.#consent.node);
    this.#eraseDialog = new EraseDialog(actions.requestKey, () => this.refresh(true));
    byId("user-erasures").addEventListener("click", () => this.#select("erasures"));
    byId("user-body").replaceChildren(...[...this.#slots.values()].map(({ node }) => node));
    setUpReportForm();
  }

  /** The selection for the URL, such as "user:carl"; "" for all users. */
  get urlValue() {
    if (this.#showsErasures) return "erasures";
    if (this.#selected === null) return "";
    return this.#selected.user === undefined ? `installation:${this.#selected.installation}` : `user:${this.#selected.user}`;
  }

  set urlValue(text) {
    const match = /^(user|installation):(.+)$/s.exec(text);
    this.#selected = match ? { [match[1]]: match[2] } : null;
    this.#showsErasures = text === "erasures";
    byId("user-erasures").setAttribute("aria-pressed", String(this.#showsErasures));
    this.#clear();
  }

  get pairs() {
    const search = this.#userList.search;
    return [["visitors", this.urlValue], ...(search === "" ? [] : [["search", search]]), ...(this.#selected === null ? [] : this.#timeline.pairs)];
  }

  restore(pairs) {
    const find = (key) => pairs.findLast(([name]) => name === key)?.[1] ?? "";
    const value = find("visitors");
    if (value !== this.urlValue) this.urlValue = value;
    this.#userList.search = find("search");
    this.#timeline.restore(find("events"));
    if (value !== "" && this.#selected === null && !this.#showsErasures) return `“${value.slice(0, 64)}” is not a user: write user:ID, installation:ID or erasures.`;
    return unknownParameterMessage(pairs.filter(([key]) => !ownParameters.has(key)));
  }

  setVisible(isVisible) {
    this.#isVisible = isVisible;
    // Whether an installation has a visitor is known only after a request.
    if (this.#selected?.user !== undefined) this.#showTimeline(!this.#isUnknown);
    else if (!isVisible) this.#timeline.setSubject(this.#selected, false);
    if (isVisible) this.refresh(true);
  }

  focusOpened() {
    return this.#timeline.focusOpened();
  }

  /** Loads and draws changes. The faster the collector responds, the more often it is polled. */
  async refresh(force = false) {
    if (!this.#isVisible || (!force && (this.#isPolling || Date.now() < this.#nextPoll))) return;
    this.#isPolling = true;
    const refreshNumber = ++this.#refreshNumber;
    const startedAt = performance.now();
    setText(byId("user-title"), this.#title(null));
    const isCurrent = () => refreshNumber === this.#refreshNumber;
    const load = async (name, request, draw) => {
      try {
        const response = await request;
        if (isCurrent()) draw(response, Date.now());
      } catch (error) {
        if (isCurrent()) this.#showError(name, error);
      }
    };
    const requests = [this.#userList.refresh(this.urlValue)];
    if (!this.#isUnknown || force) requests.push(...this.#requests(load));
    await Promise.all(requests);
    if (!isCurrent()) return;
    this.#isPolling = false;
    this.#nextPoll = Date.now() + 20 * (performance.now() - startedAt);
  }

  #requests(load) {
    if (this.#showsErasures) {
      this.#skeleton("erasures");
      return [load("erasures", getJSON(`/v1/erasures?limit=${maximumErasures}`), (response) => this.#drawErasures(response))];
    }
    const selected = this.#selected;
    const scope = selected === null ? [] : Object.entries(selected);
    const sessions = load("sessions", getJSON(`/v1/sessions?${encodeQuery([...scope, ["limit", String(maximumSessions)]])}`), (response, now) => this.#drawSessions(response, now));
    this.#skeleton("sessions");
    if (selected === null) {
      this.#skeleton("screens");
      return [sessions, load("screens", getJSON("/v1/screens?limit=40"), (flow) => this.#drawScreens(flow))];
    }
    this.#skeleton("profile");
    if (selected.user !== undefined) return [sessions, load("profile", getJSON(`/v1/users/${encodeURIComponent(selected.user)}`), (user, now) => this.#drawUser(user, now))];
    return [
      sessions,
      load("profile", this.#loadInstallation(selected.installation), (found, now) => this.#drawInstallation(found, now)),
      load("screens", getJSON(`/v1/screens?${encodeQuery([...scope, ["limit", "40"]])}`), (flow) => this.#drawScreens(flow)),
    ];
  }

  /** Returns the users of an installation, and its visitor if the installation was used without a sign-in. */
  async #loadInstallation(id) {
    const { users } = await getJSON(`/v1/users?${encodeQuery([["installation", id], ["limit", "50"], ["attributes", "none"]])}`);
    const visitor = users.some((user) => user.id === undefined) ? await getJSON(`/v1/visitors/${encodeURIComponent(id)}`) : null;
    return { users, visitor };
  }

  /** Shows or hides the consent decisions and the events of the selected person. */
  #showTimeline(isAvailable) {
    this.#slots.get("consent").node.hidden = !isAvailable;
    this.#slots.get("events").node.hidden = !isAvailable;
    this.#timeline.setSubject(isAvailable ? this.#selected : null, this.#isVisible);
  }

  #select(value) {
    this.urlValue = value;
    this.#actions.onURLChange();
    byId("user").scrollTop = 0;
    this.setVisible(this.#isVisible);
  }

  #clear() {
    this.#isUnknown = false;
    this.#extraAttributes = { attributes: {}, next: undefined };
    this.#timeline.reset();
    this.#consent.reset();
    for (const [name, slot] of this.#slots) {
      slot.drawn = "";
      slot.node.hidden = true;
      if (name !== "events" && name !== "consent") slot.node.replaceChildren();
    }
  }

  // MARK: Drawing

  #title(user) {
    if (user) return userName(user);
    if (this.#showsErasures) return "Erasures";
    if (this.#selected === null) return "All users";
    return this.#selected.user === undefined ? `Installation ${shortID(this.#selected.installation)}` : printable(this.#selected.user);
  }

  /** Draws a part if its data has changed; the focus is kept. */
  #drawPart(name, data, build) {
    const slot = this.#slots.get(name);
    const state = JSON.stringify(data);
    if (slot.drawn === state) return;
    slot.drawn = state;
    const focused = slot.node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
    const nodes = build();
    slot.node.replaceChildren(...nodes);
    slot.node.hidden = nodes.length === 0;
    if (focused !== undefined) slot.node.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  #skeleton(name) {
    const slot = this.#slots.get(name);
    if (slot.node.childElementCount > 0) return;
    slot.node.hidden = false;
    slot.node.replaceChildren(h("section", { class: "panel panel-skeleton", "aria-busy": "true" }, h("p", { class: "visually-hidden" }, "Loading…"), h("span", {}), h("span", {}), h("span", {})));
  }

  #showError(name, error) {
    if (name === "profile" && error.status === 404) {
      this.#showUnknown("No such user", error.message);
      return;
    }
    const slot = this.#slots.get(name);
    // Keep the last rendered content; the connection state shows that the collector is down.
    if (slot.drawn !== "") return;
    slot.node.hidden = false;
    slot.node.replaceChildren(h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, error.needsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding."),
      h("button", { type: "button", class: "button", onclick: () => this.refresh(true) }, "Try again")));
  }

  /** Shows that a user is unknown to the collector, as opposed to a user without sessions. */
  #showUnknown(title, reason) {
    this.#isUnknown = true;
    this.#showTimeline(false);
    for (const [name, slot] of this.#slots) if (name !== "notice") slot.node.hidden = true;
    this.#drawPart("notice", [title, reason], () => [h("section", { class: "panel empty unknown" }, h("p", { class: "empty-title" }, title), h("p", { dir: "auto" }, printable(reason)),
      h("button", { type: "button", class: "button", onclick: () => this.#select("") }, "All users"))]);
  }

  #drawUser(user, now) {
    this.#isUnknown = false;
    setText(byId("user-title"), this.#title(user));
    if (this.#selected.user !== undefined) this.#drawPart("notice", null, () => []);
    const attributes = { ...user.attributes, ...this.#extraAttributes.attributes };
    const next = Object.keys(this.#extraAttributes.attributes).length === 0 ? user.next : this.#extraAttributes.next;
    this.#drawPart("profile", [user, Object.keys(attributes).length, next, Math.floor(now / 30_000)], () => [profileCard({ ...user, attributes, next }, this.#selected, {
      selectInstallation: (installation) => this.#select(`installation:${installation}`),
      loadMore: () => this.#loadMoreAttributes(next),
      exportData: (note) => downloadArchive(`${personPath(this.#selected)}/export`, note),
      erase: () => this.#eraseDialog.open(this.#selected),
    })]);
    this.#showTimeline(true);
    this.#consent.refresh(personPath(this.#selected));
  }

  #drawErasures(response) {
    this.#drawPart("erasures", [response, [...this.#openErasures]], () => [erasuresPanel(response, this.#openErasures, (id) => {
      if (!this.#openErasures.delete(id)) this.#openErasures.add(id);
      this.#drawErasures(response);
    })]);
  }

  #drawInstallation({ users, visitor }, now) {
    if (users.length === 0) {
      this.#showUnknown("No such installation", `No events from installation ${this.#selected.installation}. It may have been erased.`);
      return;
    }
    this.#isUnknown = false;
    const select = (user) => this.#select(userKey(user));
    const signedIn = users.filter((user) => user.id !== undefined);
    if (signedIn.length > 0) this.#drawPart("notice", [signedIn, visitor === null, Math.floor(now / 30_000)], () => [installationUsers(signedIn, visitor !== null, select)]);
    if (visitor === null) {
      this.#slots.get("profile").node.hidden = true;
      this.#showTimeline(false);
      return;
    }
    this.#drawUser(visitor, now);
    setText(byId("user-title"), this.#title(null));
  }

  async #loadMoreAttributes(after) {
    const selected = this.#selected;
    try {
      const page = await getJSON(`${personPath(selected)}?${encodeQuery([["after", after], ["limit", "1000"]])}`);
      if (selected !== this.#selected) return;
      this.#extraAttributes = { attributes: { ...this.#extraAttributes.attributes, ...page.attributes }, next: page.next };
      this.refresh(true);
    } catch {
      // The button remains, so that the user can retry; the connection state shows the reason.
    }
  }

  #drawSessions(response, now) {
    const { sessions } = response;
    if (this.#selected?.user !== undefined) this.#colors.assign([...new Set(sessions.flatMap((session) => session.screens.map((screen) => screen.name)))]);
    this.#drawPart("timeline", [sessions, Math.floor(now / 30_000)], () => sessions.length === 0 ? [] : [timelinePanel(sessions, (session) => {
      const row = byId("user").querySelector(`[data-session="${CSS.escape(sessionKey(session))}"]`);
      row?.scrollIntoView({ block: "nearest", behavior: "smooth" });
      row?.focus({ preventScroll: true });
    })]);
    this.#drawPart("sessions", [response, Math.floor(now / 30_000)], () => [sessionsPanel(sessions, response.next !== undefined, this.#colors, {
      isAllUsers: this.#selected === null,
      sessionKey,
      showEvents: (session) => this.#actions.showEvents("session", session),
      openUser: (id) => this.#select(`user:${id}`),
      openInstallation: (id) => this.#select(`installation:${id}`),
    })]);
    if (this.#isUnknown) for (const name of ["timeline", "sessions"]) this.#slots.get(name).node.hidden = true;
  }

  #drawScreens(flow) {
    if (this.#isUnknown) return;
    this.#colors.assign(flow.screens.map((screen) => screen.name));
    this.#drawPart("screens", flow, () => [screensPanel(flow, this.#colors, this.#selected !== null)]);
  }
}

/** Returns the path of a selected user or visitor. */
const personPath = (selected) => (selected.user === undefined ? `/v1/visitors/${encodeURIComponent(selected.installation)}` : `/v1/users/${encodeURIComponent(selected.user)}`);

const sessionKey = (session) => `${session.installation ?? ""} ${session.id}`;
