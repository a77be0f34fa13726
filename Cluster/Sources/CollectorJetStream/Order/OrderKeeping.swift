// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides when to put records into the order that are not in it yet. All who follow the streams may; whoever did so last goes on at
/// once, and the others wait whether it does, so that few meet. A value.
package struct OrderKeeping: Sendable {
    /// How long what may take.
    package struct Times: Sendable, Hashable {
        /// So long one that goes on lets records gather: entries are kept as long as records.
        package var own: Duration = .milliseconds(100)
        /// So long one that stands by lets the others go first.
        package var others: Duration = .milliseconds(300)

        /// The usual times.
        package init() {}
    }

    private let times: Times
    /// Whether the last entry that is known was decided here.
    package private(set) var isOurs = false
    private var since: MonotonicTime?

    /// One that stands by.
    ///
    /// - Parameter delay: How much longer than others it stands by, so that not all of them begin at once.
    package init(times: Times = Times(), delay: Duration = .zero) {
        var times = times
        times.others += delay
        self.times = times
    }

    /// Whether to decide the next entry now.
    ///
    /// - Parameter isLacking: Whether records are known that are not in the order.
    package mutating func isDue(_ isLacking: Bool, at now: MonotonicTime) -> Bool {
        guard isLacking else {
            since = nil
            return false
        }
        let began = since ?? now
        since = began
        return began.duration(to: now) >= (isOurs ? times.own : times.others)
    }

    /// An entry was proposed here.
    ///
    /// - Parameter isOurs: Whether it was decided so. If not, or when that is not known, somebody else may be at work.
    package mutating func decided(_ isOurs: Bool) {
        self.isOurs = isOurs
        since = nil
    }

    /// An entry was read that somebody else had decided.
    package mutating func read() {
        isOurs = false
        since = nil
    }
}
