// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides where a block ends. A value: it is told which records follow one another, and what time it is.
package struct BlockCutter: Sendable {
    /// How large blocks become, and how long they wait.
    package struct Limits: Sendable, Hashable {
        /// After so many events a block ends; a record is never divided.
        package var events = 20_000
        /// After so many bytes of inflated bodies a block ends: what is in memory at once.
        package var bytes = 32 << 20
        /// After so many records a block ends, however little is in them.
        package var records = 20_000
        /// So long after its first record a block ends.
        package var wait: Duration = .seconds(1)

        /// The usual limits.
        package init() {}
    }

    /// The length of a week. Weeks are counted from the beginning of 1970, so they begin on Thursdays.
    package static let millisecondsOfWeek: Int64 = 604_800_000

    /// The sequence of the first record.
    package let first: UInt64
    /// The sequence behind the last record that was taken.
    package private(set) var next: UInt64
    private let limits: Limits
    private var events = 0
    private var bytes = 0
    private var week: Int64?
    private var deadline: MonotonicTime?

    /// A block that begins with a record.
    package init(from first: UInt64, limits: Limits = Limits()) {
        self.first = first
        next = first
        self.limits = limits
    }

    /// Whether there is no record in it.
    package var isEmpty: Bool { next == first }

    /// Whether nothing more fits into it.
    package var isFull: Bool {
        events >= limits.events || bytes >= limits.bytes || next - first >= UInt64(limits.records)
    }

    /// Whether it ends now, even though more would fit into it.
    package func isDue(at now: MonotonicTime) -> Bool { deadline.map { now >= $0 } ?? false }

    /// The next record.
    ///
    /// - Parameters:
    ///   - events: How many events it has.
    ///   - bytes: How many bytes they have, inflated.
    ///   - received: When they arrived; nil for a record that has none.
    /// - Returns: Whether it belongs to the block. If not, the block ends before it.
    package mutating func take(events: Int, bytes: Int, received: Timestamp?, at now: MonotonicTime) -> Bool {
        if let received {
            // As ClickHouse divides: towards zero.
            let week = received.milliseconds / Self.millisecondsOfWeek
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
