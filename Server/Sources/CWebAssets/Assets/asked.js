// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// What is asked, as names and values.

/** A question's parameters as the address has them. */
export class Asked {
  constructor(pairs) {
    this.pairs = pairs.filter(([, value]) => value !== "");
  }

  /** The parameter's value; of several the last, as the collector has it. */
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
