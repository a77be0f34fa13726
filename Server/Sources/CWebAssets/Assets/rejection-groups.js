// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Groups of rejected events: the number of events, their time range, and whether they would currently be accepted.

import { getJSON } from "./api.js";
import { formatValue } from "./data-table.js";
import { byId, h, s, setText } from "./dom.js";
import { formatDateTime, printable, timeAgo, truncate } from "./format.js";
import { ReplayPanel } from "./replay.js";
import { addDays, defaultZone, dateInZone, startOfDay } from "./time-zones.js";
import { encodeQuery } from "./url.js";

const dayCount = 30;
const maximumNameLength = 60;

/** The groups of rejected events. `onSelect(group)` is called with the group to list, or null for all. */
export class RejectionGroups {
  #onSelect;
  #selected = null;
  #drawnState = "";
  #replay;

  /** `onAccepted()` is called after events have been accepted. */
  constructor(onSelect, onAccepted) {
    this.#onSelect = onSelect;
    this.#replay = new ReplayPanel(onAccepted);
  }

  /** Loads and shows the groups of the last thirty days. Throws the same errors as `getJSON`. */
  async refresh(now) {
    const zone = defaultZone();
    const from = startOfDay(addDays(dateInZone(now, zone), 1 - dayCount), zone);
    this.#render(await getJSON(`/v1/failed/groups?${encodeQuery([["from", String(from)], ["to", String(now + 60_000)], ["interval", "day"], ["zone", zone], ["top", "50"]])}`), now);
  }

  #render({ groups, others, lost }, now) {
    const state = JSON.stringify([groups, others, lost]) + Math.floor(now / 60_000);
    if (state === this.#drawnState) return;
    this.#drawnState = state;
    const list = byId("rejection-groups");
    const focused = document.activeElement?.closest?.("#rejection-groups button")?.dataset.group;
    list.replaceChildren(...groups.map((group) => this.#row(group, now)));
    [...list.querySelectorAll("button")].find((button) => button.dataset.group === focused)?.focus();
    list.hidden = groups.length === 0;
    const notes = [
      groups.length > 0 ? "Last 30 days" : null, others > 0 ? `${formatValue(others)} in other groups` : null,
      lost.length > 0 ? `dropped by devices: ${lost.map(({ reason, events }) => `${formatValue(events)} ${printable(reason).slice(0, 40).replaceAll("_", " ")}`).join(", ")}` : null,
    ].filter(Boolean).join(" · ");
    byId("rejection-groups-note").hidden = notes === "";
    setText(byId("rejection-groups-note"), notes);
  }

  #row(group, now) {
    const { code, field, name, version, count, first, last, values } = group;
    const isSelected = this.#selected !== null && groupKey(this.#selected) === groupKey(group);
    return h("li", {}, h("button", { type: "button", class: "rejection rejection-group", "aria-pressed": String(isSelected), "data-group": groupKey(group), onclick: (event) => this.#select(event.currentTarget.getAttribute("aria-pressed") === "true" ? null : group) },
      h("span", { class: "item-line" }, h("span", { class: "badge bad" }, printable(code)), field ? h("code", {}, printable(field).slice(0, maximumNameLength)) : null, h("b", { class: "rejection-group-count" }, formatValue(count))),
      h("span", { class: "rejection-group-name" }, name === null ? "unnamed" : h("bdi", {}, printable(truncate(name, maximumNameLength))), version === null ? null : h("small", {}, ` app ${printable(truncate(version, 20))}`)),
      dailyBars(values),
      h("span", { class: "rejection-group-time", title: `${formatDateTime(first)} – ${formatDateTime(last)}` }, count === 1 ? timeAgo(last, now) : `first ${timeAgo(first, now)}, last ${timeAgo(last, now)}`)));
  }

  #select(group) {
    this.#selected = group;
    for (const button of byId("rejection-groups").querySelectorAll("button")) button.setAttribute("aria-pressed", String(group !== null && button.dataset.group === groupKey(group)));
    this.#replay.offer(group);
    this.#onSelect(group);
  }
}

/** Returns the key of a group. */
const groupKey = ({ code, field, name, version }) => JSON.stringify([code, field ?? null, name ?? null, version ?? null]);

/** Returns whether a rejected event belongs to the group. */
export const isInGroup = (rejection, group) => groupKey(rejection) === groupKey(group);

/** Draws the number of events per day as small bars. */
function dailyBars(values) {
  const maximum = Math.max(...values, 1);
  return s("svg", { class: "rejection-group-bars", viewBox: `0 0 ${values.length * 4} 18`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    s("rect", { class: "bar-track", x: 0, y: 17.5, width: values.length * 4, height: 0.5 }),
    values.map((value, index) => (value === 0 ? null : s("rect", { class: "fill bad", x: index * 4 + 0.5, y: 17 - Math.max(2, (16 * value) / maximum), width: 3, height: Math.max(2, (16 * value) / maximum) }))));
}
