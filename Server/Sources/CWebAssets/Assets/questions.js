// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Insights: the type, its form, and its results. The URL contains the whole query, and every type and query is a link.

import { ask } from "./ask.js";
import { Asked } from "./asked.js";
import { asQuery, readPairs, writePairs } from "./address.js";
import { cardOf, cardQuery, titleOf } from "./cards.js";
import { byId, h, setText } from "./dom.js";
import { Line } from "./form.js";
import { dateAndClock } from "./format.js";
import { kinds } from "./kinds.js";
import { rangeOf, WrongQuestion, zoneOf } from "./range.js";
import { readCondition } from "./conditions.js";
import { Saving } from "./saving.js";
import { suggest } from "./suggestions.js";

const usual = "trends";
/** The maximum retries of a query, one second apart, while other queries run. */
const patience = 30;
const times = ["last", "from", "to"];
/** The parameters that all queries of a type share: the time range, and the zone of its days. */
const shared = (kind) => [...(kinds[kind].isTimeless ? [] : times), "zone"];
/** The parameters that are not carried over to another type. */
const own = ["interval", "after", "limit"];
/** The types in which a name opens another page. */
const named = ["catalogue", "plan"];
const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);

/** The insights section. `moved()` is called when the URL changes, `wantKey()` when a key is needed. */
export class Questions {
  #moved;
  #wantKey;
  #isShown = false;
  #kind = usual;
  #asked = new Asked([]);
  /** Choices that the current type does not support, kept for the next type that does. */
  #aside = [];
  #parts = [];
  #request = null;
  /** The query whose form and results are on the page. */
  #drawn = null;

  constructor(moved, wantKey, makeAlert) {
    this.#moved = moved;
    this.#wantKey = wantKey;
    byId("question-kinds").replaceChildren(...Object.entries(kinds).map(([kind, { title }]) => h("a", {
      href: `/?questions=${kind}`, "data-kind": kind, onclick: (event) => {
        if (!isPlain(event)) return; // Opens another tab or window.
        event.preventDefault();
        const chosen = this.#chosen();
        this.#take(kind, this.#carried(kind));
        this.#aside = chosen.filter(([key]) => !this.#asked.has(key));
      },
    }, title)));
    const form = byId("question-form");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#apply(true);
    });
    form.addEventListener("change", () => this.#apply());
    byId("question-toggle").addEventListener("click", () => this.#fold(!("isFolded" in form.dataset)));
    const saving = new Saving(wantKey);
    byId("question-save").addEventListener("click", () => saving.open(this.#card()));
    byId("question-alert").addEventListener("click", () => makeAlert(this.#card()));
    byId("answer").addEventListener("click", (event) => {
      const link = event.target.closest('a[href^="/?questions="]');
      if (!link || !isPlain(event)) return;
      event.preventDefault();
      const chosen = this.#chosen().filter(([key]) => shared(usual).includes(key));
      this.restore(readPairs(new URL(link.href).search));
      this.#take(this.#kind, [...this.#asked.pairs, ...chosen.filter(([key]) => shared(this.#kind).includes(key) && !this.#asked.has(key))]);
      this.#aside = chosen.filter(([key]) => !this.#asked.has(key));
    });
  }

  get title() {
    return `${kinds[this.#kind].title} – Trackway`;
  }

  get pairs() {
    return [["questions", this.#kind], ...this.#asked.pairs];
  }

  /** Restores the query from the URL. Errors in it are shown in place of the results. */
  restore(pairs) {
    const wished = pairs.find(([key]) => key === "questions")[1] || usual;
    const isKnown = Object.hasOwn(kinds, wished);
    this.#kind = isKnown ? wished : usual;
    this.#asked = new Asked(pairs.filter(([key]) => key !== "questions"));
    this.#aside = [];
    if (!this.#isShown) this.#fold(this.#asked.pairs.length > 0);
    return isKnown ? null : `“${wished.slice(0, 64)}” is not an insight type. Available types: ${Object.keys(kinds).join(", ")}.`;
  }

  show(isShown) {
    this.#isShown = isShown;
    if (!isShown) {
      this.#request?.abort();
      return;
    }
    suggest();
    const wanted = writePairs(this.pairs);
    if (this.#drawn === wanted && this.#request === null) return;
    this.#drawForm();
    this.#ask();
  }

  /** On narrow pages the form collapses to make space for the results. */
  #fold(isFolded) {
    byId("question-form").toggleAttribute("data-is-folded", isFolded);
    byId("question-toggle").setAttribute("aria-expanded", String(!isFolded));
    setText(byId("question-toggle"), isFolded ? "Edit" : "Collapse");
  }

  /** Returns the current choices, and those kept for later. */
  #chosen() {
    // An event's page in the catalog is not the event of the query.
    const isHere = new Set(this.#keys(this.#kind).filter((key) => !(named.includes(this.#kind) && key === "name" && !this.#asked.has(key))));
    return [...this.#asked.pairs, ...this.#aside.filter(([key]) => !isHere.has(key))];
  }

  /** Carries the time range, the events and the filters over to another type, as far as it supports them. */
  #carried(kind) {
    const keys = new Set(this.#keys(kind));
    const isOther = kind !== this.#kind;
    // The catalog and the tracking plan begin with all events.
    return this.#chosen().filter(([key]) => keys.has(key) && !(isOther && own.includes(key)) && key !== "after" && !(named.includes(kind) && key === "name"));
  }

  #keys(kind) {
    const { form, extra, scope } = kinds[kind];
    return [...form(new Asked([]), () => {}).flatMap(({ keys }) => keys), ...extra, ...scope, ...shared(kind)];
  }

  #take(kind, pairs) {
    this.#kind = kind;
    this.#asked = new Asked(pairs);
    this.#drawForm();
    this.#moved();
    this.#ask();
  }

  /** Links each type to the query that it would run now. */
  #drawKinds() {
    for (const link of byId("question-kinds").children) link.href = `/${writePairs([["questions", link.dataset.kind], ...this.#carried(link.dataset.kind)])}`;
  }

  #drawForm() {
    const { about, form, scope } = kinds[this.#kind];
    this.#drawKinds();
    for (const link of byId("question-kinds").children) {
      if (link.dataset.kind === this.#kind) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    setText(byId("question-title"), kinds[this.#kind].title);
    setText(byId("question-about"), about);
    const changed = () => this.#apply();
    const more = [new Line(this.#asked, { key: "zone", label: "Time zone", placeholder: "browser's time zone", list: "zones" }),
      ...scope.map((key) => new Line(this.#asked, { key, label: key === "user" ? "User" : "Installation", placeholder: key === "user" ? "id" : "UUID" }))];
    this.#parts = [...form(this.#asked, changed), ...more];
    const shown = this.#parts.slice(0, this.#parts.length - more.length).map(({ node }) => node);
    const isUsed = scope.some((key) => this.#asked.has(key));
    byId("question-parts").replaceChildren(...shown, h("details", { class: "form-more", open: isUsed }, h("summary", {}, scope.length > 0 ? "Time zone, user, installation" : "Time zone"), more.map(({ node }) => node)));
    if (byId("zones").children.length === 0) byId("zones").replaceChildren(...(Intl.supportedValuesOf?.("timeZone") ?? []).map((value) => h("option", { value })));
  }

  /** Writes the form's query into the URL and runs it. */
  #apply(isAgain = false) {
    const said = this.#parts.flatMap((part) => part.read());
    const kept = this.#asked.pairs.filter(([key]) => kinds[this.#kind].extra.includes(key) && !["people", "after"].includes(key) && (key !== "top" || said.some(([name]) => name === "by")));
    const asked = new Asked([...said, ...kept]);
    if (!asked.has("zone")) asked.pairs.push(["zone", zoneOf(asked)]);
    if (!isAgain && writePairs(asked.pairs) === writePairs(this.#asked.pairs)) return;
    this.#asked = asked;
    this.#drawKinds();
    this.#moved();
    this.#ask();
  }

  /** Runs the query with one parameter changed by a control next to the results; the form shows the change too. */
  #go(key, value) {
    this.#take(this.#kind, [...this.#asked.pairs.filter(([name]) => name !== key), [key, value]]);
  }

  async #ask() {
    this.#request?.abort();
    this.#drawn = writePairs(this.pairs);
    this.#mark(null, null);
    byId("question-save").hidden = true;
    byId("question-alert").hidden = true;
    const kind = kinds[this.#kind];
    let range;
    try {
      range = this.#checked();
    } catch (error) {
      if (!(error instanceof WrongQuestion)) throw error;
      this.#request = null;
      this.#fail(error);
      return;
    }
    setText(byId("question-dates"), `${range.text} · ${zoneOf(this.#asked)}`);
    const missing = kind.missing?.(this.#asked) ?? null;
    if (missing !== null) {
      this.#request = null;
      this.#say(kind.about, [h("p", {}, missing)]);
      return;
    }
    const request = new AbortController();
    this.#request = request;
    this.#wait();
    try {
      const answer = await this.#answer(kind, range, request.signal);
      if (this.#request !== request) return;
      this.#request = null;
      const parts = kind.draw(answer, this.#asked, range, (key, value) => this.#go(key, value));
      setText(byId("question-dates"), `${range.text} · ${zoneOf(this.#asked)} · updated ${dateAndClock(Date.now()).slice(0, 19)}`);
      if (parts === null) {
        const [title, text] = kind.empty(this.#asked);
        this.#say(title, [h("p", {}, text), this.#again()]);
      } else this.#put(parts, "Results loaded.");
      // The page of a single event cannot be a dashboard card.
      byId("question-alert").hidden = !["trends", "funnel"].includes(this.#kind);
      byId("question-save").hidden = Boolean(kind.isNoCard || (kind.isTimeless && this.#asked.has("name")));
    } catch (error) {
      if (this.#request !== request) return;
      this.#request = null;
      if (error.wantsKey) this.#wantKey();
      this.#fail(error);
    }
  }

  /** Returns the query as a dashboard card with the same parameters. Only for a query that has results. */
  #card() {
    const { interval, isTimeless } = kinds[this.#kind];
    const range = this.#checked();
    const has = (key) => this.#asked.has(key);
    const pairs = [...this.#asked.pairs, ...(has("zone") ? [] : [["zone", zoneOf(this.#asked)]]), ...(interval && !has("interval") ? [["interval", interval === true ? range.usualInterval : interval]] : [])];
    return { title: titleOf(this.#kind, this.#asked), size: ["retention", "paths", "catalogue"].includes(this.#kind) ? "full" : "half", kind: cardOf(this.#kind), query: asQuery(cardQuery(pairs, isTimeless ? null : range)) };
  }

  /** Checks what can be checked without the collector. Throws WrongQuestion. */
  #checked() {
    const keys = new Set(this.#keys(this.#kind));
    const stray = this.#asked.pairs.find(([key]) => !keys.has(key));
    if (stray) throw new WrongQuestion(stray[0].slice(0, 64), `“${stray[0].slice(0, 64)}” is not a parameter of this insight. Remove it from the URL. Valid parameters: ${[...keys].filter((key) => !/\.\d+$/.test(key)).join(", ")}.`);
    for (const [key, value] of this.#asked.pairs) if (key === "where" || key.startsWith("where.")) readCondition(value, key);
    return kinds[this.#kind].isTimeless ? { zone: zoneOf(this.#asked), text: kinds[this.#kind].time?.(this.#asked) ?? "All time" } : rangeOf(this.#asked, Date.now());
  }

  async #answer({ path, query: asks, interval, isTimeless }, range, signal) {
    const own = this.#asked.pairs.filter(([key]) => ![...times, "zone"].includes(key));
    // On the page of one name, the path contains the name, and only the zone is sent.
    const query = asks ? asks(this.#asked) : isTimeless ? (this.#asked.has("name") ? [] : own) : [...own, ["from", String(range.from)], ["to", String(range.to)]];
    if (!asks && (interval || isTimeless)) query.push(["zone", zoneOf(this.#asked)]);
    if (interval && !this.#asked.has("interval")) query.push(["interval", interval === true ? range.usualInterval : interval]);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await ask(`${typeof path === "string" ? path : path(this.#asked)}?${asQuery(query)}`, signal);
      } catch (error) {
        // Other queries are running: retry a moment later.
        if (error.code !== "too_many_questions" || attempt === patience) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        signal.throwIfAborted();
      }
    }
  }

  #wait() {
    const bars = Array.from({ length: 5 }, (_, index) => h("div", { class: `skeleton-bar s${index}` }));
    this.#put([h("section", { class: "panel skeleton" }, h("p", { class: "visually-hidden" }, "Loading…"), bars), h("section", { class: "panel skeleton low" }, bars.slice(0, 2).map((bar) => bar.cloneNode()))], "");
    byId("answer").setAttribute("aria-busy", "true");
  }

  #put(nodes, told) {
    byId("answer").removeAttribute("aria-busy");
    byId("answer").replaceChildren(...nodes);
    setText(byId("answer-told"), told);
  }

  #say(title, nodes) {
    this.#put([h("section", { class: "panel empty" }, h("p", { class: "empty-title" }, title), nodes)], title);
  }

  #again() {
    return h("button", { type: "button", class: "button", onclick: () => this.#ask() }, "Refresh");
  }

  #fail(error) {
    this.#fold(false);
    if (error instanceof WrongQuestion) setText(byId("question-dates"), "");
    const why = error.wantsKey ? "The collector requires a key with read access." : error.status || error.field ? error.message : "The collector is not responding.";
    this.#put([h("section", { class: "panel empty", role: "alert" }, h("p", { class: "empty-title" }, error.status === 422 ? "Query too large" : error.status === 404 ? "No such event" : error.field ? "Invalid query" : "No response"),
      h("p", { class: "wrong", id: "question-wrong" }, why), error.field ? h("p", {}, "Check ", h("code", {}, error.field.slice(0, 64)), ".") : null, this.#again())], "");
    this.#mark(error.field ?? null, "question-wrong");
  }

  /** Marks the control that caused an error. */
  #mark(field, id) {
    const form = byId("question-form");
    for (const node of form.querySelectorAll("[aria-invalid]")) {
      node.removeAttribute("aria-invalid");
      node.removeAttribute("aria-describedby");
    }
    const node = field === null ? null : form.querySelector(`[data-field="${CSS.escape(field)}"]`);
    node?.setAttribute("aria-invalid", "true");
    node?.setAttribute("aria-describedby", id);
  }
}
