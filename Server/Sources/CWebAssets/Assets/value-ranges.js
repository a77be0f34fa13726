// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Converts individual snapshots to time ranges in which a value was unchanged.

/**
 * The maximum time that a snapshot is valid without a successor, in milliseconds; snapshots arrive at least every two
 * minutes while an app is visible.
 */
export const maximumGap = 5 * 60_000;

/**
 * Returns the time until which a state is valid: the time of the next state, or the state's own time if the next state
 * is missing or too late. States are oldest first.
 */
export function validUntil(states, index, gapLimit = maximumGap) {
  const next = states[index + 1];
  return next && next.at - states[index].at <= gapLimit ? next.at : states[index].at;
}

/**
 * Combines consecutive states with the same value into ranges {from, to, value, first}. A null value is unknown and
 * ends a range, as does a long pause. `first` is the index of the range's first state.
 */
export function valueRanges(states, valueOf, gapLimit = () => undefined) {
  const ranges = [];
  states.forEach((state, index) => {
    const value = valueOf(state);
    if (value === null || value === undefined || value === "") return;
    const to = validUntil(states, index, gapLimit(value));
    const last = ranges.at(-1);
    if (last && last.value === value && last.to === state.at && last.until === index) {
      last.to = to;
      last.until = index + 1;
    } else {
      ranges.push({ from: state.at, to, value, first: index, until: index + 1 });
    }
  });
  return ranges;
}
