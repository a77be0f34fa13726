// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The dialog that creates or edits an alert. The collector validates it and names the invalid field.

import { conditionOf, unitOf } from "./alerted.js";
import { ask, tell } from "./ask.js";
import { byId, h, setText } from "./dom.js";
import { figure } from "./figures.js";

const lengths = ["every", "for", "keep_firing_for", "repeat"];
const usual = { every: "1m", for: "0m", keep_firing_for: "0m", repeat: "" };
/** The fields of each kind of condition. */
const fields = {
  trends: ["query", "operator", "of", "threshold"], funnels: ["query", "operator", "threshold"], missing: ["threshold"],
  failed: ["threshold", "within", "at_least"], silence: ["within"], disk: ["of", "threshold"], lag: ["threshold"],
};
/** The ways to compare the value of each kind, the default first. */
const measures = { trends: ["value", "change"], disk: ["share", "bytes"] };
/** The initial threshold of a new alert of each kind. */
const thresholds = { missing: 0, failed: 1, disk: 10, lag: 300 };
const field = (name) => byId(`alert-${name.replaceAll("_", "-")}`);

/** `wantKey()` is called when a key is needed, `saved(alert)` after an alert was saved. */
export class AlertForm {
  #wantKey;
  #saved;
  /** The alert that is being edited; null for a new one. */
  #alert = null;
  /** The pending request for the current value. */
  #request = null;
  #timer = 0;

  constructor(wantKey, saved) {
    this.#wantKey = wantKey;
    this.#saved = saved;
    field("kind").addEventListener("change", () => {
      const threshold = thresholds[field("kind").value];
      if (this.#alert === null && threshold !== undefined) field("threshold").value = threshold;
      this.#follow();
    });
    byId("alert-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#save();
    });
    byId("alert-form").addEventListener("input", () => this.#previewSoon());
    byId("alert-dialog").addEventListener("close", () => {
      byId("alert-made").replaceChildren();
      this.#request?.abort();
      clearTimeout(this.#timer);
    });
  }

  /** Opens the dialog for a new alert, optionally with a query, or for an existing alert. */
  open({ alert = null, kind = "trends", query = "", title = "" }) {
    this.#alert = alert;
    const condition = alert?.condition ?? { kind, query: recent(query), operator: "<", threshold: 1, of: "value", within: "1h", at_least: 100 };
    setText(byId("alert-dialog-title"), alert ? "Edit alert" : "New alert");
    field("title").value = alert?.title ?? title;
    field("kind").value = condition.kind;
    for (const name of new Set(Object.values(fields).flat())) field(name).value = condition[name] ?? { operator: "<", of: "value", within: "1h", at_least: 100, query: "" }[name] ?? "";
    for (const name of lengths) field(name).value = (alert ? alert[name] : usual[name]) ?? "";
    field("webhook").value = alert?.webhook ?? "";
    byId("alert-made").replaceChildren();
    byId("alert-save").hidden = false;
    this.#wrong(null);
    this.#follow();
    byId("alert-dialog").showModal();
    field("title").focus();
    this.#preview();
  }

  #follow() {
    const kind = field("kind").value;
    const shown = new Set(fields[kind]);
    for (const option of field("of").options) option.hidden = option.disabled = !(measures[kind] ?? ["value"]).includes(option.value);
    if (field("of").selectedOptions[0]?.disabled ?? true) field("of").value = (measures[kind] ?? ["value"])[0];
    setText(byId("alert-unit"), labeledUnit(kind, field("of").value));
    for (const name of new Set(Object.values(fields).flat())) field(name).closest("label").hidden = !shown.has(name);
  }

  #previewSoon() {
    clearTimeout(this.#timer);
    setText(byId("alert-unit"), labeledUnit(field("kind").value, field("of").value));
    this.#timer = setTimeout(() => this.#preview(), 400);
  }

  /** Shows when the alert fires, and the current value. */
  async #preview() {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const { condition } = this.#draft();
    if ((fields[condition.kind].includes("threshold") && !Number.isFinite(condition.threshold)) || condition.query === "") return setText(byId("alert-preview"), "");
    const sentence = `Fires when: ${conditionOf({ condition })}.`;
    setText(byId("alert-preview"), sentence);
    try {
      const value = await presentValue(condition, request.signal);
      if (this.#request === request && value !== null) setText(byId("alert-preview"), `${sentence} Now: ${value}.`);
    } catch {
      // Errors in the query are shown on saving; without a value, only the condition is shown.
    }
  }

  #draft() {
    const kind = field("kind").value;
    const condition = { kind };
    for (const name of fields[kind]) {
      const text = field(name).value.trim();
      if (text === "" && name !== "query") continue;
      condition[name] = ["threshold", "at_least"].includes(name) ? Number(text) : name === "query" ? escaped(text.replace(/^\?/, "")) : text;
    }
    const draft = { title: field("title").value.trim(), condition, webhook: field("webhook").value.trim() || null, paused: this.#alert?.paused ?? false };
    for (const name of lengths) if (field(name).value.trim() !== "") draft[name] = field(name).value.trim();
    return draft;
  }

  async #save() {
    this.#wrong(null);
    try {
      const alert = this.#alert === null
        ? await tell("POST", "/v1/alerts", this.#draft())
        : await tell("PUT", `/v1/alerts/${encodeURIComponent(this.#alert.id)}`, { ...this.#draft(), version: this.#alert.version });
      this.#saved(alert);
      if (alert.secret === undefined) return byId("alert-dialog").close();
      this.#tellSecret(alert);
    } catch (error) {
      if (error.wantsKey) this.#wantKey({ writes: true, again: () => this.#save() });
      else this.#wrong(error);
    }
  }

  /** Shows the secret; it is available only once. */
  #tellSecret({ id, secret }) {
    const input = h("input", { type: "text", readonly: true, class: "link-text", id: "alert-secret", value: secret });
    byId("alert-made").replaceChildren(h("p", {}, "Saved. Notifications are signed with this secret, which is shown only once:"), h("label", { for: "alert-secret", class: "visually-hidden" }, "The secret"), input,
      h("a", { href: `/?alerts=${encodeURIComponent(id)}`, class: "visually-hidden" }, "The alert"));
    byId("alert-save").hidden = true;
    input.focus();
    input.select();
  }

  #wrong(error) {
    const form = byId("alert-form");
    for (const node of form.querySelectorAll("[aria-invalid]")) node.removeAttribute("aria-invalid");
    setText(byId("alert-wrong"), error === null ? "" : error.status === 409 ? "Another user has just changed this alert. Close this dialog and repeat your change." : error.status ? error.message : "The collector is not responding. Nothing was saved.");
    const name = error?.field?.replace(/^condition\./, "").split(".")[0];
    const node = name && /^[a-z_]+$/.test(name) ? field(name) : null;
    node?.setAttribute("aria-invalid", "true");
    node?.focus();
  }
}

/** The unit of a threshold for its label. */
function labeledUnit(kind, of) {
  const unit = unitOf({ kind, of });
  return unit === "" ? "" : `, in ${unit === "s" ? "seconds" : unit}`;
}

/** Returns the current value of a condition as text; null if it is not a single number of a query. */
async function presentValue({ kind, query, of }, signal) {
  if (kind === "missing") return figure((await ask("/v1/ledger/summary", signal)).missing);
  if (kind === "funnels") {
    const steps = (await ask(`/v1/funnels?${query}`, signal)).series[0]?.steps ?? [];
    const first = steps[0]?.people ?? 0;
    return first > 0 ? `${figure(Math.round((1000 * steps.at(-1).people) / first) / 10)} %` : "no users at the first step";
  }
  if (kind !== "trends") return null;
  const [series] = (await ask(`/v1/trends?${query}${of === "change" ? "&compare=before" : ""}`, signal)).series;
  const { total, before } = series ?? {};
  if (of !== "change") return figure(total);
  if (!Number(before?.total)) return "no data to compare with";
  return `${figure(Math.round((1000 * (Number(total) - Number(before.total))) / Math.abs(Number(before.total))) / 10)} %`;
}

/** Converts a query's parameters for an alert, which looks back from now and compares one number. */
function recent(query) {
  if (query === "") return "name=purchase&last=1h";
  const left = ["last", "from", "to", "interval", "by", "values", "top", "compare", "people", "zone"];
  const pairs = query.split("&").filter((pair) => !left.includes(pair.split("=")[0]));
  return [...pairs, "last=24h"].join("&");
}

/** Escapes what a URL cannot contain: spaces, “#”, and letters that are not ASCII. */
const escaped = (text) => text.replace(/[^\x21-\x7e]|#/gu, (letter) => (letter === "#" ? "%23" : encodeURIComponent(letter)));
