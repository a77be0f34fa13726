// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Asking the collector, with a key where it wants one.

import { parseKeepingDigits } from "./json.js";

const place = "trackway.key";

/** The key for reading; kept for as long as the tab is open. */
export const key = {
  get: () => sessionStorage.getItem(place) ?? "",
  set: (text) => (text === "" ? sessionStorage.removeItem(place) : sessionStorage.setItem(place, text)),
};

/** The headers of a request that accepts `type`. */
export function headers(type = "application/json") {
  const found = { accept: type };
  if (key.get() !== "") found.authorization = `Bearer ${key.get()}`;
  return found;
}

/** What the collector could not or would not answer. */
export class Refusal extends Error {
  constructor(status, { message, code = null, field = null }) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }

  get wantsKey() {
    return this.status === 401 || this.status === 403;
  }
}

/** Why there is no answer, in one sentence: the collector's own, or that it gives none. */
export const whyNot = (error) => (error.wantsKey ? "The collector wants a key for reading." : error.status ? error.message : "The collector does not answer.");

/** The text of an answer. Throws a Refusal with the collector's own sentence. */
export async function askText(path, signal, method = "GET", body) {
  const answer = await fetch(path, { method, headers: headers(), signal, body });
  if (answer.ok) return answer.text();
  let error = { message: `The collector answers ${answer.status}.` };
  try {
    error = { ...error, ...(await answer.json()).error };
  } catch {
    // Not the collector's own error: the status has to do.
  }
  throw new Refusal(answer.status, error);
}

/** The answer as JSON. */
export const ask = async (path, signal) => parseKeepingDigits(await askText(path, signal));

/** Has the collector do something, and gives its answer. Throws as `askText` does. */
export const post = async (path) => parseKeepingDigits(await askText(path, undefined, "POST"));

/** The same with something to tell, as JSON. */
export const tell = async (method, path, value) => parseKeepingDigits(await askText(path, undefined, method, value === undefined ? undefined : JSON.stringify(value)));
