// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The dialog that creates or edits an alert. The collector validates the alert and names the invalid field.

import { conditionText, unitOf } from "./alert-text.js";
import { getJSON, sendJSON } from "./api.js";
import { formatValue } from "./data-table.js";
import { byId, h, setText } from "./dom.js";

const durationFields = ["every", "for", "keep_firing_for", "repeat"];
const defaultDurations = { every: "1m", for: "0m", keep_firing_for: "0m", repeat: "" };
/** The form fields for each kind of condition. */
const fieldsByKind = {
  trends: ["query", "operator", "of", "threshold"], funnels: ["query", "operator", "threshold"], missing: ["threshold"],
  failed: ["threshold", "within", "at_least"], silence: ["within"], disk: ["of", "threshold"], lag: ["threshold"],
};
/** The comparisons of each kind of condition; the first is the default. */
const comparisonsByKind = { trends: ["value", "change"], disk: ["share", "bytes"] };
/** The initial threshold of a new alert of each kind. */
const defaultThresholds = { missing: 0, failed: 1, disk: 10, lag: 300 };
const field = (name) => byId(`alert-${name.replaceAll("_", "-")}`);

/** The form for an alert. `requestKey()` is called when a key is needed; `onSave(alert)`, after an alert is saved. */
export class AlertForm {
  #requestKey;
  #onSave;
  /** The alert that is being edited; null for a new one. */
  #alert = null;
  /** The pending request for the condition's current value. */
  #request = null;
  #timer = 0;

  constructor(requestKey, onSave) {
    this.#requestKey = requestKey;
    this.#onSave = onSave;
    field("kind").addEventListener("change", () => {
      const threshold = defaultThresholds[field("kind").value];
      if (this.#alert === null && threshold !== undefined) field("threshold").value = threshold;
      this.#updateFields();
    });
    byId("alert-form").addEventListener("submit", (event) => {
      if (event.submitter?.value === "close") return;
      event.preventDefault();
      this.#save();
    });
    byId("alert-form").addEventListener("input", () => this.#schedulePreview());
    byId("alert-dialog").addEventListener("close", () => {
      byId("alert-created").replaceChildren();
      this.#request?.abort();
      clearTimeout(this.#timer);
    });
  }

  /** Opens the dialog for a new alert, optionally with a query, or for an existing alert. */
  open({ alert = null, kind = "trends", query = "", title = "" }) {
    this.#alert = alert;
    const condition = alert?.condition ?? { kind, query: alertQuery(query), operator: "<", threshold: 1, of: "value", within: "1h", at_least: 100 };
    setText(byId("alert-dialog-title"), alert ? "Edit alert" : "New alert");
    field("title").value = alert?.title ?? title;
    field("kind").value = condition.kind;
    for (const name of new Set(Object.values(fieldsByKind).flat())) field(name).value = condition[name] ?? { operator: "<", of: "value", within: "1h", at_least: 100, query: "" }[name] ?? "";
    for (const name of durationFields) field(name).value = (alert ? alert[name] : defaultDurations[name]) ?? "";
    field("webhook").value = alert?.webhook ?? "";
    byId("alert-created").replaceChildren();
    byId("alert-save").hidden = false;
    this.#showError(null);
    this.#updateFields();
    byId("alert-dialog").showModal();
    field("title").focus();
    this.#preview();
  }

  #updateFields() {
    const kind = field("kind").value;
    const visible = new Set(fieldsByKind[kind]);
    for (const option of field("of").options) option.hidden = option.disabled = !(comparisonsByKind[kind] ?? ["value"]).includes(option.value);
    if (field("of").selectedOptions[0]?.disabled ?? true) field("of").value = (comparisonsByKind[kind] ?? ["value"])[0];
    setText(byId("alert-unit"), unitSuffix(kind, field("of").value));
    for (const name of new Set(Object.values(fieldsByKind).flat())) field(name).closest("label").hidden = !visible.has(name);
  }

  #schedulePreview() {
    clearTimeout(this.#timer);
    setText(byId("alert-unit"), unitSuffix(field("kind").value, field("of").value));
    this.#timer = setTimeout(() => this.#preview(), 400);
  }

  /** Shows the condition and its current value. */
  async #preview() {
    this.#request?.abort();
    const request = new AbortController();
    this.#request = request;
    const { condition } = this.#draft();
    if ((fieldsByKind[condition.kind].includes("threshold") && !Number.isFinite(condition.threshold)) || condition.query === "") return setText(byId("alert-preview"), "");
    const description = `Fires when: ${conditionText({ condition })}.`;
    setText(byId("alert-preview"), description);
    try {
      const value = await currentValue(condition, request.signal);
      if (this.#request === request && value !== null) setText(byId("alert-preview"), `${description} Now: ${value}.`);
    } catch {
      // Errors in the query are shown when the alert is saved; without a value, only the condition is shown.
    }
  }

  #draft() {
    const kind = field("kind").value;
    const condition = { kind };
    for (const name of fieldsByKind[kind]) {
      const text = field(name).value.trim();
      if (text === "" && name !== "query") continue;
      condition[name] = ["threshold", "at_least"].includes(name) ? Number(text) : name === "query" ? escapeForURL(text.replace(/^\?/, "")) : text;
    }
    const draft = { title: field("title").value.trim(), condition, webhook: field("webhook").value.trim() || null, paused: this.#alert?.paused ?? false };
    for (const name of durationFields) if (field(name).value.trim() !== "") draft[name] = field(name).value.trim();
    return draft;
  }

  async #save() {
    this.#showError(null);
    try {
      const alert = this.#alert === null
        ? await sendJSON("POST", "/v1/alerts", this.#draft())
        : await sendJSON("PUT", `/v1/alerts/${encodeURIComponent(this.#alert.id)}`, { ...this.#draft(), version: this.#alert.version });
      this.#onSave(alert);
      if (alert.secret === undefined) return byId("alert-dialog").close();
      this.#showSecret(alert);
    } catch (error) {
      if (error.needsKey) this.#requestKey({ needsWrite: true, retry: () => this.#save() });
      else this.#showError(error);
    }
  }

  /** Shows the alert's secret, which is available only once. */
  #showSecret({ id, secret }) {
    const input = h("input", { type: "text", readonly: true, class: "link-text", id: "alert-secret", value: secret });
    byId("alert-created").replaceChildren(h("p", {}, "Saved. Notifications are signed with this secret, which is shown only once:"), h("label", { for: "alert-secret", class: "visually-hidden" }, "The secret"), input,
      h("a", { href: `/?alerts=${encodeURIComponent(id)}`, class: "visually-hidden" }, "The alert"));
    byId("alert-save").hidden = true;
    input.focus();
    input.select();
  }

  #showError(error) {
    const form = byId("alert-form");
    for (const node of form.querySelectorAll("[aria-invalid]")) node.removeAttribute("aria-invalid");
    setText(byId("alert-error"), error === null ? "" : error.status === 409 ? "Another user has just changed this alert. Close this dialog and repeat your change." : error.status ? error.message : "The collector is not responding. Nothing was saved.");
    const name = error?.field?.replace(/^condition\./, "").split(".")[0];
    const node = name && /^[a-z_]+$/.test(name) ? field(name) : null;
    node?.setAttribute("aria-invalid", "true");
    node?.focus();
  }
}

/** Returns the unit of a threshold, for its label. */
function unitSuffix(kind, of) {
  const unit = unitOf({ kind, of });
  return unit === "" ? "" : `, in ${unit === "s" ? "seconds" : unit}`;
}

/** Returns the current value of a condition as text; null if the condition does not compare a single number. */
async function currentValue({ kind, query, of }, signal) {
  if (kind === "missing") return formatValue((await getJSON("/v1/ledger/summary", signal)).missing);
  if (kind === "funnels") {
    const steps = (await getJSON(`/v1/funnels?${query}`, signal)).series[0]?.steps ?? [];
    const first = steps[0]?.people ?? 0;
    return first > 0 ? `${formatValue(Math.round((1000 * steps.at(-1).people) / first) / 10)}%` : "no users at the first step";
  }
  if (kind !== "trends") return null;
  const [series] = (await getJSON(`/v1/trends?${query}${of === "change" ? "&compare=before" : ""}`, signal)).series;
  const { total, before } = series ?? {};
  if (of !== "change") return formatValue(total);
  if (!Number(before?.total)) return "no data to compare with";
  return `${formatValue(Math.round((1000 * (Number(total) - Number(before.total))) / Math.abs(Number(before.total))) / 10)}%`;
}

/**
 * Converts a query's parameters for an alert. An alert's time range ends now, and the alert compares a single number.
 */
function alertQuery(query) {
  if (query === "") return "name=purchase&last=1h";
  const unsupported = ["last", "from", "to", "interval", "by", "buckets", "values", "top", "compare", "people", "zone"];
  const pairs = query.split("&").filter((pair) => !unsupported.includes(pair.split("=")[0]));
  return [...pairs, "last=24h"].join("&");
}

/** Escapes characters that a URL cannot contain: spaces, “#”, and non-ASCII characters. */
const escapeForURL = (text) => text.replace(/[^\x21-\x7e]|#/gu, (letter) => (letter === "#" ? "%23" : encodeURIComponent(letter)));
