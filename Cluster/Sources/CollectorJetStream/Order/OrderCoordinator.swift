// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides when to add missing records to the order.
///
/// A value type.
///
/// Every follower may add them. The last writer continues immediately; the others back off to avoid conflicts.
package struct OrderCoordinator: Sendable {
    /// The delays before adding records.
    package struct Times: Sendable, Hashable {
        /// The time for which the last writer collects records.
        ///
        /// Each entry is kept as long as its records, so fewer are better.
        package var own: Duration = .milliseconds(100)
        /// The time for which the others wait for the last writer.
        package var others: Duration = .milliseconds(300)

        /// Creates the default times.
        package init() {}
    }

    private let times: Times
    /// Whether the last known entry was decided here.
    package private(set) var isOurs = false
    private var since: MonotonicTime?

    /// Creates the state of a standby process.
    ///
    /// - Parameter delay: An extra delay, so that not all processes start at once.
    package init(times: Times = Times(), delay: Duration = .zero) {
        var times = times
        times.others += delay
        self.times = times
    }

    /// Returns whether to decide the next entry now.
    ///
    /// - Parameter isLacking: Whether known records are missing from the order.
    package mutating func isDue(_ isLacking: Bool, at now: MonotonicTime) -> Bool {
        guard isLacking else {
            since = nil
            return false
        }
        let began = since ?? now
        since = began
        return began.duration(to: now) >= (isOurs ? times.own : times.others)
    }

    /// Handles the result of an entry proposed here.
    ///
    /// - Parameter isOurs: Whether it was accepted. If not, or if unknown, another process may be active.
    package mutating func decided(_ isOurs: Bool) {
        self.isOurs = isOurs
        since = nil
    }

    /// Handles an entry that another process has decided.
    package mutating func read() {
        isOurs = false
        since = nil
    }
}
