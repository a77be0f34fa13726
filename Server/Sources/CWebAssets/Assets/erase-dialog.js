// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Erases a user or an installation: shows what would be erased, asks for the ID, and follows the erasure to its receipt.

import { getJSON, sendJSON } from "./api.js";
import { byId, h, setText } from "./dom.js";
import { receiptView } from "./erasures.js";
import { formatNumber, pluralize, printable } from "./format.js";

const pollInterval = 700;
/** The maximum number of installations that the preview lists. */
const maximumInstallations = 50;

/**
 * The dialog that erases a user or an installation. `requestKey()` is called when a key is needed; `onErased()`, when
 * the dialog closes after an erasure was requested.
 */
export class EraseDialog {
  #requestKey;
  #onErased;
  /** The subject: its ID as the collector has it, its kind, and the path of the request. */
  #subject = null;
  #isRequested = false;
  #number = 0;

  constructor(requestKey, onErased) {
    this.#requestKey = requestKey;
    this.#onErased = onErased;
    byId("erase-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#submit();
    });
    byId("erase-id").addEventListener("input", () => setText(byId("erase-error"), ""));
    byId("erase-dialog").addEventListener("close", () => {
      this.#number += 1;
      if (this.#isRequested) this.#onErased();
    });
  }

  /** Opens the dialog for a user, or for an installation with a visitor's number of events. */
  open(subject) {
    const isUser = subject.user !== undefined;
    this.#subject = { id: isUser ? subject.user : subject.installation, isUser, path: isUser ? `/v1/users/${encodeURIComponent(subject.user)}` : `/v1/installations/${encodeURIComponent(subject.installation)}` };
    this.#isRequested = false;
    this.#number += 1;
    setText(byId("erase-title"), isUser ? "Erase this user?" : "Erase this installation?");
    setText(byId("erase-label"), isUser ? "Type the user’s ID to confirm" : "Type the installation’s ID to confirm");
    setText(byId("erase-error"), "");
    setText(byId("erase-progress"), "");
    byId("erase-id").value = "";
    byId("erase-confirmation").hidden = false;
    byId("erase-submit").hidden = false;
    byId("erase-submit").disabled = true;
    byId("erase-result").replaceChildren();
    byId("erase-preview").replaceChildren(h("p", { role: "status" }, "Loading…"));
    byId("erase-dialog").showModal();
    byId("erase-id").focus();
    this.#loadPreview();
  }

  async #loadPreview() {
    const number = this.#number;
    try {
      const nodes = this.#subject.isUser ? userPreview(await getJSON(`${this.#subject.path}/erasure`)) : installationPreview(this.#subject.id);
      if (number !== this.#number) return;
      byId("erase-preview").replaceChildren(...nodes);
      byId("erase-submit").disabled = false;
    } catch (error) {
      if (number !== this.#number) return;
      byId("erase-preview").replaceChildren();
      byId("erase-confirmation").hidden = true;
      byId("erase-submit").hidden = true;
      setText(byId("erase-error"), message(error));
      if (error.needsKey) this.#requestKey({ retry: () => this.open(this.#subject.isUser ? { user: this.#subject.id } : { installation: this.#subject.id }) });
    }
  }

  async #submit() {
    // Spaces at the ends are part of an ID, but are lost when an ID is copied.
    const typed = byId("erase-id").value;
    if (typed !== this.#subject.id && typed !== this.#subject.id.trim()) {
      setText(byId("erase-error"), "The ID does not match. Nothing was erased.");
      byId("erase-id").focus();
      return;
    }
    const number = this.#number;
    byId("erase-submit").disabled = true;
    setText(byId("erase-error"), "");
    try {
      const { erasure } = await sendJSON("DELETE", this.#subject.path);
      if (number !== this.#number) return;
      this.#isRequested = true;
      byId("erase-confirmation").hidden = true;
      byId("erase-submit").hidden = true;
      byId("erase-preview").replaceChildren();
      setText(byId("erase-title"), "Erasing…");
      setText(byId("erase-progress"), "The request is stored. It is carried out even if this page is closed.");
      if (erasure !== undefined) await this.#follow(erasure, number);
    } catch (error) {
      if (number !== this.#number) return;
      byId("erase-submit").disabled = false;
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#submit() });
      else setText(byId("erase-error"), message(error));
    }
  }

  /** Shows the counts of an erasure until the receipt is available. */
  async #follow(id, number) {
    while (number === this.#number) {
      let state = null;
      try {
        state = await getJSON(`/v1/erasures/${encodeURIComponent(id)}`);
        setText(byId("erase-error"), "");
      } catch (error) {
        // Until the index has read the request, the erasure is unknown.
        if (error.status !== 404 && error.status !== 503 && number === this.#number) setText(byId("erase-error"), message(error));
      }
      if (number !== this.#number) return;
      if (state?.signature !== undefined) {
        setText(byId("erase-title"), "Erased");
        setText(byId("erase-progress"), `${pluralize(state.log.events, "event")} removed from the log, ${formatNumber(state.index.events)} from the index.`);
        byId("erase-result").replaceChildren(receiptView(state, this.#subject.id));
        return;
      }
      if (state !== null) {
        setText(byId("erase-progress"), `Reading the log: ${pluralize(state.log.events, "event")} removed so far. The erasure continues even if this page is closed.`);
        const problem = await this.#problem();
        if (number === this.#number) setText(byId("erase-error"), problem === undefined ? "" : `The erasure is not making progress: ${problem}`);
      }
      await new Promise((resolve) => setTimeout(resolve, pollInterval));
    }
  }

  async #problem() {
    try {
      return (await getJSON("/v1/erasures?limit=1")).problem;
    } catch {
      return undefined; // The next request reports that the collector is not responding.
    }
  }
}

const message = (error) => (error.needsKey ? "A key with the scopes “read” and “write” is required." : error.status ? error.message : "The collector is not responding.");

function userPreview(preview) {
  const shown = preview.installations.slice(0, maximumInstallations);
  const rows = shown.map((installation) => h("li", {}, h("code", {}, installation.installation), `: ${pluralize(installation.events, "event")}, `,
    installation.shared ? "shared with other users, whose events stay" : "erased completely"));
  if (preview.installations.length > shown.length) rows.push(h("li", {}, `and ${pluralize(preview.installations.length - shown.length, "more installation")}`));
  if (preview.events_without_installation > 0) rows.push(h("li", {}, `without an installation: ${pluralize(preview.events_without_installation, "event")}`));
  return [
    h("p", {}, "Erasing ", h("b", { dir: "auto" }, printable(preview.user)), ` permanently removes ${pluralize(preview.events, "event")} and all attributes. Later events of this user are rejected.`),
    ...(preview.users ? [h("p", {}, "Merged users, erased together: ", h("b", { dir: "auto" }, preview.users.map(printable).join(", ")))] : []),
    h("div", { class: "erase-list", tabindex: "0", role: "group", "aria-label": "Installations" }, h("ul", {}, rows)),
    h("p", { class: "panel-note" }, "Backups, exports and other back ends keep their copies. If the user asked for their data, export it first."),
  ];
}

function installationPreview(id) {
  return [
    h("p", {}, "Erasing ", h("code", {}, id), " permanently removes all events of this installation, including those of users who signed in on it. Later events of this installation are rejected."),
    h("p", { class: "panel-note" }, "Backups, exports and other back ends keep their copies."),
  ];
}
