// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Decides which weeks of events the tables drop by age.
///
/// A value type: the caller reads ``order``, carries it out, and passes in the result.
///
/// A week is dropped as a whole, once all of it arrived longer ago than the given age. The first week to keep is
/// recorded before anything is dropped: from then on, readers omit earlier weeks, no process writes them again, and an
/// audit does not report them as missing. After a kill in between, the record exists along with some expired weeks,
/// which the next run drops. Two concurrent runs do the same.
///
/// Weeks are the partitions of ``ColumnTable/events``: numbers of weeks since 1970, which begin on Thursdays.
package struct ExpiryPlanner: Sendable {
    /// The next step.
    package enum Order: Sendable, Hashable {
        /// Read the current status.
        case look
        /// Record the first week whose events are kept.
        case record(Int64)
        /// Wait until processes that began before that have finished.
        case settle
        /// Drop a week.
        case drop(Int64)
        /// End: nothing is left to do.
        case end
    }

    /// The status of the tables.
    package struct Look: Sendable, Hashable {
        /// The time of the server's clock.
        package var now: Timestamp
        /// The weeks that have events.
        package var weeks: [StoredWeek]
        /// The recorded first week whose events are kept; nil if none ever expired.
        package var kept: Int64?

        /// Creates a status.
        package init(now: Timestamp, weeks: [StoredWeek], kept: Int64?) {
            self.now = now
            self.weeks = weeks
            self.kept = kept
        }
    }

    /// Why nothing is dropped.
    package enum Fault: Sendable, Hashable {
        /// The server's clock and this machine's differ by this much.
        case clocks(Duration)
        /// The recorded first week has not passed yet.
        case early(Int64)
    }

    /// The minimum age.
    ///
    /// The current week and the previous one are never dropped.
    package static let shortest = Duration.seconds(2 * 7 * 86_400)
    /// The maximum difference of the clocks; beyond it, ages are unknown.
    package static let tolerance = Duration.seconds(3_600)

    private enum State: Sendable, Hashable {
        case looking
        case recording(Int64)
        case settling
        case dropping
        case ended
    }

    private let now: Timestamp
    private let age: Duration
    private let isTrial: Bool
    private var state = State.looking
    private var rest: [StoredWeek] = []
    /// Why nothing is dropped; nil if nothing prevents it.
    package private(set) var fault: Fault?
    /// The first week whose events are or would be kept, as recorded; nil for all.
    package private(set) var kept: Int64?
    /// The weeks that were or would be dropped.
    package private(set) var expired: [StoredWeek] = []
    /// Weeks in the future that have events, because a collector's clock was wrong.
    package private(set) var ahead: [StoredWeek] = []

    /// Creates a planner in its initial state.
    ///
    /// - Parameters:
    ///   - now: The time by this machine's clock.
    ///   - age: The minimum time since arrival; at least ``shortest``.
    ///   - isTrial: Whether to drop nothing, and only report.
    package init(at now: Timestamp, age: Duration, isTrial: Bool = false) {
        self.now = now
        self.age = max(age, Self.shortest)
        self.isTrial = isTrial
    }

    /// The next step.
    package var order: Order {
        switch state {
        case .looking: .look
        case .recording(let week): .record(week)
        case .settling: .settle
        case .dropping: rest.first.map { .drop($0.number) } ?? .end
        case .ended: .end
        }
    }

    // MARK: Results of steps

    /// Continues with the current status.
    package mutating func looked(_ look: Look) {
        guard case .looking = state else { return }
        kept = look.kept
        let weeks = look.weeks.sorted { $0.number < $1.number }
        ahead = weeks.filter { $0.number > Self.week(of: now) + 1 }
        let distance = now.duration(to: look.now)
        let isApart = distance > Self.tolerance || distance < .zero - Self.tolerance
        if isApart { fault = .clocks(distance) }
        if let kept, !Self.isPlausible(kept, at: now) { fault = .early(kept) }
        guard fault == nil else { return end() }
        // The earlier clock is used, so that a week that is too recent by either clock is kept.
        let wanted = Self.week(of: min(now, look.now).advanced(by: .zero - age))
        let first = max(wanted, look.kept ?? .min)
        rest = weeks.filter { $0.number < first }
        if isTrial {
            expired = rest
            if first > look.kept ?? 0 { kept = first }
            return end()
        }
        // Recorded even if there is nothing to drop: tables may be refilled from records that are as old.
        if first > look.kept ?? 0 {
            state = .recording(first)
        } else {
            goOn()
        }
    }

    /// Continues after the first week was recorded.
    package mutating func recorded() {
        guard case .recording(let week) = state else { return }
        kept = week
        state = rest.isEmpty ? .ended : .settling
    }

    /// Continues after earlier processes have finished.
    package mutating func settled() {
        guard case .settling = state else { return }
        goOn()
    }

    /// Continues after the week was dropped.
    package mutating func dropped() {
        guard case .dropping = state, let week = rest.first else { return }
        expired.append(week)
        rest.removeFirst()
        goOn()
    }

    private mutating func goOn() { state = rest.isEmpty ? .ended : .dropping }

    private mutating func end() {
        rest = []
        state = .ended
    }

    // MARK: Weeks

    /// Returns the week of a time.
    package static func week(of moment: Timestamp) -> Int64 { moment.milliseconds / BlockCutter.millisecondsOfWeek }

    /// Returns the time at which a week begins.
    package static func beginning(of week: Int64) -> Timestamp {
        let (start, isOver) = week.multipliedReportingOverflow(by: BlockCutter.millisecondsOfWeek)
        return Timestamp(milliseconds: isOver ? .max : start)
    }

    /// Whether a recorded first week is plausible.
    ///
    /// The current week and the previous one are never dropped.
    package static func isPlausible(_ kept: Int64, at now: Timestamp) -> Bool { kept < week(of: now) }
}

/// A week with events in the tables.
package struct StoredWeek: Sendable, Hashable {
    /// Its number, counted from 1970.
    package var number: Int64
    /// The number of its rows.
    ///
    /// Rows that were written twice count twice until they are merged.
    package var rows: UInt64
    /// Their size on disk, in bytes.
    package var bytes: UInt64

    /// Creates a week.
    package init(number: Int64, rows: UInt64 = 0, bytes: UInt64 = 0) {
        self.number = number
        self.rows = rows
        self.bytes = bytes
    }
}
