// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// The live connection: says how it stands, resumes where it stopped, and tries again with growing pauses.

const longestPause = 15_000;

/** Follows /v1/live. `handlers`: event(object), skipped(count), state(name, detail). */
export class Feed {
  #handlers;
  #source = null;
  #position = null;
  #parameters = new URLSearchParams();
  #failures = 0;
  #timer = 0;
  #ticker = 0;

  constructor(handlers) {
    this.#handlers = handlers;
    addEventListener("online", () => this.#again());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible" && this.#source === null) this.#again();
    });
  }

  /** Begins (again) with these parameters after this position; null means from now on. */
  follow(parameters, position) {
    this.#parameters = parameters;
    this.#position = position;
    this.#failures = 0;
    this.#open();
  }

  #open() {
    this.#close();
    const parameters = new URLSearchParams(this.#parameters);
    if (this.#position) parameters.set("after", this.#position);
    if (this.#failures === 0) this.#handlers.state("connecting", "Connecting");
    const source = new EventSource(`/v1/live?${parameters}`);
    this.#source = source;
    source.addEventListener("open", () => {
      this.#failures = 0;
      this.#handlers.state("live", "Live");
    });
    const take = (message) => {
      if (message.lastEventId) this.#position = message.lastEventId;
      let value;
      try {
        value = JSON.parse(message.data);
      } catch {
        return; // Not ours: a proxy in between may write what it likes.
      }
      if (message.type === "skipped") this.#handlers.skipped(Number(value.count) || 0);
      else if (value && value.event) this.#handlers.event(value);
    };
    source.addEventListener("message", take);
    source.addEventListener("event", take);
    source.addEventListener("skipped", take);
    source.addEventListener("error", () => {
      // The browser would retry by itself, but not after an error status, and never with a pause that grows.
      this.#close();
      this.#failures += 1;
      this.#wait(Math.min(longestPause, 500 * 2 ** Math.min(this.#failures, 6)));
    });
  }

  #wait(pause) {
    let left = Math.ceil(pause / 1000);
    const tell = () => this.#handlers.state("lost", left > 1 ? `Lost, again in ${left} s` : "Reconnecting");
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
    this.#timer = 0;
    this.#source?.close();
    this.#source = null;
  }
}
