// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Replays rejected events: first as a dry run, then, after confirmation, for real.

import { apiKey, post } from "./api.js";
import { formatValue } from "./data-table.js";
import { byId, h } from "./dom.js";
import { pluralize, printable } from "./format.js";
import { encodeQuery } from "./url.js";

/** The maximum number of pages per run. One request checks 500 events; any remaining events need another run. */
const maximumPages = 200;
/** The maximum number of retries while another replay is running; retries are up to a second apart. */
const maximumRetries = 30;
const reasonTexts = {
  cut: "stored only partially", other_format: "sent in another format", ambiguous: "indistinguishable from another kind of line", installation_erased: "from an erased installation", unreadable: "unreadable",
};

/** The panel that offers to replay a group. `onAccepted()` is called after events were accepted. */
export class ReplayPanel {
  #onAccepted;
  #group = null;
  #isRunning = false;

  constructor(onAccepted) {
    this.#onAccepted = onAccepted;
  }

  /** Offers a replay for a group; null removes the offer. */
  offer(group, notice = []) {
    this.#group = group;
    if (group === null) {
      this.#render();
      return;
    }
    const scope = group.name === null ? `every rejected event with the code ${printable(group.code)}, regardless of its name` : `all rejected events with this code and name, from all app versions`;
    this.#render(notice, h("p", { class: "panel-note" }, `Checks ${scope} against the current rules.`), h("button", { type: "button", class: "button small", onclick: () => this.#run(group, true) }, "Try again"));
  }

  /** Replays the group's events, page by page. `isDryRun`: whether to only check the events. */
  async #run(group, isDryRun) {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#render(h("p", {}, isDryRun ? "Checking…" : "Accepting…"));
    const totals = { admitted: 0, refused: 0, unchanged: 0, lost: new Map(), isPartial: false };
    try {
      let cursor = null;
      for (let page = 0; ; page += 1) {
        const response = await postWithRetry(`/v1/failed/replay?${encodeQuery([["code", group.code], ...(group.name === null ? [] : [["name", group.name]]), ...(cursor === null ? [] : [["before", cursor]]), ...(isDryRun ? [["dry_run", "1"]] : [])])}`);
        for (const part of ["admitted", "refused", "unchanged"]) totals[part] += response[part];
        for (const { reason } of response.not_kept) totals.lost.set(reason, (totals.lost.get(reason) ?? 0) + 1);
        cursor = response.next ?? null;
        totals.isPartial = cursor !== null;
        if (cursor === null || page + 1 === maximumPages) break;
      }
      if (this.#group === group) this.#showResult(group, totals, isDryRun);
    } catch (error) {
      if (this.#group === group) this.#showError(group, error, totals, isDryRun);
    } finally {
      this.#isRunning = false;
    }
    if (!isDryRun && totals.admitted > 0) this.#onAccepted();
  }

  #showResult(group, totals, isDryRun) {
    const text = resultText(totals, isDryRun);
    if (!isDryRun) {
      this.offer(group, [h("p", { class: "replay-result" }, text)]);
      return;
    }
    const closeButton = h("button", { type: "button", class: "button small", onclick: () => this.offer(group) }, totals.admitted > 0 ? "Cancel" : "Close");
    const acceptButton = totals.admitted > 0 ? h("button", { type: "button", class: "button small primary", onclick: () => this.#run(group, false) }, `Accept ${pluralize(totals.admitted, "event")}`) : null;
    this.#render(h("p", {}, text, totals.admitted > 0 ? " This cannot be undone." : ""), h("p", { class: "replay-buttons" }, acceptButton, closeButton));
    (acceptButton ?? closeButton).focus();
  }

  #showError(group, error, totals, isDryRun) {
    const prefix = !isDryRun && totals.admitted > 0 ? `${resultText(totals, false)} Then the replay stopped: ` : "";
    if (!error.needsKey) {
      this.#render(h("p", { class: "error" }, prefix + (error.status ? error.message : "The collector is not responding.")), h("button", { type: "button", class: "button small", onclick: () => this.#run(group, true) }, "Try again"));
      return;
    }
    const input = h("input", { type: "password", id: "replay-key", autocomplete: "off", required: true });
    const form = h("form", { class: "replay-key", onsubmit: (event) => {
      event.preventDefault();
      apiKey.set(input.value.trim());
      this.#run(group, true);
    } }, h("label", { for: "replay-key" }, "A key with the scopes “write” and “read”"), input, h("button", { class: "button small", type: "submit" }, "Use this key"));
    const explanation = apiKey.get() === "" ? "Replaying events requires a key with the scopes “write” and “read”." : `The key in this tab was rejected: ${error.message}`;
    this.#render(h("p", { class: apiKey.get() === "" ? null : "error" }, prefix + explanation), form);
    input.focus();
  }

  #render(...nodes) {
    const panel = byId("replay");
    panel.hidden = nodes.length === 0;
    panel.replaceChildren(...nodes.flat().filter(Boolean));
  }
}

/** Sends the request, and retries while another replay is running, because the collector runs one replay at a time. */
async function postWithRetry(path) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await post(path);
    } catch (error) {
      if (error.code !== "replay_running" || attempt === maximumRetries) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500 + 500 * Math.random()));
    }
  }
}

/** Returns a description of the result of a replay, or the expected result after a dry run. */
function resultText({ admitted, refused, unchanged, lost, isPartial }, isDryRun) {
  const parts = [
    admitted > 0 ? `${pluralize(admitted, "event")} ${isDryRun ? "would be" : wasOrWere(admitted)} accepted.` : `Nothing ${isDryRun ? "would be" : "was"} accepted.`,
    unchanged > 0 ? `${pluralize(unchanged, "event")} ${isDryRun ? "would still be" : `${isOrAre(unchanged)} still`} rejected for the same reason.` : null,
    refused > 0 ? `${pluralize(refused, "event")} ${isDryRun ? "would be" : `${isOrAre(refused)} now`} rejected for another reason.` : null,
    lost.size > 0 ? `Cannot be checked again: ${[...lost].map(([reason, count]) => `${formatValue(count)} ${reasonTexts[reason] ?? printable(reason)}`).join(", ")}.` : null,
    isPartial ? "There are more events: repeat the replay for the rest." : null,
  ];
  return parts.filter(Boolean).join(" ");
}

const wasOrWere = (count) => (count === 1 ? "was" : "were");
const isOrAre = (count) => (count === 1 ? "is" : "are");
