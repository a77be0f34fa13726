// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// From single snapshots to stretches of time in which something stayed as it was.

/** How long a snapshot's word holds when no other follows: they come at least every two minutes while an app is seen. */
export const longestWord = 5 * 60_000;

/** Until when the word of this state (states are oldest first) holds: the next one, unless that is too far away. */
export function heldUntil(states, index, longest = longestWord) {
  const next = states[index + 1];
  return next && next.at - states[index].at <= longest ? next.at : states[index].at;
}

/**
 * Joins neighbours of the same value into stretches {from, to, value, first}. What is null is not known and makes a hole, and
 * so does a long silence. `first` is the index of the state that began it.
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
