// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The page for visitors with a link: one dashboard, read-only. The page uses no key and requests nothing but this
// dashboard.

import { APIError } from "./api.js";
import { BoardView, showUpdateTime, skeletons } from "./board-view.js";
import { byId, h, setText } from "./dom.js";
import { printable } from "./format.js";
import { parseKeepingDigits } from "./json.js";
import { browserZone } from "./time-zones.js";
import { InvalidURLError, parseQuery } from "./url.js";

const token = (() => {
  try {
    return parseQuery(location.search).find(([key]) => key === "link")?.[1] ?? "";
  } catch (error) {
    if (error instanceof InvalidURLError) return "";
    throw error;
  }
})();

/** Sends a request with the link's secret, which is not a key and grants access only to this dashboard. */
async function getShared(path, signal) {
  const response = await fetch(path, { headers: { accept: "application/json", authorization: `Bearer ${token.replace(/[^\w-]/g, "")}` }, signal, credentials: "omit" });
  const text = await response.text();
  const partialNotice = response.headers.get("trackway-partial");
  byId("notice").hidden = partialNotice === null;
  setText(byId("notice"), partialNotice ?? "");
  if (response.ok) return parseKeepingDigits(text);
  let error = { message: `The collector returned status ${response.status}.` };
  try {
    error = { ...error, ...JSON.parse(text).error };
  } catch {
    // The error is not from the collector itself, so only the status is known.
  }
  throw new APIError(response.status, error);
}

const boardView = new BoardView(byId("board-cards"), { isReadOnly: true, fetchCard: (card, change, signal) => getShared(`/v1/shared/cards/${encodeURIComponent(card.id)}`, signal) });

function showMessage(title, text, ...more) {
  byId("board-cards").replaceChildren(h("section", { class: "panel empty board-empty", role: "alert" }, h("p", { class: "empty-title" }, title), h("p", {}, text), more));
}

/** Shows the link's dashboard in place of the whole page. */
export async function showSharedBoard() {
  for (const id of ["skip", "main", "views", "nav-buttons", "totals", "header-end", "board-tools", "board-list-panel"]) {
    byId(id).hidden = true;
  }
  byId("boards").hidden = false;
  setText(byId("host"), location.host);
  setText(byId("zone"), browserZone());
  await loadBoard();
}

async function loadBoard() {
  setText(byId("board-title"), "Dashboard");
  setText(byId("board-note"), "loading…");
  byId("board-cards").replaceChildren(...skeletons(4));
  try {
    const board = await getShared("/v1/shared");
    setText(byId("board-title"), printable(board.title));
    document.title = `${printable(board.title)} – Trackway`;
    showUpdateTime(byId("board-note"));
    if (board.cards.length === 0) showMessage("Empty dashboard", "This dashboard has no cards yet.");
    else boardView.show(board.cards, "");
  } catch (error) {
    setText(byId("board-note"), "");
    if (error.status === 404) setText(byId("board-title"), "Not found");
    if (error.status === 404) showMessage("This link has expired or was revoked", "The collector does not know this link. Ask the person who shared it for a new one.");
    else showMessage("No response", error.status ? error.message : "The collector is not responding.", h("button", { type: "button", class: "button", onclick: loadBoard }, "Try again"));
  }
}
