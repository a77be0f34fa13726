// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Decides where a block ends.
///
/// A value type: the caller passes in the consecutive records and the current time.
package struct BlockCutter: Sendable {
    /// The maximum size and age of blocks.
    package struct Limits: Sendable, Hashable {
        /// The number of events at which a block ends.
        ///
        /// Records are never split.
        package var events = 20_000
        /// The number of bytes of inflated bodies at which a block ends.
        ///
        /// All of a block's inflated bodies are in memory at the same time.
        package var bytes = 32 << 20
        /// The number of records, of any size, at which a block ends.
        package var records = 20_000
        /// The time after a block's first record at which the block ends.
        package var wait: Duration = .seconds(1)

        /// Creates the default limits.
        package init() {}
    }

    /// The length of a week in milliseconds.
    ///
    /// Weeks are counted from the beginning of 1970, so they begin on Thursdays.
    package static let millisecondsPerWeek: Int64 = 604_800_000

    /// The sequence of the block's first record.
    package let first: UInt64
    /// The sequence that follows the block's last record.
    package private(set) var next: UInt64
    private let limits: Limits
    private var events = 0
    private var bytes = 0
    private var week: Int64?
    private var deadline: MonotonicTime?

    /// Creates a cutter for a block that begins with the record `first`.
    package init(from first: UInt64, limits: Limits = Limits()) {
        self.first = first
        next = first
        self.limits = limits
    }

    /// Whether the block has no records.
    package var isEmpty: Bool { next == first }

    /// Whether the block has reached a size limit.
    package var isFull: Bool {
        events >= limits.events || bytes >= limits.bytes || next - first >= UInt64(limits.records)
    }

    /// Whether the block's time limit has passed, regardless of its size.
    package func isDue(at now: MonotonicTime) -> Bool { deadline.map { now >= $0 } ?? false }

    /// Adds the next record.
    ///
    /// - Parameters:
    ///   - events: The number of events in the record.
    ///   - bytes: The inflated size of these events in bytes.
    ///   - received: The time of arrival; nil for a record without one.
    /// - Returns: Whether the record was added. If not, the block ends before it.
    package mutating func add(events: Int, bytes: Int, received: Timestamp?, at now: MonotonicTime) -> Bool {
        if let received {
            // The division rounds toward zero, as in ClickHouse.
            let week = received.milliseconds / Self.millisecondsPerWeek
            guard self.week == nil || self.week == week else { return false }
            self.week = week
        }
        if deadline == nil { deadline = now.advanced(by: limits.wait) }
        next += 1
        self.events += events
        self.bytes += bytes
        return true
    }
}
