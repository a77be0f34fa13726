// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Decides when to add missing records to the order.
///
/// A value type.
///
/// Every follower may add missing records. The last writer waits only to collect records; the others back off for
/// longer to avoid conflicts.
package struct OrderCoordinator: Sendable {
    /// The delays before adding records.
    package struct Times: Sendable, Hashable {
        /// The time for which the last writer collects records.
        ///
        /// Each entry is kept for as long as its records, so fewer entries are better.
        package var own: Duration = .milliseconds(100)
        /// The time for which the other processes wait for the last writer.
        package var others: Duration = .milliseconds(300)

        /// Creates the default times.
        package init() {}
    }

    private let times: Times
    /// Whether this process decided the last known entry.
    package private(set) var isOurs = false
    private var since: MonotonicTime?

    /// Creates a coordinator for a process that starts on standby.
    ///
    /// - Parameter delay: An extra delay, so that not all processes start at once.
    package init(times: Times = Times(), delay: Duration = .zero) {
        var times = times
        times.others += delay
        self.times = times
    }

    /// Returns whether it is time to decide the next entry.
    ///
    /// - Parameter hasMissingRecords: Whether known records are missing from the order.
    package mutating func isDue(_ hasMissingRecords: Bool, at now: MonotonicTime) -> Bool {
        guard hasMissingRecords else {
            since = nil
            return false
        }
        let start = since ?? now
        since = start
        return start.duration(to: now) >= (isOurs ? times.own : times.others)
    }

    /// Handles the result of an entry that this process proposed.
    ///
    /// - Parameter isOurs: Whether the entry was accepted; false if unknown. If false, another process may be active.
    package mutating func entryDecided(isOurs: Bool) {
        self.isOurs = isOurs
        since = nil
    }

    /// Handles an entry that another process has decided.
    package mutating func entryRead() {
        isOurs = false
        since = nil
    }
}
