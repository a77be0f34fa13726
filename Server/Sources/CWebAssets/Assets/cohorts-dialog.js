// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// “Cohorts”: lists the saved cohorts, and creates and deletes them.

import { getJSON, sendJSON } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { printable } from "./format.js";
import { refreshSuggestions } from "./suggestions.js";
import { queryZone } from "./time-range.js";

const maximumText = 160;

/** The dialog with the cohorts. `requestKey()` is called when a key is needed. */
export class CohortsDialog {
  #requestKey;

  constructor(requestKey) {
    this.#requestKey = requestKey;
    byId("cohorts-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#save();
    });
  }

  async open() {
    setText(byId("cohorts-error"), "");
    setText(byId("cohorts-status"), "");
    try {
      await this.#load();
    } catch (error) {
      if (error.needsKey) return this.#requestKey({ retry: () => this.open() });
      this.#showError(error);
    }
    if (!byId("cohorts-dialog").open) byId("cohorts-dialog").showModal();
  }

  async #load() {
    const { cohorts } = await getJSON("/v1/cohorts");
    const items = cohorts.map((cohort) => {
      const name = printable(cohort.name).slice(0, 80);
      const remove = h("button", { type: "button", class: "button small", "aria-label": `Delete the cohort ${name}`, onclick: () => this.#remove(cohort.name, remove) }, "Delete");
      return h("li", {}, h("div", { class: "cohort-text" }, h("b", {}, name), h("span", {}, printable(cohortText(cohort)).slice(0, maximumText))), remove);
    });
    byId("cohorts-list").replaceChildren(...items);
    byId("cohorts-list").hidden = items.length === 0;
    byId("cohorts-empty").hidden = items.length > 0;
  }

  async #save() {
    const value = (id) => byId(id).value.trim();
    const name = value("cohort-name");
    const behavior = (prefix) => ({ event: value(`${prefix}-event`), times: Number(value(`${prefix}-times`) || "1"), ...(value(`${prefix}-last`) === "" ? {} : { last: value(`${prefix}-last`) }) });
    const definition = { zone: queryZone({ get: () => null }) };
    if (value("cohort-where") !== "") definition.where = [value("cohort-where")];
    if (value("cohort-did-event") !== "") definition.did = [behavior("cohort-did")];
    if (value("cohort-did-not-event") !== "") definition.did_not = [behavior("cohort-did-not")];
    try {
      await sendJSON("PUT", `/v1/cohorts/${encodeURIComponent(name)}`, definition);
      byId("cohorts-form").reset();
      await this.#finish(`Saved. To filter by it, choose the attribute “cohort” and the value “${name}”.`);
    } catch (error) {
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#save() });
      else this.#showError(error, "Nothing was saved.");
    }
  }

  /** Deletes a cohort when its button is pressed again, because queries that name it then fail. */
  async #remove(name, button) {
    if (button.dataset.confirms === undefined) {
      button.dataset.confirms = "";
      button.textContent = "Delete permanently";
      return;
    }
    try {
      await sendJSON("DELETE", `/v1/cohorts/${encodeURIComponent(name)}`);
      await this.#finish(`The cohort “${name}” was deleted. Insights that use it will fail.`);
    } catch (error) {
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#remove(name, button) });
      else this.#showError(error, "Nothing was deleted.");
    }
  }

  async #finish(text) {
    setText(byId("cohorts-error"), "");
    await this.#load();
    refreshSuggestions();
    setText(byId("cohorts-status"), text);
  }

  #showError(error, consequence = "") {
    setText(byId("cohorts-status"), "");
    setText(byId("cohorts-error"), error.status ? error.message : `The collector is not responding. ${consequence}`);
  }
}

/** Returns a cohort's definition as text. */
function cohortText({ where = [], did = [], did_not: didNot = [] }) {
  const behavior = (verb) => ({ event, times, where: conditions = [], last, from, to }) =>
    [`${verb} ${event}`, times > 1 ? `${times} times` : "", conditions.length > 0 ? `with ${conditions.join(", ")}` : "", last ? `in the last ${last}` : "", from ? "from a date" : "", to ? "to a date" : ""].filter(Boolean).join(" ");
  return [...where, ...did.map(behavior("did")), ...didNot.map(behavior("did not do"))].join("; ");
}
