// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Rejected events in groups: their number, their time range, and whether they would be accepted now.

import { ask } from "./ask.js";
import { asQuery } from "./address.js";
import { byId, h, s, setText } from "./dom.js";
import { figure } from "./figures.js";
import { ago, cut, dateAndClock } from "./format.js";
import { Again } from "./again.js";
import { dateAfter, dateOf, dayStart, ownZone } from "./zones.js";
import { printable } from "./stream.js";

const days = 30;
const longest = 60;

/** The groups of rejected events. `changed(group)` is called with the group to list, or null for all. */
export class Groups {
  #changed;
  #chosen = null;
  #drawn = "";
  #again;

  /** `admitted()` is called after events were accepted. */
  constructor(changed, admitted) {
    this.#changed = changed;
    this.#again = new Again(admitted);
  }

  /** Loads and shows the groups of the last thirty days. Throws what `ask` throws. */
  async look(now) {
    const zone = ownZone();
    const from = dayStart(dateAfter(dateOf(now, zone), 1 - days), zone);
    this.#show(await ask(`/v1/failed/groups?${asQuery([["from", String(from)], ["to", String(now + 60_000)], ["interval", "day"], ["zone", zone], ["top", "50"]])}`), now);
  }

  #show({ groups, others, lost }, now) {
    const state = JSON.stringify([groups, others, lost]) + Math.floor(now / 60_000);
    if (state === this.#drawn) return;
    this.#drawn = state;
    const list = byId("failure-groups");
    const focused = document.activeElement?.closest?.("#failure-groups button")?.dataset.group;
    list.replaceChildren(...groups.map((group) => this.#row(group, now)));
    [...list.querySelectorAll("button")].find((button) => button.dataset.group === focused)?.focus();
    list.hidden = groups.length === 0;
    const notes = [
      groups.length > 0 ? "Last 30 days" : null, others > 0 ? `${figure(others)} in other groups` : null,
      lost.length > 0 ? `dropped by devices: ${lost.map(({ reason, events }) => `${figure(events)} ${printable(reason).slice(0, 40).replaceAll("_", " ")}`).join(", ")}` : null,
    ].filter(Boolean).join(" · ");
    byId("groups-note").hidden = notes === "";
    setText(byId("groups-note"), notes);
  }

  #row(group, now) {
    const { code, field, name, version, count, first, last, values } = group;
    const isChosen = this.#chosen !== null && same(this.#chosen) === same(group);
    return h("li", {}, h("button", { type: "button", class: "failure group", "aria-pressed": String(isChosen), "data-group": same(group), onclick: (event) => this.#choose(event.currentTarget.getAttribute("aria-pressed") === "true" ? null : group) },
      h("span", { class: "account-line" }, h("span", { class: "badge bad" }, printable(code)), field ? h("code", {}, printable(field).slice(0, longest)) : null, h("b", { class: "group-count" }, figure(count))),
      h("span", { class: "group-name" }, name === null ? "unnamed" : h("bdi", {}, printable(cut(name, longest))), version === null ? null : h("small", {}, ` app ${printable(cut(version, 20))}`)),
      bars(values),
      h("span", { class: "group-time", title: `${dateAndClock(first)} – ${dateAndClock(last)}` }, count === 1 ? ago(last, now) : `first ${ago(first, now)}, last ${ago(last, now)}`)));
  }

  #choose(group) {
    this.#chosen = group;
    for (const button of byId("failure-groups").querySelectorAll("button")) button.setAttribute("aria-pressed", String(group !== null && button.dataset.group === same(group)));
    this.#again.offer(group);
    this.#changed(group);
  }
}

/** The key of a group. */
const same = ({ code, field, name, version }) => JSON.stringify([code, field ?? null, name ?? null, version ?? null]);

/** Returns whether a rejected event belongs to the group. */
export const belongs = (failure, group) => same(failure) === same(group);

/** Draws the number per day as small bars. */
function bars(values) {
  const most = Math.max(...values, 1);
  return s("svg", { class: "group-bars", viewBox: `0 0 ${values.length * 4} 18`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    s("rect", { class: "line-ground", x: 0, y: 17.5, width: values.length * 4, height: 0.5 }),
    values.map((value, index) => (value === 0 ? null : s("rect", { class: "fill bad", x: index * 4 + 0.5, y: 17 - Math.max(2, (16 * value) / most), width: 3, height: Math.max(2, (16 * value) / most) }))));
}
