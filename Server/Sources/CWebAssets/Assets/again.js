// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Replaying rejected events: first a dry run, then, after confirmation, for real.

import { asQuery } from "./address.js";
import { key, post } from "./ask.js";
import { byId, h } from "./dom.js";
import { figure } from "./figures.js";
import { counted } from "./format.js";
import { printable } from "./stream.js";

/** The maximum pages per run; one request checks 500 events, and the rest needs another run. */
const mostPages = 200;
/** The maximum retries while another replay is running; retries are up to a second apart. */
const patience = 30;
const reasons = {
  cut: "stored only partially", other_format: "sent in another format", ambiguous: "indistinguishable from its batch", installation_erased: "of an erased installation", unreadable: "unreadable",
};

/** The offer to replay a group. `done()` is called after events were accepted. */
export class Again {
  #done;
  #group = null;
  #isBusy = false;

  constructor(done) {
    this.#done = done;
  }

  /** Offers a replay for a group; null removes the offer. */
  offer(group, said = []) {
    this.#group = group;
    if (group === null) {
      this.#put();
      return;
    }
    const which = group.name === null ? `every rejected event with the code ${printable(group.code)}, regardless of its name` : `all rejected events with this code and name, from all app versions`;
    this.#put(said, h("p", { class: "panel-note" }, `Checks ${which} against the current rules.`), h("button", { type: "button", class: "button small", onclick: () => this.#run(group, true) }, "Try again"));
  }

  /** Replays the group's events, page by page. `isTrial`: only a dry run. */
  async #run(group, isTrial) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#put(h("p", {}, isTrial ? "Checking…" : "Accepting…"));
    const sum = { admitted: 0, refused: 0, unchanged: 0, lost: new Map(), isPartial: false };
    try {
      let before = null;
      for (let page = 0; ; page += 1) {
        const answer = await patiently(`/v1/failed/replay?${asQuery([["code", group.code], ...(group.name === null ? [] : [["name", group.name]]), ...(before === null ? [] : [["before", before]]), ...(isTrial ? [["dry_run", "1"]] : [])])}`);
        for (const part of ["admitted", "refused", "unchanged"]) sum[part] += answer[part];
        for (const { reason } of answer.not_kept) sum.lost.set(reason, (sum.lost.get(reason) ?? 0) + 1);
        before = answer.next ?? null;
        sum.isPartial = before !== null;
        if (before === null || page + 1 === mostPages) break;
      }
      if (this.#group === group) this.#tell(group, sum, isTrial);
    } catch (error) {
      if (this.#group === group) this.#fail(group, error, sum, isTrial);
    } finally {
      this.#isBusy = false;
    }
    if (!isTrial && sum.admitted > 0) this.#done();
  }

  #tell(group, sum, isTrial) {
    const text = told(sum, isTrial);
    if (!isTrial) {
      this.offer(group, [h("p", { class: "again-done" }, text)]);
      return;
    }
    const stop = h("button", { type: "button", class: "button small", onclick: () => this.offer(group) }, sum.admitted > 0 ? "Cancel" : "Close");
    const go = sum.admitted > 0 ? h("button", { type: "button", class: "button small primary", onclick: () => this.#run(group, false) }, `Accept ${counted(sum.admitted, "event")}`) : null;
    this.#put(h("p", {}, text, sum.admitted > 0 ? " This cannot be undone." : ""), h("p", { class: "again-buttons" }, go, stop));
    (go ?? stop).focus();
  }

  #fail(group, error, sum, isTrial) {
    const before = !isTrial && sum.admitted > 0 ? `${told(sum, false)} Then the replay stopped: ` : "";
    if (!error.wantsKey) {
      this.#put(h("p", { class: "wrong" }, before + (error.status ? error.message : "The collector is not responding.")), h("button", { type: "button", class: "button small", onclick: () => this.#run(group, true) }, "Try again"));
      return;
    }
    const input = h("input", { type: "password", id: "again-key", autocomplete: "off", required: true });
    const form = h("form", { class: "again-key", onsubmit: (event) => {
      event.preventDefault();
      key.set(input.value.trim());
      this.#run(group, true);
    } }, h("label", { for: "again-key" }, "A key with the scopes “write” and “read”"), input, h("button", { class: "button small", type: "submit" }, "Use this key"));
    const why = key.get() === "" ? "Replaying events requires a key with the scopes “write” and “read”." : `The key in this tab is not allowed: ${error.message}`;
    this.#put(h("p", { class: key.get() === "" ? null : "wrong" }, before + why), form);
    input.focus();
  }

  #put(...nodes) {
    const place = byId("again");
    place.hidden = nodes.length === 0;
    place.replaceChildren(...nodes.flat().filter(Boolean));
  }
}

/** Retries while another replay is running, because the collector runs one at a time. */
async function patiently(path) {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await post(path);
    } catch (error) {
      if (error.code !== "replay_running" || attempt === patience) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500 + 500 * Math.random()));
    }
  }
}

/** Describes the result, or the expected result of a dry run. */
function told({ admitted, refused, unchanged, lost, isPartial }, isTrial) {
  const parts = [
    admitted > 0 ? `${counted(admitted, "event")} ${isTrial ? "would be" : was(admitted)} accepted.` : `Nothing ${isTrial ? "would be" : "was"} accepted.`,
    unchanged > 0 ? `${counted(unchanged, "event")} ${isTrial ? "would still be" : `${is(unchanged)} still`} rejected for the same reason.` : null,
    refused > 0 ? `${counted(refused, "event")} ${isTrial ? "would be" : `${is(refused)} now`} rejected for another reason.` : null,
    lost.size > 0 ? `Cannot be checked again: ${[...lost].map(([reason, count]) => `${figure(count)} ${reasons[reason] ?? printable(reason)}`).join(", ")}.` : null,
    isPartial ? "There are more events: repeat the replay for the rest." : null,
  ];
  return parts.filter(Boolean).join(" ");
}

const was = (count) => (count === 1 ? "was" : "were");
const is = (count) => (count === 1 ? "is" : "are");
