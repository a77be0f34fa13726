// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

// Time from left to right, with long silences folded: a device tells much for some minutes and nothing for hours.

/** A silence longer than this is folded. */
const longestSilence = 20 * 60_000;
/** Single moments get a little room of their own: this, or a tenth of the longest stretch where all of them are shorter. */
const shortest = 60_000;
const widestFold = 16;
/** Folds together take at most this part of the width. */
const foldedPart = 0.25;

/** Where times (oldest first, at least one) lie between two places. */
export class TimeScale {
  /** The stretches drawn true to scale: {from, to, left, right} in time and place. */
  pieces;
  /** The silences between them: {from, to, left, right}. */
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
    // Seconds of use beside minutes of room would be a stroke at the edge of an empty drawing.
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

  /** The place of a time. What lies in a silence is at its beginning. */
  x(time) {
    const piece = this.pieces.findLast((candidate) => candidate.from <= time) ?? this.pieces[0];
    return Math.min(piece.right, piece.left + Math.max(0, time - piece.from) * piece.scale);
  }

  /** Places for words: the beginning of each stretch, and round times inside of long ones, each `room` wide. */
  ticks(room) {
    const found = [];
    for (const piece of this.pieces) {
      if (piece.left - (found.at(-1)?.x ?? -Infinity) >= room) found.push({ x: piece.left, time: piece.from, isFirst: true });
      const step = roundSteps.find((candidate) => candidate * piece.scale >= room * 1.6) ?? roundSteps.at(-1);
      // Round in local time, which is what people read.
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
