// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Requests to the collector, with the key if one is stored.

import { parseKeepingDigits } from "./json.js";

const storageKey = "trackway.key";

/** The API key, stored until the tab is closed. */
export const apiKey = {
  get: () => sessionStorage.getItem(storageKey) ?? "",
  set: (text) => (text === "" ? sessionStorage.removeItem(storageKey) : sessionStorage.setItem(storageKey, text)),
};

/** Returns the headers of a request that accepts `type`. */
export function requestHeaders(type = "application/json") {
  const headers = { accept: type };
  if (apiKey.get() !== "") headers.authorization = `Bearer ${apiKey.get()}`;
  return headers;
}

/** An error response from the collector. */
export class APIError extends Error {
  constructor(status, { message, code = null, field = null }) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }

  get needsKey() {
    return this.status === 401 || this.status === 403;
  }
}

/**
 * Returns the message for a failed request: the collector's own message, or that a key is required or the collector is
 * not responding.
 */
export const errorMessage = (error) => (error.needsKey ? "The collector requires a key with read access." : error.status ? error.message : "The collector is not responding.");

/** Sends a request and returns the response's text. Throws an APIError with the collector's message. */
export async function requestText(path, signal, method = "GET", body) {
  const response = await fetch(path, { method, headers: requestHeaders(), signal, body });
  if (response.ok) return response.text();
  let error = { message: `The collector returned status ${response.status}.` };
  try {
    error = { ...error, ...(await response.json()).error };
  } catch {
    // The error is not from the collector itself, so only the status is known.
  }
  throw new APIError(response.status, error);
}

/** Sends a GET request and returns the parsed JSON. Throws the same errors as `requestText`. */
export const getJSON = async (path, signal) => parseKeepingDigits(await requestText(path, signal));

/** Sends a POST request and returns the parsed JSON. Throws the same errors as `requestText`. */
export const post = async (path) => parseKeepingDigits(await requestText(path, undefined, "POST"));

/** Sends a request with a JSON body and returns the parsed JSON. Throws the same errors as `requestText`. */
export const sendJSON = async (method, path, value) => parseKeepingDigits(await requestText(path, undefined, method, value === undefined ? undefined : JSON.stringify(value)));
