// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Counts of the intake since the collector started.
package struct IntakeStatistics: Sendable, Hashable {
    /// Upper bounds of the flush histogram's buckets; the last bucket is beyond.
    package static let flushBounds: [Duration] = [
        .microseconds(100), .microseconds(250), .microseconds(500), .milliseconds(1), .microseconds(2_500),
        .milliseconds(5), .milliseconds(10), .milliseconds(25), .milliseconds(100), .seconds(1),
    ]

    /// Records on stable storage.
    package var records: UInt64 = 0
    /// Their bytes.
    package var bytes: UInt64 = 0
    /// Flushes; records divided by flushes is the size of a group.
    package var flushes: UInt64 = 0
    /// Flushes by how long they took, one count per bound and one beyond.
    package var flushCounts = [UInt64](repeating: 0, count: flushBounds.count + 1)
    /// The time all flushes took together.
    package var flushTime: Duration = .zero
    /// Records refused by the disk.
    package var refused: UInt64 = 0
    /// Batches waiting at this moment.
    package var waiting = 0

    mutating func flushed(records: Int, bytes: Int, in duration: Duration) {
        self.records += UInt64(records)
        self.bytes += UInt64(bytes)
        flushes += 1
        flushTime += duration
        flushCounts[Self.flushBounds.firstIndex { duration <= $0 } ?? Self.flushBounds.count] += 1
    }
}
