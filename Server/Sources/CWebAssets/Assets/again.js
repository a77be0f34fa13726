// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Admitting again what was refused: first what would happen, then, when somebody says so, for good.

import { asQuery } from "./address.js";
import { key, post } from "./ask.js";
import { byId, h } from "./dom.js";
import { figure } from "./figures.js";
import { counted } from "./format.js";
import { printable } from "./stream.js";

/** One request judges 500; more than these are left for another time. */
const mostPages = 200;
/** How long one waits for others who do the same, in times it is asked again, up to a second apart. */
const patience = 30;
const reasons = {
  cut: "kept only in part", other_format: "sent in another format", ambiguous: "not to be told apart from its batch", installation_erased: "of an erased installation", unreadable: "unreadable",
};

/** The offer to try a group again. `done()` is called when events were admitted. */
export class Again {
  #done;
  #group = null;
  #isBusy = false;

  constructor(done) {
    this.#done = done;
  }

  /** Offers it for a group, or nothing for null. */
  offer(group, said = []) {
    this.#group = group;
    if (group === null) {
      this.#put();
      return;
    }
    const which = group.name === null ? `every refused event with the code ${printable(group.code)}, whatever its name` : `all with this code and name, of every version`;
    this.#put(said, h("p", { class: "panel-note" }, `Judges ${which}, by the rules of today.`), h("button", { type: "button", class: "button small", onclick: () => this.#run(group, true) }, "Try again"));
  }

  /** The group's events through all pages. `isTrial`: only what would happen. */
  async #run(group, isTrial) {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#put(h("p", {}, isTrial ? "Asking what would happen…" : "Admitting…"));
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
    const stop = h("button", { type: "button", class: "button small", onclick: () => this.offer(group) }, sum.admitted > 0 ? "Leave it" : "Close");
    const go = sum.admitted > 0 ? h("button", { type: "button", class: "button small primary", onclick: () => this.#run(group, false) }, `Admit ${counted(sum.admitted, "event")}`) : null;
    this.#put(h("p", {}, text, sum.admitted > 0 ? " Once admitted, they stay." : ""), h("p", { class: "again-buttons" }, go, stop));
    (go ?? stop).focus();
  }

  #fail(group, error, sum, isTrial) {
    const before = !isTrial && sum.admitted > 0 ? `${told(sum, false)} Then it ended: ` : "";
    if (!error.wantsKey) {
      this.#put(h("p", { class: "wrong" }, before + (error.status ? error.message : "The collector does not answer.")), h("button", { type: "button", class: "button small", onclick: () => this.#run(group, true) }, "Ask again"));
      return;
    }
    const input = h("input", { type: "password", id: "again-key", autocomplete: "off", required: true });
    const form = h("form", { class: "again-key", onsubmit: (event) => {
      event.preventDefault();
      key.set(input.value.trim());
      this.#run(group, true);
    } }, h("label", { for: "again-key" }, "A key with the scopes “write” and “read”"), input, h("button", { class: "button small", type: "submit" }, "Use this key"));
    const why = key.get() === "" ? "Admitting again takes a key that may both write and read." : `The key of this tab may not: ${error.message}`;
    this.#put(h("p", { class: key.get() === "" ? null : "wrong" }, before + why), form);
    input.focus();
  }

  #put(...nodes) {
    const place = byId("again");
    place.hidden = nodes.length === 0;
    place.replaceChildren(...nodes.flat().filter(Boolean));
  }
}

/** Somebody else admits events, too, and the collector does it for one at a time: a moment later there is room. */
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

/** What was, or would be, done. */
function told({ admitted, refused, unchanged, lost, isPartial }, isTrial) {
  const parts = [
    admitted > 0 ? `${counted(admitted, "event")} ${isTrial ? "would be" : was(admitted)} admitted.` : `Nothing ${isTrial ? "would be" : "was"} admitted.`,
    unchanged > 0 ? `${counted(unchanged, "event")} ${isTrial ? "would still be" : `${is(unchanged)} still`} refused for the same reason.` : null,
    refused > 0 ? `${counted(refused, "event")} ${isTrial ? "would be" : `${is(refused)} now`} refused for another reason.` : null,
    lost.size > 0 ? `Not to be judged again: ${[...lost].map(([reason, count]) => `${figure(count)} ${reasons[reason] ?? printable(reason)}`).join(", ")}.` : null,
    isPartial ? "There are more: do it again for the rest." : null,
  ];
  return parts.filter(Boolean).join(" ");
}

const was = (count) => (count === 1 ? "was" : "were");
const is = (count) => (count === 1 ? "is" : "are");
