// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The events of one queue that wait in one writer's log: how many, and between which numbers.
///
/// Kept by segment, so that it stays small whatever waits, and so that trimming, which gives up whole segments, can be
/// followed without reading again.
struct WaitingTally: Sendable, Hashable {
    private struct Part: Sendable, Hashable {
        let segment: UInt32
        let first: UInt64
        var last: UInt64
        var count: UInt64
    }

    /// The first sequence number that may wait; whatever lies before is settled or released.
    private(set) var first: UInt64
    /// How many events wait.
    private(set) var count: UInt64 = 0
    private var parts: [Part] = []

    init(from first: UInt64) {
        self.first = first
    }

    /// The number of the last event that waits; nil when none does.
    var last: UInt64? { parts.last?.last }

    /// Takes an event in, in the order of the log.
    mutating func add(_ sequence: UInt64, segment: UInt32) {
        guard sequence >= first else { return }
        count += 1
        if let index = parts.indices.last, parts[index].segment == segment {
            parts[index].last = sequence
            parts[index].count += 1
        } else {
            parts.append(Part(segment: segment, first: sequence, last: sequence, count: 1))
        }
    }

    /// Leaves out what lies before a number.
    ///
    /// - Returns: false when that number lies amid a segment's events: then they have to be counted again.
    mutating func advance(to first: UInt64) -> Bool {
        guard first >= self.first else { return false }
        self.first = first
        while let oldest = parts.first, oldest.last < first {
            count -= oldest.count
            parts.removeFirst()
        }
        return parts.first.map { $0.first >= first } ?? true
    }
}
