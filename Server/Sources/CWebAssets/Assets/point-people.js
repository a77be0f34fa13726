// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The people behind a point of an insight, as a list with links to their timelines, and as a download. For trends, the
// panel can list the events behind the point instead.

import { APIError, errorMessage, getJSON, requestHeaders } from "./api.js";
import { formatPercent, formatValue, groupName, nameNode } from "./data-table.js";
import { h, setText } from "./dom.js";
import { formatDateTime, pluralize, printable, shortID } from "./format.js";
import { PointEvents } from "./point-events.js";
import { pointKeys } from "./query-params.js";
import { longIntervalLabel } from "./time-zones.js";
import { encodeQuery } from "./url.js";

/**
 * Returns a number that opens the people behind it. It is plain text if it is zero, or if `openPeople` is null, as on
 * dashboards. `point` contains the parameters of the point.
 */
export function pointValue(text, value, point, openPeople) {
  if (openPeople === null || value === null || value === undefined || Number(value) === 0) return text;
  return h("button", { type: "button", class: "cell-button", title: "Show the people", onclick: () => openPeople(point) }, text);
}

/** Returns the parameter for the group of a series; nothing without groups. */
export function groupParam(series) {
  if ("other" in series) return { group: "other" };
  return "group" in series ? { group: JSON.stringify(series.group) } : {};
}

const stateNames = { new: "New", returning: "Returning", resurrected: "Reactivated", dormant: "Dormant" };

/** Returns the title of a point: the interval or step, the state, and the group. */
function pointTitle(type, params, result) {
  const [first, part] = params.get("point").split("/");
  const label = (ms) => (Number.isFinite(Number(ms)) ? longIntervalLabel(Number(ms), result.interval, result.zone) : ms);
  const title = {
    trends: () => (first === "total" ? "Whole time range" : label(first)),
    funnel: () => `${part === "reached" ? "Reached" : "Dropped off after"} step ${first}: ${printable(result.steps[Number(first) - 1] ?? "").slice(0, 60)}`,
    retention: () => `Cohort of ${label(first)}${part === undefined ? "" : part === "0" ? `, returned in the same ${result.interval}` : `, returned ${pluralize(Number(part), result.interval)} later`}`,
    lifecycle: () => `${stateNames[part] ?? part}, ${label(first)}`,
    stickiness: () => `Active in ${pluralize(Number(first), result.interval)}`,
  }[type]();
  const group = params.get("group");
  return [title, params.has("period") ? "previous period" : "", group === "" ? "" : group === "other" ? "other groups" : groupText(group, params)].filter(Boolean).join(" · ");
}

function groupText(json, params) {
  try {
    const value = JSON.parse(json);
    return printable(typeof value === "string" ? value : groupName({ group: value }, params)).slice(0, 60);
  } catch {
    return printable(json).slice(0, 60);
  }
}

/**
 * A panel with the people or the events behind a point. `path` and `query` are those of the insight, `result` is its
 * response; `onClose()` is called by the close button, `onList(list)` when the other list is chosen, `openEvent(stored)`
 * to show an event, `requestKey()` when a key is needed.
 */
export class PointPeoplePanel {
  #url;
  #rows = h("tbody", {});
  #table = h("div", { class: "data-table-frame", tabindex: "0", role: "region", "aria-label": "People, table", hidden: true },
    h("table", { class: "data-table" }, h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "text-column" }, "User"), ["First event", "Last event", "Events"].map((text) => h("th", { scope: "col" }, text)))), this.#rows));
  #note = h("p", { class: "panel-note", role: "status" }, "Loading…");
  #more = h("button", { type: "button", class: "button small", hidden: true, onclick: () => this.#load() }, "Show more");
  #download = h("button", { type: "button", class: "button small", hidden: true, onclick: () => this.#save() }, "Download CSV");
  #next = null;
  #shown = 0;
  #requestKey;

  constructor({ type, path, query, params, result, onClose, onList, openEvent, requestKey }) {
    this.#requestKey = requestKey;
    const point = pointKeys.filter((key) => key !== "list" && params.has(key)).map((key) => [key, params.get(key)]);
    this.#url = `${path}/people?${encodeQuery([...query.filter(([key]) => !pointKeys.includes(key)), ...point])}`;
    this.title = h("h3", { tabindex: "-1" }, pointTitle(type, params, result));
    const close = h("button", { type: "button", class: "icon-button", "aria-label": "Close the list of people", title: "Close", onclick: onClose }, "×");
    const list = type === "trends" ? params.get("list") || "people" : "people";
    const button = (name, text) => h("button", { type: "button", "aria-pressed": String(list === name), onclick: () => list === name || onList(name) }, text);
    const lists = type === "trends" ? h("div", { class: "segmented", role: "group", "aria-label": "List" }, button("people", "People"), button("events", "Events")) : null;
    const events = list === "events" ? new PointEvents({ query, params, result, openEvent, requestKey }) : null;
    const tools = h("div", { class: "panel-tools" }, lists, this.#download, close);
    this.node = h("section", { class: "panel people-panel", "aria-label": events ? "Events" : "People" }, h("header", { class: "panel-head" }, this.title, events ? events.note : this.#note, tools), ...(events ? events.nodes : [this.#table, h("p", { class: "people-more" }, this.#more)]));
    if (events) return;
    this.#load();
  }

  async #load() {
    this.#more.disabled = true;
    try {
      const page = await getJSON(this.#next === null ? this.#url : `${this.#url}&after=${this.#next}`);
      this.#rows.append(...page.people.map(personRow));
      this.#shown += page.people.length;
      this.#next = page.next ?? null;
      const isGroup = page.people.some((person) => "group" in person);
      const without = page.without_person > 0 ? `; ${pluralize(page.without_person, "event")} without a user` : "";
      const part = this.#shown < page.total ? `, ${formatPercent(this.#shown, page.total)} shown` : "";
      setText(this.#note, `${isGroup ? pluralize(page.total, "group") : pluralize(page.total, "person", "people")}${part}${without}`);
      this.#table.hidden = this.#shown === 0;
      this.#download.hidden = this.#shown === 0;
      this.#more.hidden = this.#next === null;
    } catch (error) {
      if (error.needsKey) this.#requestKey();
      setText(this.#note, errorMessage(error));
      this.#more.hidden = this.#next === null;
    } finally {
      this.#more.disabled = false;
    }
  }

  /** Downloads all people. The response has pages, which are joined. */
  async #save() {
    this.#download.disabled = true;
    setText(this.#download, "Preparing…");
    try {
      const parts = [];
      for (let next = ""; next !== null;) {
        const response = await fetch(`${this.#url}&format=csv${next}`, { headers: requestHeaders("text/csv") });
        if (!response.ok) throw new APIError(response.status, { message: `The collector returned status ${response.status}.` });
        parts.push(await response.blob());
        const cursor = response.headers.get("trackway-next");
        next = cursor === null ? null : `&after=${cursor}`;
      }
      const objectURL = URL.createObjectURL(new Blob(parts, { type: "text/csv" }));
      h("a", { href: objectURL, download: "people.csv" }).click();
      // A URL that is revoked at once could end a download that has not begun.
      setTimeout(() => URL.revokeObjectURL(objectURL), 60_000);
    } catch (error) {
      setText(this.#note, errorMessage(error));
    } finally {
      this.#download.disabled = false;
      setText(this.#download, "Download CSV");
    }
  }
}

function personRow({ user, installation, group, first, last, events }) {
  const key = user === null || user === undefined ? `installation:${installation}` : `user:${user}`;
  const name = group !== undefined ? nameNode(group, 60) : h("a", { href: `/?visitors=${encodeURIComponent(key)}` }, user === null ? `Visitor ${shortID(installation ?? "")}` : nameNode(user, 60));
  return h("tr", {}, h("th", { scope: "row", class: "text-column" }, name), [first, last].map((ms) => h("td", {}, formatDateTime(ms).slice(0, 16))), h("td", {}, formatValue(events)));
}
