// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The live connection: reports its state, resumes where it stopped, and retries with growing delays.
// Uses fetch instead of EventSource, which cannot send a key.

import { asQuery } from "./address.js";
import { headers } from "./ask.js";
import { parseKeepingDigits } from "./json.js";

const longestPause = 15_000;
/** The collector sends something at least every 15 s; after three times that without data, the connection is considered dead. */
const longestSilence = 45_000;

/** Follows /v1/live. `handlers`: event(object), skipped(count), state(name, text), refused(). */
export class Feed {
  #handlers;
  #request = null;
  #position = null;
  #parameters = [];
  #failures = 0;
  #timer = 0;
  #ticker = 0;
  #silence = 0;

  constructor(handlers) {
    this.#handlers = handlers;
    addEventListener("online", () => this.#again());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#again();
    });
  }

  /** Starts or restarts with these parameters, as pairs, after this position; null means from now on. */
  follow(parameters, position) {
    this.#parameters = parameters;
    this.#position = position;
    this.#failures = 0;
    this.#open();
  }

  /** Stops until `follow` is called again. */
  stop() {
    this.#close();
  }

  async #open() {
    this.#close();
    const request = new AbortController();
    this.#request = request;
    const parameters = asQuery([...this.#parameters, ...(this.#position ? [["after", this.#position]] : [])]);
    if (this.#failures === 0) this.#handlers.state("connecting", "Connecting");
    try {
      this.#listen(request);
      const answer = await fetch(`/v1/live?${parameters}`, { headers: headers("text/event-stream"), signal: request.signal, cache: "no-store" });
      if (answer.status === 401 || answer.status === 403) {
        this.#close();
        this.#handlers.state("lost", "Key required");
        this.#handlers.refused();
        return;
      }
      if (!answer.ok || !answer.headers.get("content-type")?.startsWith("text/event-stream")) throw new Error(`${answer.status}`);
      this.#failures = 0;
      this.#handlers.state("live", "Live");
      await this.#read(answer.body, request);
    } catch {
      // Closed, rejected or aborted: below, only whether this connection is still the current one matters.
    }
    if (this.#request !== request) return;
    this.#close();
    this.#failures += 1;
    this.#wait(Math.min(longestPause, 500 * 2 ** Math.min(this.#failures - 1, 6)));
  }

  async #read(body, request) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    let message = { type: "message", data: [], id: null };
    for (;;) {
      const { done, value } = await reader.read();
      if (done || this.#request !== request) return;
      this.#listen(request);
      text += value;
      const lines = text.split("\n");
      text = lines.pop();
      for (const ended of lines) {
        const line = ended.endsWith("\r") ? ended.slice(0, -1) : ended;
        if (line === "") {
          if (message.data.length > 0) this.#take(message);
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

  #take(message) {
    if (message.id) this.#position = message.id;
    let value;
    try {
      value = parseKeepingDigits(message.data.join("\n"));
    } catch {
      return; // Not from the collector: a proxy may insert data.
    }
    if (message.type === "skipped") this.#handlers.skipped(Number(value.count) || 0);
    else if (value && value.event) this.#handlers.event(value);
  }

  #listen(request) {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => request.abort(), longestSilence);
  }

  #wait(pause) {
    let left = Math.ceil(pause / 1000);
    const tell = () => this.#handlers.state("lost", left > 1 ? `Retrying in ${left} s` : "Reconnecting");
    tell();
    this.#ticker = setInterval(() => {
      left -= 1;
      if (left > 0) tell();
    }, 1000);
    this.#timer = setTimeout(() => this.#open(), pause);
  }

  #again() {
    if (this.#timer !== 0) this.#open();
  }

  #close() {
    clearTimeout(this.#timer);
    clearInterval(this.#ticker);
    clearTimeout(this.#silence);
    this.#timer = 0;
    const request = this.#request;
    this.#request = null;
    request?.abort();
  }
}
