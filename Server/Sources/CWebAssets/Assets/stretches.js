// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Converts single snapshots to time ranges in which a value stayed the same.

/** The maximum time that a snapshot is valid without a successor: snapshots arrive at least every two minutes while an app is visible. */
export const longestWord = 5 * 60_000;

/** Returns until when this state (states are oldest first) is valid: until the next one, unless that is too late. */
export function heldUntil(states, index, longest = longestWord) {
  const next = states[index + 1];
  return next && next.at - states[index].at <= longest ? next.at : states[index].at;
}

/**
 * Joins consecutive states with the same value into ranges {from, to, value, first}. A null value is unknown and ends a range, as does a long
 * pause. `first` is the index of the range's first state.
 */
export function stretches(states, valueOf, longest = () => undefined) {
  const found = [];
  states.forEach((state, index) => {
    const value = valueOf(state);
    if (value === null || value === undefined || value === "") return;
    const to = heldUntil(states, index, longest(value));
    const last = found.at(-1);
    if (last && last.value === value && last.to === state.at && last.until === index) {
      last.to = to;
      last.until = index + 1;
    } else {
      found.push({ from: state.at, to, value, first: index, until: index + 1 });
    }
  });
  return found;
}
