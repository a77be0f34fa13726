// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// A time scale that folds long gaps, because a device may send many snapshots within minutes and then none for hours.

/** The minimum length of a folded gap, in milliseconds. */
const gapThreshold = 20 * 60_000;
/** The minimum length of a range, in milliseconds; or a tenth of the longest range, if that is shorter. */
const minimumLength = 60_000;
const maximumFoldWidth = 16;
/** The maximum share of the width that all folds take together. */
const maximumFoldShare = 0.25;

/** Maps times (oldest first, at least one) to x positions. */
export class TimeScale {
  /** The ranges drawn to scale: {from, to, left, right}, with times and x positions. */
  pieces;
  /** The gaps between the ranges: {from, to, left, right}. */
  folds;

  constructor(times, left, right) {
    const spans = [];
    for (const time of times) {
      const last = spans.at(-1);
      if (last && time - last.to <= gapThreshold) last.to = time;
      else spans.push({ from: time, to: time });
    }
    const width = right - left;
    const fold = spans.length > 1 ? Math.min(maximumFoldWidth, (width * maximumFoldShare) / (spans.length - 1)) : 0;
    // Without a shorter minimum, seconds of use would be a thin line at the edge of an empty plot of minutes.
    const longest = Math.max(...spans.map((span) => span.to - span.from));
    const minimum = longest === 0 ? minimumLength : Math.min(minimumLength, Math.max(longest / 10, 1));
    const lengths = spans.map((span) => Math.max(minimum, span.to - span.from));
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

  /**
   * Returns positions for labels: the beginning of each range, and round times within long ranges, at least
   * `minimumDistance` apart.
   */
  ticks(minimumDistance) {
    const labels = [];
    for (const piece of this.pieces) {
      if (piece.left - (labels.at(-1)?.x ?? -Infinity) >= minimumDistance) labels.push({ x: piece.left, time: piece.from, isFirst: true });
      const step = roundSteps.find((candidate) => candidate * piece.scale >= minimumDistance * 1.6) ?? roundSteps.at(-1);
      // Use times that are round in local time, in which they are displayed.
      const offset = new Date(piece.from).getTimezoneOffset() * 60_000;
      for (let time = Math.ceil((piece.from - offset) / step) * step + offset; time < piece.to; time += step) {
        const x = this.x(time);
        if (x - (labels.at(-1)?.x ?? -Infinity) >= minimumDistance && piece.right - x >= minimumDistance / 2) labels.push({ x, time, isFirst: false });
      }
    }
    return labels;
  }
}

const oneMinute = 60_000;
const roundSteps = [...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1000), ...[1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2880, 10_080].map((minutes) => minutes * oneMinute)];
