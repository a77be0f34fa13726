// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Assigns one color per event name. The color is the same in the chart, the legend and the live table, and is kept
// while the name is in use.

export const colorCount = 8;
const slotByName = new Map();

/** Returns the style class of a name: `c0`…`c7`, or `cx` for names without a color. */
export const eventColor = (name) => (slotByName.has(name) ? `c${slotByName.get(name)}` : "cx");

/**
 * Assigns free colors to the busiest names. A name keeps its color while it is in `ranked` or no other name needs the
 * color.
 */
export function assignEventColors(ranked) {
  const newNames = ranked.slice(0, colorCount).filter((name) => !slotByName.has(name));
  if (newNames.length === 0) return;
  const rankedNames = new Set(ranked);
  for (const name of [...slotByName.keys()]) {
    if (slotByName.size + newNames.length > colorCount && !rankedNames.has(name)) slotByName.delete(name);
  }
  const usedSlots = new Set(slotByName.values());
  for (const name of newNames) {
    const freeSlot = Array.from({ length: colorCount }, (_, slot) => slot).find((slot) => !usedSlots.has(slot));
    if (freeSlot === undefined) return;
    slotByName.set(name, freeSlot);
    usedSlots.add(freeSlot);
  }
}
