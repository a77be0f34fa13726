// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Insights: the type, its form, and its results. The URL contains the whole query, so every type and every query has a
// link.

import { getJSON } from "./api.js";
import { cardKind, cardQuery, defaultTitle } from "./board-cards.js";
import { CohortsDialog } from "./cohorts-dialog.js";
import { byId, h, setText } from "./dom.js";
import { parseConditions } from "./filter-conditions.js";
import { TextField } from "./form-fields.js";
import { formatDateTime } from "./format.js";
import { insightTypes } from "./insight-types.js";
import { PointPeoplePanel } from "./point-people.js";
import { firstEvent } from "./project-calendar.js";
import { pageKeys, pointKeys, QueryParams } from "./query-params.js";
import { SaveCardDialog } from "./save-card-dialog.js";
import { loadSuggestions } from "./suggestions.js";
import { allTime, InvalidQueryError, isCalendarRange, queryRange, queryZone } from "./time-range.js";
import { encodeQuery, formatQuery, parseQuery } from "./url.js";

const defaultType = "trends";
/** The maximum number of retries of a query, one second apart, while other queries run. */
const maximumRetries = 30;
const rangeKeys = ["last", "from", "to"];
/** The parameters that all queries of a type share: the time range, and the zone of its days. */
const sharedKeys = (type) => [...(insightTypes[type].isTimeless ? [] : rangeKeys), "zone"];
/** The parameters that are not carried over to another type. */
const typeSpecificKeys = ["interval", "after", "limit", ...pageKeys];
/** The types in which an event name opens another page. */
const nameDetailTypes = ["catalogue", "plan"];
const isPlainClick = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);

/**
 * The insights section. `onURLChange()` is called when the URL changes, `requestKey()` when a key is needed,
 * `createAlert(draft)` to create an alert, `openEvent(stored)` to show an event.
 */
export class Insights {
  #onURLChange;
  #requestKey;
  #openEvent;
  /** The control that opened the shown event. */
  #openedFrom = null;
  #isVisible = false;
  #type = defaultType;
  #params = new QueryParams([]);
  /** Parameters that the current type does not support, kept for the next type that supports them. */
  #savedParams = [];
  #fields = [];
  #request = null;
  /** The time of the first event, for the range of all time. */
  #earliest = null;
  /** The query whose form and results are on the page. */
  #shownQuery = null;

  constructor(onURLChange, requestKey, createAlert, openEvent) {
    this.#onURLChange = onURLChange;
    this.#openEvent = (stored) => {
      this.#openedFrom = document.activeElement;
      openEvent(stored);
    };
    this.#requestKey = requestKey;
    byId("insight-types").replaceChildren(...Object.entries(insightTypes).map(([type, { title }]) => h("a", {
      href: `/?questions=${type}`, "data-type": type, onclick: (event) => {
        if (!isPlainClick(event)) return; // The click opens another tab or window.
        event.preventDefault();
        const current = this.#currentPairs();
        this.#setQuery(type, this.#carriedPairs(type));
        this.#savedParams = current.filter(([key]) => !this.#params.has(key));
      },
    }, title)));
    const form = byId("insight-form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#applyForm(true);
    });
    form.addEventListener("change", () => this.#applyForm());
    byId("insight-toggle").addEventListener("click", () => this.#setCollapsed(!("isCollapsed" in form.dataset)));
    const saveDialog = new SaveCardDialog(requestKey);
    byId("insight-save").addEventListener("click", () => saveDialog.open(this.#cardDraft()));
    const cohortsDialog = new CohortsDialog(requestKey, (name) => this.#setQuery(this.#type, [...this.#params.pairs.filter(([key]) => !pointKeys.includes(key)), ["where", `cohort=${name}`]]));
    byId("insight-cohorts").addEventListener("click", () => cohortsDialog.open(this.#supportedKeys(this.#type).includes("where")));
    byId("insight-alert").addEventListener("click", () => createAlert(this.#cardDraft()));
    byId("results").addEventListener("click", (event) => {
      const anchor = event.target.closest('a[href^="/?questions="]');
      if (!anchor || !isPlainClick(event)) return;
      event.preventDefault();
      const current = this.#currentPairs().filter(([key]) => sharedKeys(defaultType).includes(key));
      this.restore(parseQuery(new URL(anchor.href).search));
      this.#setQuery(this.#type, [...this.#params.pairs, ...current.filter(([key]) => sharedKeys(this.#type).includes(key) && !this.#params.has(key))]);
      this.#savedParams = current.filter(([key]) => !this.#params.has(key));
    });
  }

  get title() {
    return `${insightTypes[this.#type].title} – Trackway`;
  }

  get pairs() {
    return [["questions", this.#type], ...this.#params.pairs];
  }

  /** Restores the query from the URL. Errors in the query are shown in place of the results. */
  restore(pairs) {
    const requested = pairs.find(([key]) => key === "questions")[1] || defaultType;
    const isKnown = Object.hasOwn(insightTypes, requested);
    this.#type = isKnown ? requested : defaultType;
    // Links of earlier versions select the users who dropped off with another parameter.
    const withPoint = pairs.map(([key, value]) => (key === "people" && this.#type === "funnel" ? ["point", `${value}/dropped`] : [key, value]));
    this.#params = new QueryParams(withPoint.filter(([key]) => key !== "questions"));
    this.#savedParams = [];
    if (!this.#isVisible) this.#setCollapsed(this.#params.pairs.length > 0);
    return isKnown ? null : `“${requested.slice(0, 64)}” is not an insight type. Available types: ${Object.keys(insightTypes).join(", ")}.`;
  }

  setVisible(isVisible) {
    this.#isVisible = isVisible;
    if (!isVisible) {
      // A query that is aborted here runs again when the section is shown.
      if (this.#request !== null) this.#shownQuery = null;
      this.#request?.abort();
      this.#request = null;
      return;
    }
    loadSuggestions();
    const wanted = formatQuery(this.pairs);
    if (this.#shownQuery === wanted && this.#request === null) return;
    this.#drawForm();
    this.#run();
  }

  /** Moves the focus back to the control that opened an event. Returns whether the control is on the page. */
  focusOpened() {
    this.#openedFrom?.focus({ preventScroll: true });
    return this.#openedFrom?.isConnected ?? false;
  }

  /** Collapses the form on narrow pages, to make space for the results. */
  #setCollapsed(isCollapsed) {
    byId("insight-form").toggleAttribute("data-is-collapsed", isCollapsed);
    byId("insight-toggle").setAttribute("aria-expanded", String(!isCollapsed));
    setText(byId("insight-toggle"), isCollapsed ? "Edit" : "Collapse");
  }

  /** Returns the current parameters, and the parameters kept for another type. */
  #currentPairs() {
    // An event name that opens a page of the catalog is not an event of the query.
    const supported = new Set(this.#supportedKeys(this.#type).filter((key) => !(nameDetailTypes.includes(this.#type) && key === "name" && !this.#params.has(key))));
    return [...this.#params.pairs, ...this.#savedParams.filter(([key]) => !supported.has(key))];
  }

  /** Returns the time range, the events and the filters to carry over to another type, if that type supports them. */
  #carriedPairs(type) {
    const keys = new Set(this.#supportedKeys(type));
    const isOther = type !== this.#type;
    // The catalog and the tracking plan initially show all events.
    return this.#currentPairs().filter(([key]) => keys.has(key) && !(isOther && typeSpecificKeys.includes(key)) && key !== "after" && !(nameDetailTypes.includes(type) && key === "name"));
  }

  #supportedKeys(type) {
    const { form, extra, scope } = insightTypes[type];
    return [...form(new QueryParams([]), () => {}).flatMap(({ keys }) => keys), ...extra, ...scope, ...sharedKeys(type), ...(insightTypes[type].listsPeople ? pointKeys : []), ...(insightTypes[type].charts ? ["chart"] : [])];
  }

  #setQuery(type, pairs) {
    this.#type = type;
    this.#params = new QueryParams(pairs);
    this.#drawForm();
    this.#onURLChange();
    this.#run();
  }

  /** Links each type to the query that the type would currently run. */
  #updateTypeLinks() {
    for (const anchor of byId("insight-types").children) anchor.href = `/${formatQuery([["questions", anchor.dataset.type], ...this.#carriedPairs(anchor.dataset.type)])}`;
  }

  #drawForm() {
    const { description, form, scope } = insightTypes[this.#type];
    this.#updateTypeLinks();
    for (const anchor of byId("insight-types").children) {
      if (anchor.dataset.type === this.#type) anchor.setAttribute("aria-current", "page");
      else anchor.removeAttribute("aria-current");
    }
    setText(byId("insight-title"), insightTypes[this.#type].title);
    setText(byId("insight-description"), description);
    const onChange = () => this.#applyForm();
    const scopeFields = [new TextField(this.#params, { key: "zone", label: "Time zone", placeholder: "browser's time zone", list: "zones" }),
      ...scope.map((key) => new TextField(this.#params, { key, label: key === "user" ? "User" : "Installation", placeholder: key === "user" ? "ID" : "UUID" }))];
    this.#fields = [...form(this.#params, onChange), ...scopeFields];
    const shown = this.#fields.slice(0, this.#fields.length - scopeFields.length).map(({ node }) => node);
    const isScopeSet = scope.some((key) => this.#params.has(key));
    byId("insight-fields").replaceChildren(...shown, h("details", { class: "form-more", open: isScopeSet }, h("summary", {}, scope.length > 0 ? "Time zone, user, installation" : "Time zone"), scopeFields.map(({ node }) => node)));
    if (byId("zones").children.length === 0) byId("zones").replaceChildren(...(Intl.supportedValuesOf?.("timeZone") ?? []).map((value) => h("option", { value })));
  }

  /** Writes the form's query into the URL and runs the query. */
  #applyForm(isForced = false) {
    const formPairs = this.#fields.flatMap((field) => field.read());
    const preserved = this.#params.pairs.filter(([key]) => [...insightTypes[this.#type].extra, "chart"].includes(key) && key !== "after" && (key !== "top" || formPairs.some(([name]) => name === "by")));
    const params = new QueryParams([...formPairs, ...preserved]);
    if (!params.has("zone")) params.pairs.push(["zone", queryZone(params)]);
    if (!isForced && formatQuery(params.pairs) === formatQuery(this.#params.pairs)) return;
    this.#params = params;
    this.#updateTypeLinks();
    this.#onURLChange();
    this.#run();
  }

  /** Runs the query with one parameter changed by a control next to the results; the form shows the change too. */
  #setParam(key, value) {
    const isClosed = (name) => pointKeys.includes(name) && key !== "chart";
    this.#setQuery(this.#type, [...this.#params.pairs.filter(([name]) => name !== key && !isClosed(name)), [key, value]]);
  }

  /** Shows the people behind a point, which becomes part of the URL; null closes the list. The results remain. */
  #openPeople(point, result, query) {
    this.#params = new QueryParams([...this.#params.pairs.filter(([key]) => !pointKeys.includes(key)), ...Object.entries(point ?? {})]);
    this.#shownQuery = formatQuery(this.pairs);
    this.#onURLChange();
    this.#drawPeople(result, query);
  }

  /** Draws the list of people below the chart, if the URL has a point. */
  #drawPeople(result, query, isFocused = true) {
    const results = byId("results");
    results.querySelector(".people-panel")?.remove();
    if (!this.#params.has("point") || !insightTypes[this.#type].listsPeople) return;
    const panel = new PointPeoplePanel({
      type: this.#type, path: insightTypes[this.#type].path, query, params: this.#params, result,
      onClose: () => this.#openPeople(null, result, query), requestKey: this.#requestKey, openEvent: this.#openEvent,
      onList: (list) => this.#openPeople(Object.fromEntries(pointKeys.filter((key) => key === "list" || this.#params.has(key)).map((key) => [key, key === "list" ? list : this.#params.get(key)])), result, query),
    });
    results.children[0].after(panel.node);
    if (!isFocused) return;
    panel.node.scrollIntoView({ block: "nearest" });
    panel.title.focus({ preventScroll: true });
  }

  async #run() {
    this.#request?.abort();
    this.#shownQuery = formatQuery(this.pairs);
    this.#markField(null, null);
    byId("insight-save").hidden = true;
    byId("insight-alert").hidden = true;
    const definition = insightTypes[this.#type];
    const request = new AbortController();
    this.#request = request;
    let range;
    try {
      if (this.#params.get("last") === allTime && !definition.isTimeless) {
        this.#showSkeleton();
        this.#earliest = await firstEvent(request.signal);
        if (this.#request !== request) return;
      }
      range = this.#validatedRange();
    } catch (error) {
      if (this.#request !== request) return;
      this.#request = null;
      if (error.needsKey) this.#requestKey();
      this.#showError(error);
      return;
    }
    setText(byId("insight-dates"), `${range.text} · ${queryZone(this.#params)}`);
    const missing = definition.missing?.(this.#params) ?? null;
    if (missing !== null) {
      this.#request = null;
      this.#showMessage(definition.description, [h("p", {}, missing)]);
      return;
    }
    this.#showSkeleton();
    try {
      const query = this.#queryPairs(definition, range);
      const overallQuery = definition.overallQuery?.(this.#params, query) ?? null;
      const result = await this.#fetchResult(definition, query, request.signal);
      result.overall = overallQuery && (await this.#fetchResult(definition, overallQuery, request.signal)).series[0];
      if (this.#request !== request) return;
      this.#request = null;
      const openPeople = definition.listsPeople ? (point) => this.#openPeople(point, result, query) : null;
      const nodes = definition.draw(result, this.#params, range, (key, value) => this.#setParam(key, value), openPeople);
      setText(byId("insight-dates"), `${range.text} · ${queryZone(this.#params)} · updated ${formatDateTime(Date.now()).slice(0, 19)}`);
      if (nodes === null) {
        const [emptyTitle, emptyText] = definition.empty(this.#params);
        this.#showMessage(emptyTitle, [h("p", {}, emptyText), this.#refreshButton()]);
      } else {
        this.#render(nodes.filter(Boolean), "Results loaded.");
        this.#drawPeople(result, query, false);
      }
      // The page of a single event cannot be a dashboard card.
      byId("insight-alert").hidden = !["trends", "funnel"].includes(this.#type);
      byId("insight-save").hidden = Boolean(definition.hasNoCard || (definition.isTimeless && this.#params.has("name")));
    } catch (error) {
      if (this.#request !== request) return;
      this.#request = null;
      if (error.needsKey) this.#requestKey();
      this.#showError(error);
    }
  }

  /** Returns the query as a dashboard card with the same parameters. The query must have results. */
  #cardDraft() {
    const { interval, isTimeless } = insightTypes[this.#type];
    const range = this.#validatedRange();
    const has = (key) => this.#params.has(key);
    const pairs = [...this.#params.pairs, ...(has("zone") ? [] : [["zone", queryZone(this.#params)]]), ...(interval && !has("interval") ? [["interval", interval === true ? range.defaultInterval : interval]] : [])];
    return { title: defaultTitle(this.#type, this.#params), size: ["retention", "paths", "catalogue"].includes(this.#type) ? "full" : "half", kind: cardKind(this.#type), query: encodeQuery(cardQuery(pairs, isTimeless ? null : range)), ...(insightTypes[this.#type].charts && has("chart") ? { chart: this.#params.get("chart") } : {}) };
  }

  /** Validates the parameters that can be validated without the collector. Throws InvalidQueryError. */
  #validatedRange() {
    const keys = new Set(this.#supportedKeys(this.#type));
    const unsupported = this.#params.pairs.find(([key]) => !keys.has(key));
    if (unsupported) throw new InvalidQueryError(unsupported[0].slice(0, 64), `“${unsupported[0].slice(0, 64)}” is not a parameter of this insight. Remove it from the URL. Valid parameters: ${[...keys].filter((key) => !/\.\d+$/.test(key)).join(", ")}.`);
    const { charts } = insightTypes[this.#type];
    for (const [key, names] of [["chart", Object.keys(charts ?? {})], ["list", ["people", "events"]]]) {
      const value = this.#params.get(key);
      if (value !== "" && !names.includes(value)) throw new InvalidQueryError(key, `“${value.slice(0, 64)}” is not one of ${names.join(", ")}.`);
    }
    for (const [key, value] of this.#params.pairs) if (key === "where" || key.startsWith("where.")) parseConditions(value, key);
    return insightTypes[this.#type].isTimeless ? { zone: queryZone(this.#params), text: insightTypes[this.#type].time?.(this.#params) ?? "All time" } : queryRange(this.#params, Date.now(), this.#earliest);
  }

  /** Returns the collector's parameters for the current query. */
  #queryPairs({ query: queryPairs, interval, isTimeless }, range) {
    const last = this.#params.get("last");
    const ownPairs = this.#params.pairs.filter(([key]) => ![...rangeKeys, ...pageKeys, "zone"].includes(key));
    // On the page of one name, the path contains the name, and only the zone is sent.
    const query = queryPairs ? queryPairs(this.#params) : isTimeless ? (this.#params.has("name") ? [] : ownPairs) : [...ownPairs, ...(isCalendarRange(last) ? [["last", last]] : [["from", String(range.from)], ["to", String(range.to)]])];
    if (!queryPairs && (interval || isTimeless || isCalendarRange(last))) query.push(["zone", queryZone(this.#params)]);
    if (interval && !this.#params.has("interval")) query.push(["interval", interval === true ? range.defaultInterval : interval]);
    return query;
  }

  async #fetchResult({ path }, query, signal) {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await getJSON(`${typeof path === "string" ? path : path(this.#params)}?${encodeQuery(query)}`, signal);
      } catch (error) {
        // Other queries are running, so retry after a short delay.
        if (error.code !== "too_many_questions" || attempt === maximumRetries) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        signal.throwIfAborted();
      }
    }
  }

  #showSkeleton() {
    const bars = Array.from({ length: 5 }, (_, index) => h("div", { class: `skeleton-bar s${index}` }));
    this.#render([h("section", { class: "panel skeleton" }, h("p", { class: "visually-hidden" }, "Loading…"), bars), h("section", { class: "panel skeleton short" }, bars.slice(0, 2).map((bar) => bar.cloneNode()))], "");
    byId("results").setAttribute("aria-busy", "true");
  }

  #render(nodes, announcement) {
    byId("results").removeAttribute("aria-busy");
    byId("results").replaceChildren(...nodes);
    setText(byId("results-status"), announcement);
  }

  #showMessage(title, nodes) {
    this.#render([h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, title), nodes)], title);
  }

  #refreshButton() {
    return h("button", { type: "button", class: "button", onclick: () => this.#run() }, "Refresh");
  }

  #showError(error) {
    this.#setCollapsed(false);
    if (error instanceof InvalidQueryError) setText(byId("insight-dates"), "");
    const message = error.needsKey ? "The collector requires a key with read access." : error.status || error.field ? error.message : "The collector is not responding.";
    this.#render([h("section", { class: "panel empty", role: "alert" }, h("p", { class: "empty-title" }, error.status === 422 ? "Query too large" : error.status === 404 ? "No such event" : error.field ? "Invalid query" : "No response"),
      h("p", { class: "error", id: "insight-error" }, message), error.field ? h("p", {}, "Check ", h("code", {}, error.field.slice(0, 64)), ".") : null, this.#refreshButton())], "");
    this.#markField(error.field ?? null, "insight-error");
  }

  /** Marks the control that caused an error. */
  #markField(field, id) {
    const form = byId("insight-form");
    for (const node of form.querySelectorAll("[aria-invalid]")) {
      node.removeAttribute("aria-invalid");
      node.removeAttribute("aria-describedby");
    }
    const node = field === null ? null : form.querySelector(`[data-field="${CSS.escape(field)}"]`);
    node?.setAttribute("aria-invalid", "true");
    node?.setAttribute("aria-describedby", id);
  }
}
