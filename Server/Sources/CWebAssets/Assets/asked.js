// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Query parameters, as names and values.

/** A query's parameters, as in the URL. */
export class Asked {
  constructor(pairs) {
    this.pairs = pairs.filter(([, value]) => value !== "");
  }

  /** Returns the parameter's value; of several the last, as the collector reads it. */
  get(key) {
    return this.pairs.findLast(([name]) => name === key)?.[1] ?? "";
  }

  all(key) {
    return this.pairs.filter(([name]) => name === key).map(([, value]) => value);
  }

  has(key) {
    return this.get(key) !== "";
  }
}
