// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Requests to the collector, with a key if there is one.

import { parseKeepingDigits } from "./json.js";

const place = "trackway.key";

/** The key, stored until the tab is closed. */
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

/** An error response of the collector. */
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

/** The reason for a missing response: the collector's own message, or that it is not responding. */
export const whyNot = (error) => (error.wantsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding.");

/** Returns the text of a response. Throws a Refusal with the collector's message. */
export async function askText(path, signal, method = "GET", body) {
  const answer = await fetch(path, { method, headers: headers(), signal, body });
  if (answer.ok) return answer.text();
  let error = { message: `The collector returned status ${answer.status}.` };
  try {
    error = { ...error, ...(await answer.json()).error };
  } catch {
    // Not an error of the collector itself: only the status is known.
  }
  throw new Refusal(answer.status, error);
}

/** Returns the response as JSON. */
export const ask = async (path, signal) => parseKeepingDigits(await askText(path, signal));

/** Sends a POST request and returns the response. Throws like `askText`. */
export const post = async (path) => parseKeepingDigits(await askText(path, undefined, "POST"));

/** Sends a request with a JSON body and returns the response. Throws like `askText`. */
export const tell = async (method, path, value) => parseKeepingDigits(await askText(path, undefined, method, value === undefined ? undefined : JSON.stringify(value)));
