// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Alerts: the state and notifications of each alert, and actions on it. The URL may contain the id of the open alert.

import { AlertForm } from "./alert-form.js";
import { attemptText, conditionText, stateLabel, unitOf } from "./alert-text.js";
import { getJSON, sendJSON } from "./api.js";
import { formatValue, nameNode } from "./data-table.js";
import { byId, h, setText } from "./dom.js";
import { formatDateTime, formatLongDuration, formatNumber, pluralize, printable, timeAgo } from "./format.js";
import { unknownParameterMessage } from "./sections.js";

const pollInterval = 5000;
const alertPath = (id) => `/v1/alerts/${encodeURIComponent(id)}`;
/** The members of an alert that are sent to the collector when the alert is changed. */
const editableFields = ["title", "condition", "every", "for", "keep_firing_for", "repeat", "paused", "version"];
const timeNode = (ms) => h("time", { datetime: new Date(ms).toISOString(), title: formatDateTime(ms) }, timeAgo(ms, Date.now()));

/** The alerts section. `onURLChange()` is called when the URL changes, `requestKey()` when a key is needed. */
export class Alerts {
  #onURLChange;
  #requestKey;
  #isVisible = false;
  #openID = "";
  #alerts = null;
  #timer = 0;
  #loadNumber = 0;
  #form;
  /** The time of the last response, and whether the message on the page is a load error. */
  #loadedAt = 0;
  #isShowingLoadError = false;

  constructor(onURLChange, requestKey) {
    this.#onURLChange = onURLChange;
    this.#requestKey = requestKey;
    this.#form = new AlertForm(requestKey, (alert) => {
      this.#openID = alert.id;
      this.#onURLChange();
      this.#load();
    });
    byId("alert-new").addEventListener("click", () => this.#form.open({}));
    // When the page becomes visible, retry a load that failed because of a missing key or response.
    document.addEventListener("visibilitychange", () => this.#isVisible && document.visibilityState === "visible" && this.#load());
  }

  /** Opens the form for a new alert with these initial values: {kind, query, title}. */
  create(draft) {
    this.#form.open(draft);
  }

  get pairs() {
    return [["alerts", this.#openID]];
  }

  restore(pairs) {
    this.#openID = pairs.find(([key]) => key === "alerts")?.[1] ?? "";
    return unknownParameterMessage(pairs.filter(([key]) => key !== "alerts"));
  }

  setVisible(isVisible) {
    this.#isVisible = isVisible;
    clearTimeout(this.#timer);
    if (isVisible) this.#load();
  }

  async #load() {
    clearTimeout(this.#timer);
    const loadNumber = (this.#loadNumber += 1);
    if (this.#alerts === null) this.#showSkeleton();
    try {
      const { alerts } = await getJSON("/v1/alerts");
      const deliveries = alerts.some(({ id }) => id === this.#openID) ? (await getJSON(`${alertPath(this.#openID)}/deliveries`)).deliveries : [];
      if (loadNumber !== this.#loadNumber || !this.#isVisible) return;
      this.#alerts = alerts;
      this.#render(deliveries);
    } catch (error) {
      if (loadNumber !== this.#loadNumber || !this.#isVisible) return;
      this.#showLoadError(error);
    }
    if (document.visibilityState === "visible") this.#timer = setTimeout(() => this.#load(), pollInterval);
  }

  #showSkeleton() {
    const list = byId("alert-list");
    list.setAttribute("aria-busy", "true");
    if (list.childElementCount === 0) list.replaceChildren(h("li", { class: "panel panel-skeleton" }, h("p", { class: "visually-hidden" }, "Loading…"), h("span", {}), h("span", {}), h("span", {})));
  }

  #render(deliveries) {
    const list = byId("alert-list");
    // The URL may contain the id of a deleted alert.
    const isMissing = this.#openID !== "" && this.#alerts.every(({ id }) => id !== this.#openID);
    byId("alert-missing").hidden = !isMissing;
    setText(byId("alert-missing"), isMissing ? `Alert “${printable(this.#openID).slice(0, 64)}” does not exist. It may have been deleted.` : "");
    list.removeAttribute("aria-busy");
    const firingCount = this.#alerts.filter(({ state }) => state === "firing").length;
    // An alert that cannot be evaluated is counted as unknown instead of “not firing”.
    const unknownCount = this.#alerts.filter(({ state, trouble, paused }) => !paused && (state === "unknown" || trouble)).length;
    setText(byId("alert-note"), this.#alerts.length === 0 ? "" : [pluralize(this.#alerts.length, "alert"), firingCount === 0 ? "none firing" : `${formatNumber(firingCount)} firing`, unknownCount === 0 ? null : `${formatNumber(unknownCount)} unknown`].filter(Boolean).join(", "));
    this.#loadedAt = Date.now();
    if (this.#isShowingLoadError) this.#showMessage("");
    this.#isShowingLoadError = false;
    if (this.#alerts.length === 0) {
      list.replaceChildren(h("li", { class: "panel empty alert-empty" }, h("p", { class: "empty-title" }, "No alerts yet"),
        h("p", {}, "An alert checks a condition every few minutes and notifies your webhook when it is met: low sales, missing or rejected events, no events, a disk that is almost full.")));
      return;
    }
    // Restore the focus to the same button after the list is redrawn.
    const focused = document.activeElement?.closest?.("[data-alert]");
    const focusKeys = focused ? [focused.dataset.alert, document.activeElement.dataset.action] : null;
    list.replaceChildren(...this.#alerts.map((alert) => this.#alertItem(alert, alert.id === this.#openID ? deliveries : null)));
    if (focusKeys) list.querySelector(`[data-alert="${CSS.escape(focusKeys[0])}"] [data-action="${CSS.escape(focusKeys[1] ?? "")}"]`)?.focus();
  }

  #alertItem(alert, deliveries) {
    const { label, tone } = stateLabel(alert);
    const button = (text, name, action) => h("button", { type: "button", class: "button small", "data-action": name, "aria-label": `${text}: ${printable(alert.title)}`, onclick: action }, text);
    const isOpen = deliveries !== null;
    return h("li", { class: "panel alert", "data-alert": alert.id, "data-tone": tone },
      h("header", { class: "alert-head" },
        h("span", { class: "alert-state" }, label),
        h("h3", {}, nameNode(alert.title, 120)),
        h("span", { class: "alert-value" }, alert.value === null ? "" : `${formatValue(alert.value)} ${unitOf(alert.condition)}`.trim())),
      h("p", { class: "alert-condition" }, h("a", { href: alert.link }, nameNode(conditionText(alert), 240))),
      h("p", { class: "alert-facts" },
        alert.since ? h("span", {}, `${alert.state} since `, h("time", { datetime: new Date(alert.since).toISOString() }, formatDateTime(alert.since).slice(0, 16))) : null,
        alert.evaluated ? h("span", {}, "checked ", timeNode(alert.evaluated)) : null,
        h("span", {}, `every ${alert.every}${alert.for === "0m" ? "" : `, trigger after ${alert.for}`}${alert.keep_firing_for === "0m" ? "" : `, resolve after ${alert.keep_firing_for}`}${alert.repeat === null ? "" : `, repeat every ${alert.repeat}`}`),
        h("span", {}, alert.webhook === null ? "no webhook" : h("bdi", {}, `notifies ${alert.webhook}`))),
      alert.trouble ? h("p", { class: "alert-problem" }, printable(alert.trouble)) : null,
      alert.webhook_gone ? h("p", { class: "alert-problem" }, "The receiver returned status 410 (Gone), so notifications are off. Resume to turn them on again.") : null,
      alert.waiting ? h("p", { class: "alert-problem" }, `The “${alert.waiting.kind}” notification has not been delivered yet: ${pluralize(alert.waiting.failures, "attempt")} failed${alert.waiting.next ? `, the next in ${formatLongDuration(Math.max(0, alert.waiting.next - Date.now()))}` : ""}.`) : null,
      h("div", { class: "alert-tools" },
        h("button", { type: "button", class: "button small", "data-action": "open", "aria-expanded": String(isOpen), "aria-label": `Deliveries: ${printable(alert.title)}`, onclick: () => {
          this.#openID = isOpen ? "" : alert.id;
          this.#onURLChange();
          this.#load();
        } }, "Deliveries"),
        alert.webhook === null ? null : button("Test", "test", () => this.#sendTest(alert)),
        button("Edit", "edit", () => this.#form.open({ alert })),
        alert.paused || alert.webhook_gone ? button("Resume", "pause", () => this.#setPaused(alert, false)) : button("Pause", "pause", () => this.#setPaused(alert, true)),
        button("Delete", "delete", () => this.#delete(alert))),
      isOpen ? this.#deliveryTable(deliveries) : null);
  }

  #deliveryTable(deliveries) {
    if (deliveries.length === 0) return h("p", { class: "alert-no-deliveries" }, "No notifications yet.");
    return h("div", { class: "alert-deliveries", tabindex: "0", role: "region", "aria-label": "Deliveries, table" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Time", "Notification", "Outcome", "Response", "Message"].map((text) => h("th", { scope: "col" }, text)))),
      h("tbody", {}, deliveries.map((attempt) => h("tr", {},
        h("td", {}, timeNode(attempt.time)), h("td", {}, attempt.number > 1 ? `${attempt.kind}, attempt ${attempt.number}` : attempt.kind),
        h("td", { class: attempt.outcome === "delivered" ? "good" : attempt.outcome === "superseded" ? null : "bad" }, attempt.outcome.replace("_", " ")),
        h("td", {}, nameNode(attemptText(attempt), 160)), h("td", {}, h("code", { title: attempt.id }, attempt.id)))))));
  }

  async #sendTest(alert) {
    this.#showMessage(`Sending to ${alert.webhook}…`);
    await this.#perform(async () => {
      const attempt = await sendJSON("POST", `${alertPath(alert.id)}/test`);
      this.#showMessage(attempt.outcome === "delivered" ? `Delivered: ${attemptText(attempt)}.` : `Not delivered: ${attemptText(attempt)}.`, attempt.outcome !== "delivered");
      this.#openID = alert.id;
      this.#onURLChange();
    });
  }

  #setPaused(alert, isPaused) {
    return this.#perform(async () => {
      const draft = Object.fromEntries(editableFields.map((name) => [name, alert[name]]));
      await sendJSON("PUT", alertPath(alert.id), { ...draft, paused: isPaused });
      this.#showMessage(isPaused ? "Paused. The alert keeps its current state." : "Resumed.");
    });
  }

  async #delete(alert) {
    const dialog = byId("alert-delete-dialog");
    setText(byId("alert-delete-text"), `“${printable(alert.title).slice(0, 80)}” and its pending notifications will be deleted.`);
    dialog.returnValue = "";
    dialog.showModal();
    const choice = await new Promise((resolve) => dialog.addEventListener("close", () => resolve(dialog.returnValue), { once: true }));
    if (choice !== "delete") return;
    await this.#perform(async () => {
      await sendJSON("DELETE", `${alertPath(alert.id)}?version=${alert.version}`);
      if (this.#openID === alert.id) this.#openID = "";
      this.#onURLChange();
      this.#showMessage("Deleted.");
      byId("alert-new").focus();
    });
  }

  async #perform(action) {
    try {
      await action();
    } catch (error) {
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#perform(action) });
      this.#showMessage(error.needsKey ? "Changing alerts requires a key with the scopes “read” and “write”." : error.status === 409 ? "Another user has just changed this alert. Their version is shown now; repeat your change." : error.status ? error.message : "The collector is not responding. Nothing was changed.", true);
    }
    this.#load();
  }

  #showMessage(text, isError = false) {
    this.#isShowingLoadError = false;
    byId("alert-status").classList.toggle("error", isError);
    setText(byId("alert-status"), text);
  }

  #showLoadError(error) {
    if (error.needsKey) this.#requestKey();
    const list = byId("alert-list");
    list.removeAttribute("aria-busy");
    // Keep the last list; if no list was loaded, show the error instead.
    if (this.#alerts !== null) {
      this.#showMessage(`${error.needsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding."} Showing data from ${formatDateTime(this.#loadedAt).slice(0, 19)}.`, true);
      this.#isShowingLoadError = true;
      return;
    }
    list.replaceChildren(h("li", { class: "panel empty alert-empty", role: "alert" }, h("p", { class: "empty-title" }, "No response"),
      h("p", { class: "error" }, error.needsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding.")));
  }
}
