// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The page for visitors with a link: one dashboard, read-only. It uses no key, and requests nothing but this dashboard.

import { readPairs, WrongAddress } from "./address.js";
import { Refusal } from "./ask.js";
import { BoardView, skeletons, tellAsked } from "./boardview.js";
import { byId, h, setText } from "./dom.js";
import { printable } from "./stream.js";
import { parseKeepingDigits } from "./json.js";
import { ownZone } from "./zones.js";

const token = (() => {
  try {
    return readPairs(location.search).find(([key]) => key === "link")?.[1] ?? "";
  } catch (error) {
    if (error instanceof WrongAddress) return "";
    throw error;
  }
})();

/** Sends a request with the link's secret, which is not a key and opens nothing else. */
async function askShared(path, signal) {
  const answer = await fetch(path, { headers: { accept: "application/json", authorization: `Bearer ${token.replace(/[^\w-]/g, "")}` }, signal, credentials: "omit" });
  const text = await answer.text();
  const partial = answer.headers.get("trackway-partial");
  byId("notice").hidden = partial === null;
  setText(byId("notice"), partial ?? "");
  if (answer.ok) return parseKeepingDigits(text);
  let error = { message: `The collector returned status ${answer.status}.` };
  try {
    error = { ...error, ...JSON.parse(text).error };
  } catch {
    // Not an error of the collector itself: only the status is known.
  }
  throw new Refusal(answer.status, error);
}

const view = new BoardView(byId("board-cards"), { isStill: true, answer: (card, change, signal) => askShared(`/v1/shared/cards/${encodeURIComponent(card.id)}`, signal) });

function say(title, text, ...more) {
  byId("board-cards").replaceChildren(h("section", { class: "panel empty board-empty", role: "alert" }, h("p", { class: "empty-title" }, title), h("p", {}, text), more));
}

/** Shows the link's dashboard in place of the whole page. */
export async function showShared() {
  for (const id of ["skip", "main", "views", "mode-buttons", "totals", "top-end", "board-tools", "board-list-panel"]) {
    byId(id).hidden = true;
  }
  byId("boards").hidden = false;
  setText(byId("host"), location.host);
  setText(byId("zone"), ownZone());
  await load();
}

async function load() {
  setText(byId("board-title"), "Dashboard");
  setText(byId("board-note"), "loading…");
  byId("board-cards").replaceChildren(...skeletons(4));
  try {
    const board = await askShared("/v1/shared");
    setText(byId("board-title"), printable(board.title));
    document.title = `${printable(board.title)} – Trackway`;
    tellAsked(byId("board-note"));
    if (board.cards.length === 0) say("Empty dashboard", "This dashboard has no cards yet.");
    else view.show(board.cards, "");
  } catch (error) {
    setText(byId("board-note"), "");
    if (error.status === 404) setText(byId("board-title"), "Not found");
    if (error.status === 404) say("This link has expired or was revoked", "The collector does not know this link. Ask the person who shared it for a new one.");
    else say("No response", error.status ? error.message : "The collector is not responding.", h("button", { type: "button", class: "button", onclick: load }, "Try again"));
  }
}
