// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Query parameters, as names and values.

/** The parameters that select a point and whether its people or its events are listed. */
export const pointKeys = ["point", "group", "period", "list"];
/** The parameters of the page's URL that are not part of the collector's query. */
export const pageKeys = [...pointKeys, "chart"];

/** A query's parameters, as in the URL. */
export class QueryParams {
  constructor(pairs) {
    this.pairs = pairs.filter(([, value]) => value !== "");
  }

  /** Returns the parameter's value. If the parameter is repeated, the last value is used, as in the collector. */
  get(key) {
    return this.pairs.findLast(([name]) => name === key)?.[1] ?? "";
  }

  getAll(key) {
    return this.pairs.filter(([name]) => name === key).map(([, value]) => value);
  }

  has(key) {
    return this.get(key) !== "";
  }
}
