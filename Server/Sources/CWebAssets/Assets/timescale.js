// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A time scale that folds long gaps, because a device sends many snapshots within minutes and none for hours.

/** The minimum length of a gap that is folded. */
const longestSilence = 20 * 60_000;
/** The minimum length of a range: this, or a tenth of the longest range if all are shorter. */
const shortest = 60_000;
const widestFold = 16;
/** The maximum part of the width that all folds take. */
const foldedPart = 0.25;

/** Maps times (oldest first, at least one) to x positions. */
export class TimeScale {
  /** The ranges drawn to scale: {from, to, left, right} in time and x. */
  pieces;
  /** The gaps between them: {from, to, left, right}. */
  folds;

  constructor(times, left, right) {
    const spans = [];
    for (const time of times) {
      const last = spans.at(-1);
      if (last && time - last.to <= longestSilence) last.to = time;
      else spans.push({ from: time, to: time });
    }
    const width = right - left;
    const fold = spans.length > 1 ? Math.min(widestFold, (width * foldedPart) / (spans.length - 1)) : 0;
    // Otherwise, seconds of use would be a thin line at the edge of an empty plot of minutes.
    const longest = Math.max(...spans.map((span) => span.to - span.from));
    const least = longest === 0 ? shortest : Math.min(shortest, Math.max(longest / 10, 1));
    const lengths = spans.map((span) => Math.max(least, span.to - span.from));
    const scale = (width - fold * (spans.length - 1)) / lengths.reduce((sum, length) => sum + length, 0);
    let x = left;
    this.pieces = spans.map((span, index) => {
      const piece = { ...span, left: x, right: x + lengths[index] * scale, scale };
      x = piece.right + fold;
      return piece;
    });
    this.folds = this.pieces.slice(1).map((piece, index) => {
      const before = this.pieces[index];
      return { from: before.to, to: piece.from, left: before.right, right: piece.left };
    });
  }

  /** Returns the x position of a time. A time within a gap is at the gap's beginning. */
  x(time) {
    const piece = this.pieces.findLast((candidate) => candidate.from <= time) ?? this.pieces[0];
    return Math.min(piece.right, piece.left + Math.max(0, time - piece.from) * piece.scale);
  }

  /** Positions for labels: the beginning of each range, and round times within long ones, each at least `room` apart. */
  ticks(room) {
    const found = [];
    for (const piece of this.pieces) {
      if (piece.left - (found.at(-1)?.x ?? -Infinity) >= room) found.push({ x: piece.left, time: piece.from, isFirst: true });
      const step = roundSteps.find((candidate) => candidate * piece.scale >= room * 1.6) ?? roundSteps.at(-1);
      // Round in local time, which is shown.
      const shift = new Date(piece.from).getTimezoneOffset() * 60_000;
      for (let time = Math.ceil((piece.from - shift) / step) * step + shift; time < piece.to; time += step) {
        const x = this.x(time);
        if (x - (found.at(-1)?.x ?? -Infinity) >= room && piece.right - x >= room / 2) found.push({ x, time, isFirst: false });
      }
    }
    return found;
  }
}

const oneMinute = 60_000;
const roundSteps = [...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000), ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map((minutes) => minutes * oneMinute)];
