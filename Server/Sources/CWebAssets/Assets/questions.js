// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Questions: which kind, its form, and its answer. The address holds the whole question; every kind and every question is a link.

import { ask } from "./ask.js";
import { Asked } from "./asked.js";
import { asQuery, readPairs, writePairs } from "./address.js";
import { cardOf, cardQuery, titleOf } from "./cards.js";
import { byId, h, setText } from "./dom.js";
import { Line } from "./form.js";
import { clock } from "./format.js";
import { kinds } from "./kinds.js";
import { rangeOf, WrongQuestion, zoneOf } from "./range.js";
import { readCondition } from "./conditions.js";
import { Saving } from "./saving.js";
import { suggest } from "./suggestions.js";

const usual = "trends";
/** How long a question waits for others that are asked, in times it is asked again, a second apart. */
const patience = 30;
const times = ["last", "from", "to"];
/** What belongs to every question of a kind: the time, and the zone of its days. */
const shared = (kind) => [...(kinds[kind].isTimeless ? [] : times), "zone"];
/** What is another matter with each kind, or belongs to one answer. */
const own = ["interval", "after", "limit"];
/** Kinds in which a name is another page. */
const named = ["catalogue", "plan"];
const isPlain = (event) => !(event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0);

/** The part of the page for questions. `moved()` says that the address is another; `wantKey()` that a key is needed. */
export class Questions {
  #moved;
  #wantKey;
  #isShown = false;
  #kind = usual;
  #asked = new Asked([]);
  /** What was chosen and the kind has no place for, until one comes that has. */
  #aside = [];
  #parts = [];
  #request = null;
  /** What the form and the answer on the page belong to. */
  #drawn = null;

  constructor(moved, wantKey, makeAlert) {
    this.#moved = moved;
    this.#wantKey = wantKey;
    byId("question-kinds").replaceChildren(...Object.entries(kinds).map(([kind, { title }]) => h("a", {
      href: `/?questions=${kind}`, "data-kind": kind, onclick: (event) => {
        if (!isPlain(event)) return; // Another tab or window is meant.
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

  /** Takes what the address says. What is wrong with it is said where the answer would be. */
  restore(pairs) {
    const wished = pairs.find(([key]) => key === "questions")[1] || usual;
    const isKnown = Object.hasOwn(kinds, wished);
    this.#kind = isKnown ? wished : usual;
    this.#asked = new Asked(pairs.filter(([key]) => key !== "questions"));
    this.#aside = [];
    if (!this.#isShown) this.#fold(this.#asked.pairs.length > 0);
    return isKnown ? null : `“${wished.slice(0, 64)}” is no kind of question: there are ${Object.keys(kinds).join(", ")}.`;
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

  /** Where there is little room the form makes room for the answer. */
  #fold(isFolded) {
    byId("question-form").toggleAttribute("data-is-folded", isFolded);
    byId("question-toggle").setAttribute("aria-expanded", String(!isFolded));
    setText(byId("question-toggle"), isFolded ? "Change" : "Fold");
  }

  /** What is chosen now, and what was and waits. */
  #chosen() {
    // One event's page in the catalogue is not the event that was asked about.
    const isHere = new Set(this.#keys(this.#kind).filter((key) => !(named.includes(this.#kind) && key === "name" && !this.#asked.has(key))));
    return [...this.#asked.pairs, ...this.#aside.filter(([key]) => !isHere.has(key))];
  }

  /** The time, the events and the conditions go along to another kind, as far as it has them. */
  #carried(kind) {
    const keys = new Set(this.#keys(kind));
    const isOther = kind !== this.#kind;
    // The catalogue and the plan begin with all events.
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

  /** Each kind is a link to what it would ask now. */
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
    const more = [new Line(this.#asked, { key: "zone", label: "Time zone", placeholder: "this browser's", list: "zones" }),
      ...scope.map((key) => new Line(this.#asked, { key, label: key === "user" ? "Of one user" : "Of one installation", placeholder: key === "user" ? "id" : "UUID" }))];
    this.#parts = [...form(this.#asked, changed), ...more];
    const shown = this.#parts.slice(0, this.#parts.length - more.length).map(({ node }) => node);
    const isUsed = scope.some((key) => this.#asked.has(key));
    byId("question-parts").replaceChildren(...shown, h("details", { class: "form-more", open: isUsed }, h("summary", {}, scope.length > 0 ? "Zone, one user or installation" : "Time zone"), more.map(({ node }) => node)));
    if (byId("zones").children.length === 0) byId("zones").replaceChildren(...(Intl.supportedValuesOf?.("timeZone") ?? []).map((value) => h("option", { value })));
  }

  /** The form has changed: its question goes into the address and is asked. */
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

  /** Asks with one parameter changed, as a control beside the answer does; the form shows it, too. */
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
      setText(byId("question-dates"), `${range.text} · ${zoneOf(this.#asked)} · asked at ${clock(Date.now()).slice(0, 8)}`);
      if (parts === null) {
        const [title, text] = kind.empty(this.#asked);
        this.#say(title, [h("p", {}, text), this.#again()]);
      } else this.#put(parts, "The answer is there.");
      // One event's page is no question that a board has.
      byId("question-alert").hidden = !["trends", "funnel"].includes(this.#kind);
      byId("question-save").hidden = Boolean(kind.isNoCard || (kind.isTimeless && this.#asked.has("name")));
    } catch (error) {
      if (this.#request !== request) return;
      this.#request = null;
      if (error.wantsKey) this.#wantKey();
      this.#fail(error);
    }
  }

  /** The question as a board's card, asked as it is here. Only of a question that was answered. */
  #card() {
    const { interval, isTimeless } = kinds[this.#kind];
    const range = this.#checked();
    const has = (key) => this.#asked.has(key);
    const pairs = [...this.#asked.pairs, ...(has("zone") ? [] : [["zone", zoneOf(this.#asked)]]), ...(interval && !has("interval") ? [["interval", interval === true ? range.usualInterval : interval]] : [])];
    return { title: titleOf(this.#kind, this.#asked), size: ["retention", "paths", "catalogue"].includes(this.#kind) ? "full" : "half", kind: cardOf(this.#kind), query: asQuery(cardQuery(pairs, isTimeless ? null : range)) };
  }

  /** What can be seen to be wrong without asking. Throws WrongQuestion. */
  #checked() {
    const keys = new Set(this.#keys(this.#kind));
    const stray = this.#asked.pairs.find(([key]) => !keys.has(key));
    if (stray) throw new WrongQuestion(stray[0].slice(0, 64), `“${stray[0].slice(0, 64)}” is no part of this question: remove it from the address. It takes ${[...keys].filter((key) => !/\.\d+$/.test(key)).join(", ")}.`);
    for (const [key, value] of this.#asked.pairs) if (key === "where" || key.startsWith("where.")) readCondition(value, key);
    return kinds[this.#kind].isTimeless ? { zone: zoneOf(this.#asked), text: kinds[this.#kind].time?.(this.#asked) ?? "All time" } : rangeOf(this.#asked, Date.now());
  }

  async #answer({ path, query: asks, interval, isTimeless }, range, signal) {
    const own = this.#asked.pairs.filter(([key]) => ![...times, "zone"].includes(key));
    // Of one name's page the name stands in the path, and nothing else is asked than the zone.
    const query = asks ? asks(this.#asked) : isTimeless ? (this.#asked.has("name") ? [] : own) : [...own, ["from", String(range.from)], ["to", String(range.to)]];
    if (!asks && (interval || isTimeless)) query.push(["zone", zoneOf(this.#asked)]);
    if (interval && !this.#asked.has("interval")) query.push(["interval", interval === true ? range.usualInterval : interval]);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await ask(`${typeof path === "string" ? path : path(this.#asked)}?${asQuery(query)}`, signal);
      } catch (error) {
        // Others are asking, too: a moment later there is room.
        if (error.code !== "too_many_questions" || attempt === patience) throw error;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        signal.throwIfAborted();
      }
    }
  }

  #wait() {
    const bars = Array.from({ length: 5 }, (_, index) => h("div", { class: `skeleton-bar s${index}` }));
    this.#put([h("section", { class: "panel skeleton" }, h("p", { class: "visually-hidden" }, "Asking the collector…"), bars), h("section", { class: "panel skeleton low" }, bars.slice(0, 2).map((bar) => bar.cloneNode()))], "");
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
    return h("button", { type: "button", class: "button", onclick: () => this.#ask() }, "Ask again");
  }

  #fail(error) {
    this.#fold(false);
    if (error instanceof WrongQuestion) setText(byId("question-dates"), "");
    const why = error.wantsKey ? "The collector wants a key for reading." : error.status || error.field ? error.message : "The collector does not answer.";
    this.#put([h("section", { class: "panel empty", role: "alert" }, h("p", { class: "empty-title" }, error.status === 422 ? "Too large a question" : error.status === 404 ? "Nothing of this name" : error.field ? "Not a question yet" : "No answer"),
      h("p", { class: "wrong", id: "question-wrong" }, why), error.field ? h("p", {}, "Look at ", h("code", {}, error.field.slice(0, 64)), ".") : null, this.#again())], "");
    this.#mark(error.field ?? null, "question-wrong");
  }

  /** Marks the control that an error is about. */
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
