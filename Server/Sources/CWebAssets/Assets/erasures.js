// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Erasures with their state, their receipts, and the verification of receipts.

import { requestText } from "./api.js";
import { h, setText } from "./dom.js";
import { formatDateTime, formatNumber, pluralize } from "./format.js";
import { parseKeepingDigits } from "./json.js";
import { encodeQuery } from "./url.js";

/** The maximum size of a receipt's file in bytes, as in the collector. */
const maximumReceiptBytes = 16_384;

/** Checks a receipt's text at the collector. Returns its verdict, `{valid, verdict, message}`. */
async function verifyReceipt(text, id) {
  const query = id === "" ? "" : `?${encodeQuery([["id", id]])}`;
  return parseKeepingDigits(await requestText(`/v1/erasures/verify${query}`, undefined, "POST", text));
}

const failureText = (error) => (error.needsKey ? "A key with read access is required." : error.status ? error.message : "The collector is not responding.");

/** Shows the verdict about a receipt in `output`. */
async function showVerdict(text, id, output) {
  output.classList.remove("error", "good");
  setText(output, "Checking…");
  try {
    const { valid, message } = await verifyReceipt(text, id);
    output.classList.add(valid ? "good" : "error");
    setText(output, message);
  } catch (error) {
    output.classList.add("error");
    setText(output, failureText(error));
  }
}

/** Returns a form that verifies receipts: `text()` returns the receipt's text, or null if there is none. */
function verificationForm(text, id, ...fields) {
  const input = h("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", value: id });
  const output = h("p", { class: "receipt-verdict", role: "status" });
  return h("form", {
    class: "receipt-form",
    onsubmit: async (event) => {
      event.preventDefault();
      const receipt = await text();
      if (receipt === null) {
        output.classList.add("error");
        setText(output, "Choose a receipt file of at most 16 kB.");
      } else await showVerdict(receipt, input.value, output);
    },
  }, fields, h("label", {}, "User or installation ID (optional) ", input), h("button", { type: "submit", class: "button small" }, "Verify"), output);
}

/** Returns a receipt with a download and a form that verifies it; `id` is the ID to compare, or "". */
export function receiptView(receipt, id = "") {
  // The members in their order, with the digits of all numbers: the signature covers this text.
  const text = JSON.stringify(receipt);
  const facts = [
    ["Erasure", h("code", {}, receipt.erasure)],
    ["Completed", formatDateTime(receipt.completed)],
    ["Events removed", `${formatNumber(receipt.log.events)} from the log, ${formatNumber(receipt.index.events)} from the index`],
    ["Rejected events removed", formatNumber(receipt.log.rejected)],
    ["Installations", `${formatNumber(receipt.installations)} completely, ${formatNumber(receipt.shared_installations)} in part`],
    ["Records not inspected", formatNumber(receipt.log.uninspected)],
  ];
  return h("div", { class: "receipt" },
    h("dl", { class: "receipt-facts" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    h("pre", { class: "receipt-text", tabindex: "0", role: "group", "aria-label": "Receipt" }, text),
    h("a", { class: "button small", href: URL.createObjectURL(new Blob([text, "\n"], { type: "application/json" })), download: `receipt-${receipt.erasure}.json` }, "Download receipt"),
    verificationForm(async () => text, id));
}

/**
 * The list of erasures. `openErasures` are the IDs of the receipts that are shown, and `onToggle(id)` is called to show
 * or hide one.
 */
export function erasuresPanel({ pending, erasures, problem }, openErasures, onToggle) {
  const rows = [...pending.map((erasure) => ({ ...erasure, isPending: true })), ...erasures];
  return h("section", { class: "panel erasure-panel", "aria-label": "Erasures" },
    problem === undefined ? null : h("p", { class: "error erasures-problem", role: "alert" }, `Erasures are not making progress: ${problem}`),
    rows.length === 0 ? h("p", { class: "profile-empty" }, "No erasures yet. To erase a user, open the user’s page.") : erasureTable(rows, openErasures, onToggle),
    fileForm());
}

function erasureTable(rows, openErasures, onToggle) {
  const cells = (erasure) => h("tr", {},
    h("td", { class: "detail-table-date" }, formatDateTime(erasure.requested).slice(0, 16)),
    h("td", {}, erasure.subject === "user" ? "User" : "Installation"),
    h("td", { title: erasure.by === "operator" ? "An operator requested the erasure." : "The app requested the erasure." }, h("span", { dir: "auto" }, erasure.key)),
    h("td", { class: "number-cell" }, formatNumber(erasure.log.events)),
    h("td", {}, erasure.isPending ? h("span", { class: "erasure-pending" }, "In progress") : "Complete"),
    h("td", {}, erasure.isPending ? null : h("button", { type: "button", class: "button small", "data-key": `receipt:${erasure.erasure}`, "aria-expanded": String(openErasures.has(erasure.erasure)), onclick: () => onToggle(erasure.erasure) }, "Receipt")));
  const receipt = (erasure) => (openErasures.has(erasure.erasure) ? [h("tr", {}, h("td", { colspan: "6" }, receiptView(erasure)))] : []);
  return h("div", { class: "erasures-frame", tabindex: "0", role: "group", "aria-label": "Erasures" }, h("table", { class: "detail-table" },
    h("thead", {}, h("tr", {}, ["Requested", "Subject", "Key", "Events", "State"].map((title) => h("th", { scope: "col", class: title === "Events" ? "number-cell" : null }, title)), h("th", { scope: "col" }, h("span", { class: "visually-hidden" }, "Receipt")))),
    h("tbody", {}, rows.flatMap((erasure) => [cells(erasure), ...(erasure.isPending ? [] : receipt(erasure))]))),
  rows.length >= 200 ? h("p", { class: "panel-note" }, `The latest ${pluralize(rows.length, "erasure")}.`) : null);
}

function fileForm() {
  const file = h("input", { type: "file", accept: ".json,application/json" });
  const text = async () => (file.files.length === 0 || file.files[0].size > maximumReceiptBytes ? null : file.files[0].text());
  return h("details", { class: "erasures-file" }, h("summary", {}, "Verify a receipt file"), verificationForm(text, "", h("label", {}, "Receipt ", file)));
}
