// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// One color per event name, the same in the plot, the legend and the stream, kept while the name is in use.

export const slots = 8;
const slotOf = new Map();

/** Returns the style class of a name: `c0`…`c7`, or `cx` for the rest. */
export const colour = (name) => (slotOf.has(name) ? `c${slotOf.get(name)}` : "cx");

/** Assigns free slots to the busiest names. A name keeps its slot while it is in `ranked` or no other name needs the slot. */
export function assignColours(ranked) {
  const wanted = ranked.slice(0, slots).filter((name) => !slotOf.has(name));
  if (wanted.length === 0) return;
  const present = new Set(ranked);
  for (const name of [...slotOf.keys()]) {
    if (slotOf.size + wanted.length > slots && !present.has(name)) slotOf.delete(name);
  }
  const taken = new Set(slotOf.values());
  for (const name of wanted) {
    const free = Array.from({ length: slots }, (_, slot) => slot).find((slot) => !taken.has(slot));
    if (free === undefined) return;
    slotOf.set(name, free);
    taken.add(free);
  }
}
