// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The live connection: reports its state, resumes where it stopped, and retries with growing delays.
// Uses fetch instead of EventSource, which cannot send a key.

import { requestHeaders } from "./api.js";
import { parseKeepingDigits } from "./json.js";
import { encodeQuery } from "./url.js";

const maximumDelay = 15_000;
/**
 * The time without data after which the connection is considered dead: three times the longest time between two
 * messages from the collector (15 s).
 */
const silenceTimeout = 45_000;

/** Follows /v1/live. `handlers`: event(object), skipped(count), state(name, text), unauthorized(). */
export class Feed {
  #handlers;
  #request = null;
  #position = null;
  #parameters = [];
  #failures = 0;
  #timer = 0;
  #ticker = 0;
  #silenceTimer = 0;

  constructor(handlers) {
    this.#handlers = handlers;
    addEventListener("online", () => this.#retryNow());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#retryNow();
    });
  }

  /**
   * Starts or restarts the connection with these parameters (as pairs), after this position; null means only new
   * events.
   */
  follow(parameters, position) {
    this.#parameters = parameters;
    this.#position = position;
    this.#failures = 0;
    this.#connect();
  }

  /** Stops until `follow` is called again. */
  stop() {
    this.#close();
  }

  async #connect() {
    this.#close();
    const request = new AbortController();
    this.#request = request;
    const parameters = encodeQuery([...this.#parameters, ...(this.#position ? [["after", this.#position]] : [])]);
    if (this.#failures === 0) this.#handlers.state("connecting", "Connecting");
    try {
      this.#restartSilenceTimer(request);
      const response = await fetch(`/v1/live?${parameters}`, { headers: requestHeaders("text/event-stream"), signal: request.signal, cache: "no-store" });
      if (response.status === 401 || response.status === 403) {
        this.#close();
        this.#handlers.state("lost", "Key required");
        this.#handlers.unauthorized();
        return;
      }
      if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) throw new Error(`${response.status}`);
      this.#failures = 0;
      this.#handlers.state("live", "Live");
      await this.#read(response.body, request);
    } catch {
      // The connection was closed, rejected or aborted. The code below only checks whether it is still the current
      // connection.
    }
    if (this.#request !== request) return;
    this.#close();
    this.#failures += 1;
    this.#scheduleRetry(Math.min(maximumDelay, 500 * 2 ** Math.min(this.#failures - 1, 6)));
  }

  async #read(body, request) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let message = { type: "message", data: [], id: null };
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#request !== request) return;
      this.#restartSilenceTimer(request);
      text += value;
      const lines = text.split("\n");
      text = lines.pop();
      for (const rawLine of lines) {
        const line = rawLine.endsWith("\r") ? rawLine.slice(0, -1) : rawLine;
        if (line === "") {
          if (message.data.length > 0) this.#handleMessage(message);
          message = { type: "message", data: [], id: null };
          continue;
        }
        const colon = line.indexOf(":");
        const field = colon < 0 ? line : line.slice(0, colon);
        const content = colon < 0 ? "" : line.slice(line[colon + 1] === " " ? colon + 2 : colon + 1);
        if (field === "data") message.data.push(content);
        else if (field === "event") message.type = content;
        else if (field === "id") message.id = content;
      }
    }
  }

  #handleMessage(message) {
    if (message.id) this.#position = message.id;
    let value;
    try {
      value = parseKeepingDigits(message.data.join("\n"));
    } catch {
      return; // The data is not from the collector; a proxy may have inserted it.
    }
    if (message.type === "skipped") this.#handlers.skipped(Number(value.count) || 0);
    else if (value && value.event) this.#handlers.event(value);
  }

  #restartSilenceTimer(request) {
    clearTimeout(this.#silenceTimer);
    this.#silenceTimer = setTimeout(() => request.abort(), silenceTimeout);
  }

  #scheduleRetry(delay) {
    let seconds = Math.ceil(delay / 1000);
    const showCountdown = () => this.#handlers.state("lost", seconds > 1 ? `Retrying in ${seconds} s` : "Reconnecting");
    showCountdown();
    this.#ticker = setInterval(() => {
      seconds -= 1;
      if (seconds > 0) showCountdown();
    }, 1000);
    this.#timer = setTimeout(() => this.#connect(), delay);
  }

  #retryNow() {
    if (this.#timer !== 0) this.#connect();
  }

  #close() {
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
    clearTimeout(this.#silenceTimer);
    this.#timer = 0;
    const request = this.#request;
    this.#request = null;
    request?.abort();
  }
}
