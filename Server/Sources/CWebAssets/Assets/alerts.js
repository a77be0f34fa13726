// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Alerts: the state of each, its notifications, and actions on it. The URL may name the open alert.

import { ask, tell } from "./ask.js";
import { AlertForm } from "./alertform.js";
import { attemptOf, conditionOf, stateOf, unitOf } from "./alerted.js";
import { byId, h, setText } from "./dom.js";
import { called, figure } from "./figures.js";
import { ago, counted, dateAndClock, number, span } from "./format.js";
import { unknown } from "./modes.js";
import { printable } from "./stream.js";

const lookEvery = 5000;
const path = (id) => `/v1/alerts/${encodeURIComponent(id)}`;
/** The members of an alert that are sent back when it is changed. */
const kept = ["title", "condition", "every", "for", "keep_firing_for", "repeat", "paused", "version"];
const moment = (ms) => h("time", { datetime: new Date(ms).toISOString(), title: dateAndClock(ms) }, ago(ms, Date.now()));

/** The alerts section. `moved()` is called when the URL changes, `wantKey()` when a key is needed. */
export class Alerts {
  #moved;
  #wantKey;
  #isShown = false;
  #open = "";
  #alerts = null;
  #timer = 0;
  #turn = 0;
  #form;
  /** The time of the last response, and whether the shown message reports a missing response. */
  #answered = 0;
  #isLost = false;

  constructor(moved, wantKey) {
    this.#moved = moved;
    this.#wantKey = wantKey;
    this.#form = new AlertForm(wantKey, (alert) => {
      this.#open = alert.id;
      this.#moved();
      this.#load();
    });
    byId("alert-new").addEventListener("click", () => this.#form.open({}));
    // When the page becomes visible, retry a load that failed because of a missing key or response.
    document.addEventListener("visibilitychange", () => this.#isShown && document.visibilityState === "visible" && this.#load());
  }

  /** Opens the form for an alert about a query: {kind, query, title}. */
  make(question) {
    this.#form.open(question);
  }

  get pairs() {
    return [["alerts", this.#open]];
  }

  restore(pairs) {
    this.#open = pairs.find(([key]) => key === "alerts")?.[1] ?? "";
    return unknown(pairs.filter(([key]) => key !== "alerts"));
  }

  show(isShown) {
    this.#isShown = isShown;
    clearTimeout(this.#timer);
    if (isShown) this.#load();
  }

  async #load() {
    clearTimeout(this.#timer);
    const turn = (this.#turn += 1);
    if (this.#alerts === null) this.#wait();
    try {
      const { alerts } = await ask("/v1/alerts");
      const deliveries = alerts.some(({ id }) => id === this.#open) ? (await ask(`${path(this.#open)}/deliveries`)).deliveries : [];
      if (turn !== this.#turn || !this.#isShown) return;
      this.#alerts = alerts;
      this.#draw(deliveries);
    } catch (error) {
      if (turn !== this.#turn || !this.#isShown) return;
      this.#fail(error);
    }
    if (document.visibilityState === "visible") this.#timer = setTimeout(() => this.#load(), lookEvery);
  }

  #wait() {
    const list = byId("alert-list");
    list.setAttribute("aria-busy", "true");
    if (list.childElementCount === 0) list.replaceChildren(h("li", { class: "panel part-skeleton" }, h("p", { class: "visually-hidden" }, "Loading…"), h("span", {}), h("span", {}), h("span", {})));
  }

  #draw(deliveries) {
    const list = byId("alert-list");
    // The URL may name a deleted alert.
    const isGone = this.#open !== "" && this.#alerts.every(({ id }) => id !== this.#open);
    byId("alert-gone").hidden = !isGone;
    setText(byId("alert-gone"), isGone ? `Alert “${printable(this.#open).slice(0, 64)}” does not exist. It may have been deleted.` : "");
    list.removeAttribute("aria-busy");
    const firing = this.#alerts.filter(({ state }) => state === "firing").length;
    // An alert that cannot be evaluated does not count as not firing.
    const blind = this.#alerts.filter(({ state, trouble, paused }) => !paused && (state === "unknown" || trouble)).length;
    setText(byId("alert-note"), this.#alerts.length === 0 ? "" : [counted(this.#alerts.length, "alert"), firing === 0 ? "none firing" : `${number(firing)} firing`, blind === 0 ? null : `${number(blind)} unknown`].filter(Boolean).join(", "));
    this.#answered = Date.now();
    if (this.#isLost) this.#say("");
    this.#isLost = false;
    if (this.#alerts.length === 0) {
      list.replaceChildren(h("li", { class: "panel empty alert-empty" }, h("p", { class: "empty-title" }, "No alerts yet"),
        h("p", {}, "An alert checks a condition every few minutes and notifies your webhook when it is met: low sales, missing or rejected events, no events, a disk that is almost full.")));
      return;
    }
    // Keeps the focus on the focused button of the list.
    const focused = document.activeElement?.closest?.("[data-alert]");
    const at = focused ? [focused.dataset.alert, document.activeElement.dataset.act] : null;
    list.replaceChildren(...this.#alerts.map((alert) => this.#item(alert, alert.id === this.#open ? deliveries : null)));
    if (at) list.querySelector(`[data-alert="${CSS.escape(at[0])}"] [data-act="${CSS.escape(at[1] ?? "")}"]`)?.focus();
  }

  #item(alert, deliveries) {
    const { word, mood } = stateOf(alert);
    const button = (text, name, act) => h("button", { type: "button", class: "button small", "data-act": name, "aria-label": `${text}: ${printable(alert.title)}`, onclick: act }, text);
    const isOpen = deliveries !== null;
    return h("li", { class: "panel alert", "data-alert": alert.id, "data-mood": mood },
      h("header", { class: "alert-head" },
        h("span", { class: "alert-state" }, word),
        h("h3", {}, called(alert.title, 120)),
        h("span", { class: "alert-value" }, alert.value === null ? "" : `${figure(alert.value)} ${unitOf(alert.condition)}`.trim())),
      h("p", { class: "alert-condition" }, h("a", { href: alert.link }, called(conditionOf(alert), 240))),
      h("p", { class: "alert-facts" },
        alert.since ? h("span", {}, `${alert.state} since `, moment(alert.since)) : null,
        alert.evaluated ? h("span", {}, "checked ", moment(alert.evaluated)) : null,
        h("span", {}, `every ${alert.every}${alert.for === "0m" ? "" : `, trigger after ${alert.for}`}${alert.keep_firing_for === "0m" ? "" : `, resolve after ${alert.keep_firing_for}`}${alert.repeat === null ? "" : `, repeat every ${alert.repeat}`}`),
        h("span", {}, alert.webhook === null ? "no webhook" : h("bdi", {}, `notifies ${alert.webhook}`))),
      alert.trouble ? h("p", { class: "alert-trouble" }, printable(alert.trouble)) : null,
      alert.webhook_gone ? h("p", { class: "alert-trouble" }, "The receiver returned status 410 (Gone), so notifications are off. Resume to turn them on again.") : null,
      alert.waiting ? h("p", { class: "alert-trouble" }, `The “${alert.waiting.kind}” notification is not delivered yet: ${counted(alert.waiting.failures, "attempt")} failed${alert.waiting.next ? `, the next in ${span(Math.max(0, alert.waiting.next - Date.now()))}` : ""}.`) : null,
      h("div", { class: "alert-tools" },
        h("button", { type: "button", class: "button small", "data-act": "open", "aria-expanded": String(isOpen), "aria-label": `Deliveries: ${printable(alert.title)}`, onclick: () => {
          this.#open = isOpen ? "" : alert.id;
          this.#moved();
          this.#load();
        } }, "Deliveries"),
        alert.webhook === null ? null : button("Test", "test", () => this.#test(alert)),
        button("Edit", "edit", () => this.#form.open({ alert })),
        alert.paused || alert.webhook_gone ? button("Resume", "pause", () => this.#change(alert, false)) : button("Pause", "pause", () => this.#change(alert, true)),
        button("Delete", "delete", () => this.#delete(alert))),
      isOpen ? this.#deliveries(deliveries) : null);
  }

  #deliveries(deliveries) {
    if (deliveries.length === 0) return h("p", { class: "alert-nothing" }, "No notifications yet.");
    return h("div", { class: "alert-deliveries", tabindex: "0", role: "region", "aria-label": "Deliveries, table" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Time", "Notification", "Outcome", "Response", "Message"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, deliveries.map((attempt) => h("tr", {},
        h("td", {}, moment(attempt.time)), h("td", {}, attempt.number > 1 ? `${attempt.kind}, attempt ${attempt.number}` : attempt.kind),
        h("td", { class: attempt.outcome === "delivered" ? "good" : attempt.outcome === "superseded" ? null : "bad" }, attempt.outcome.replace("_", " ")),
        h("td", {}, called(attemptOf(attempt), 160)), h("td", {}, h("code", { title: attempt.id }, attempt.id)))))));
  }

  async #test(alert) {
    this.#say(`Sending to ${alert.webhook}…`);
    await this.#act(async () => {
      const attempt = await tell("POST", `${path(alert.id)}/test`);
      this.#say(attempt.outcome === "delivered" ? `Delivered: ${attemptOf(attempt)}.` : `Not delivered: ${attemptOf(attempt)}.`, attempt.outcome !== "delivered");
      this.#open = alert.id;
      this.#moved();
    });
  }

  #change(alert, isPaused) {
    return this.#act(async () => {
      const draft = Object.fromEntries(kept.map((name) => [name, alert[name]]));
      await tell("PUT", path(alert.id), { ...draft, paused: isPaused });
      this.#say(isPaused ? "Paused. The alert keeps its current state." : "Resumed.");
    });
  }

  async #delete(alert) {
    const dialog = byId("alert-sure");
    setText(byId("alert-sure-text"), `“${printable(alert.title).slice(0, 80)}” and its pending notifications will be deleted.`);
    dialog.returnValue = "";
    dialog.showModal();
    const answer = await new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
    if (answer !== "delete") return;
    await this.#act(async () => {
      await tell("DELETE", `${path(alert.id)}?version=${alert.version}`);
      if (this.#open === alert.id) this.#open = "";
      this.#moved();
      this.#say("Deleted.");
      byId("alert-new").focus();
    });
  }

  async #act(act) {
    try {
      await act();
    } catch (error) {
      if (error.wantsKey) this.#wantKey({ writes: true, again: () => this.#act(act) });
      this.#say(error.wantsKey ? "Changing alerts requires a key with the scopes “read” and “write”." : error.status === 409 ? "Another user has just changed this alert. Their version is shown now; repeat your change." : error.status ? error.message : "The collector is not responding. Nothing was changed.", true);
    }
    this.#load();
  }

  #say(text, isWrong = false) {
    this.#isLost = false;
    byId("alert-told").classList.toggle("wrong", isWrong);
    setText(byId("alert-told"), text);
  }

  #fail(error) {
    if (error.wantsKey) this.#wantKey();
    const list = byId("alert-list");
    list.removeAttribute("aria-busy");
    // Keep the last list; if there is none, show the reason instead.
    if (this.#alerts !== null) {
      this.#say(`${error.wantsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding."} Showing data from ${dateAndClock(this.#answered).slice(0, 19)}.`, true);
      this.#isLost = true;
      return;
    }
    list.replaceChildren(h("li", { class: "panel empty alert-empty", role: "alert" }, h("p", { class: "empty-title" }, "No response"),
      h("p", { class: "wrong" }, error.wantsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding.")));
  }
}
