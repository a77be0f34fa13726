// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// “Cohorts”: lists the saved cohorts, filters by them, and creates, replaces and deletes them.

import { getJSON, sendJSON } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { printable, truncate } from "./format.js";
import { refreshSuggestions } from "./suggestions.js";
import { queryZone } from "./time-range.js";

const maximumText = 200;
const behaviors = { did: "cohort-did", did_not: "cohort-did-not" };

/**
 * The dialog with the cohorts. `requestKey()` is called when a key is needed, `onFilter(name)` when the current insight
 * is to be filtered by a cohort.
 */
export class CohortsDialog {
  #requestKey;
  #onFilter;
  #canFilter = false;
  #names = new Set();
  /** The existing cohort that the next submission replaces. */
  #replaced = null;

  constructor(requestKey, onFilter) {
    this.#requestKey = requestKey;
    this.#onFilter = onFilter;
    byId("cohorts-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#save();
    });
    byId("cohort-name").addEventListener("input", () => this.#setReplaced(null));
  }

  /** Opens the dialog. `canFilter`: whether the current insight supports filters. */
  async open(canFilter = this.#canFilter) {
    this.#canFilter = canFilter;
    this.#showError(null);
    setText(byId("cohorts-status"), "");
    this.#setReplaced(null);
    try {
      await this.#load();
      byId("cohort-new").open = this.#names.size === 0;
    } catch (error) {
      if (error.needsKey) return this.#requestKey({ retry: () => this.open() });
      byId("cohorts-list").hidden = byId("cohorts-empty").hidden = true;
      byId("cohort-new").open = true;
      this.#showError(error);
    }
    if (!byId("cohorts-dialog").open) byId("cohorts-dialog").showModal();
  }

  async #load() {
    const { cohorts } = await getJSON("/v1/cohorts");
    this.#names = new Set(cohorts.map(({ name }) => name));
    byId("cohorts-list").replaceChildren(...cohorts.map((cohort) => this.#item(cohort)));
    byId("cohorts-list").hidden = cohorts.length === 0;
    byId("cohorts-empty").hidden = cohorts.length > 0;
  }

  #item(cohort) {
    const name = printable(cohort.name).slice(0, 80);
    const text = printable(cohortText(cohort));
    const remove = h("button", { type: "button", class: "button small", "aria-label": `Delete the cohort ${name}`, onclick: () => this.#remove(cohort.name, remove), onblur: () => askToDelete(remove, name, false) }, "Delete");
    const filter = () => {
      byId("cohorts-dialog").close();
      this.#onFilter(cohort.name);
    };
    return h("li", {}, h("div", { class: "cohort-text" }, h("b", {}, name), h("span", { title: text.length > maximumText ? truncate(text, 2000) : null }, truncate(text, maximumText))),
      this.#canFilter ? h("button", { type: "button", class: "button small", "aria-label": `Filter by the cohort ${name}`, onclick: filter }, "Filter") : null, remove);
  }

  /** Saves the cohort. To replace an existing one, the button must be pressed again. */
  async #save() {
    const name = byId("cohort-name").value.trim();
    if (this.#names.has(name) && this.#replaced !== name) {
      this.#setReplaced(name);
      setText(byId("cohorts-status"), `The cohort “${name}” exists. Replacing it changes all insights that use it.`);
      return;
    }
    try {
      await sendJSON("PUT", `/v1/cohorts/${encodeURIComponent(name)}`, enteredDefinition());
      byId("cohorts-form").reset();
      this.#setReplaced(null);
      await this.#finish(`Saved “${name}”.`);
    } catch (error) {
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#save() });
      else this.#showError(error, "Nothing was saved.");
    }
  }

  #setReplaced(name) {
    this.#replaced = name;
    setText(byId("cohort-save"), name === null ? "Save cohort" : "Replace cohort");
  }

  /** Deletes a cohort when its button is pressed again, because queries that name it then fail. */
  async #remove(name, button) {
    if (button.dataset.confirms === undefined) return askToDelete(button, printable(name).slice(0, 80), true);
    try {
      await sendJSON("DELETE", `/v1/cohorts/${encodeURIComponent(name)}`);
      await this.#finish(`The cohort “${name}” was deleted. Insights that use it will fail.`);
    } catch (error) {
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#remove(name, button) });
      else this.#showError(error, "Nothing was deleted.");
    }
  }

  async #finish(text) {
    this.#showError(null);
    await this.#load();
    byId("cohort-new").open = this.#names.size === 0;
    refreshSuggestions();
    setText(byId("cohorts-status"), text);
  }

  /** Shows an error at its field; null removes the error. */
  #showError(error, consequence = "") {
    for (const node of byId("cohorts-form").querySelectorAll("[aria-invalid]")) {
      node.removeAttribute("aria-invalid");
      node.removeAttribute("aria-describedby");
    }
    setText(byId("cohorts-error"), error === null ? "" : error.status ? error.message : `The collector is not responding. ${consequence}`.trim());
    if (error === null) return;
    setText(byId("cohorts-status"), "");
    byId("cohort-new").open = true;
    const node = fieldNode(error.field);
    if (node === null) return byId("cohort-save").before(byId("cohorts-error"));
    // The error is next to its field, because the form can be longer than the window.
    const group = node.closest("fieldset");
    if (group === null) node.closest("label").after(byId("cohorts-error"));
    else group.append(byId("cohorts-error"));
    node.setAttribute("aria-invalid", "true");
    node.setAttribute("aria-describedby", "cohorts-error");
    node.focus();
  }
}

/** Returns the field for a member of the definition, such as `did[0].where[0]`; null if there is none. */
function fieldNode(member) {
  const [, behavior, part] = /^(did|did_not)\[0\]\.([a-z]+)/.exec(member ?? "") ?? [];
  if (behavior !== undefined) return byId(`${behaviors[behavior]}-${part}`);
  return { name: byId("cohort-name"), where: byId("cohort-where") }[member?.replace(/\[.*/, "")] ?? null;
}

/** Returns the definition in the form. Empty parts are left out. */
function enteredDefinition() {
  const value = (id) => byId(id).value.trim();
  const definition = { zone: queryZone({ get: () => null }) };
  if (value("cohort-where") !== "") definition.where = [value("cohort-where")];
  for (const [member, prefix] of Object.entries(behaviors)) {
    const [event, where, times, last] = ["event", "where", "times", "last"].map((part) => value(`${prefix}-${part}`));
    // A part without an event is sent, so that the collector reports the missing event.
    if (event === "" && where === "" && times === "" && last === "") continue;
    definition[member] = [{ event, times: Number(times || "1"), ...(where === "" ? {} : { where: [where] }), ...(last === "" ? {} : { last }) }];
  }
  return definition;
}

/** Makes a button ask whether to delete, or resets it. */
function askToDelete(button, name, isAsking) {
  if (isAsking) button.dataset.confirms = "";
  else delete button.dataset.confirms;
  setText(button, isAsking ? "Delete permanently" : "Delete");
  button.setAttribute("aria-label", `Delete the cohort ${name}${isAsking ? " permanently" : ""}`);
}

/** Returns a cohort's definition as text. */
function cohortText({ where = [], did = [], did_not: didNot = [] }) {
  const date = (ms) => new Date(ms).toISOString().slice(0, 10);
  const behavior = (verb) => ({ event, times, where: conditions = [], last, from, to }) =>
    [`${verb} ${event}`, times > 1 ? `at least ${times} times` : "", conditions.length > 0 ? `with ${conditions.join(" and ")}` : "", last ? `in the last ${last}` : "", Number.isFinite(from) ? `from ${date(from)}` : "", Number.isFinite(to) ? `to ${date(to)}` : ""].filter(Boolean).join(" ");
  return [...where, ...did.map(behavior("did")), ...didNot.map(behavior("did not do"))].join("; ");
}
