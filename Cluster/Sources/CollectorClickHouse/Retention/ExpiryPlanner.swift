// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Decides which weeks of events the tables drop by age.
///
/// A value type: the caller reads ``nextStep``, carries it out, and passes in the result.
///
/// A week is dropped as a whole once all of its events arrived longer ago than the given age. The first week to keep is
/// recorded before anything is dropped. From then on, readers omit earlier weeks, no process writes them again, and an
/// audit does not report them as missing. If the process is killed in between, some expired weeks still exist after the
/// recording, and the next run drops them. Two concurrent runs take the same steps.
///
/// Weeks are the partitions of ``ColumnTable/events``: numbers of weeks since 1970, which begin on Thursdays.
package struct ExpiryPlanner: Sendable {
    /// The next step.
    package enum Step: Sendable, Hashable {
        /// Read the current status.
        case readStatus
        /// Record the first week whose events are kept.
        case record(Int64)
        /// Wait until processes that started before the recording have finished.
        case waitForWriters
        /// Drop a week.
        case drop(Int64)
        /// End: nothing is left to do.
        case end
    }

    /// The status of the tables.
    package struct Snapshot: Sendable, Hashable {
        /// The time by the server's clock.
        package var now: Timestamp
        /// The weeks that have events.
        package var weeks: [StoredWeek]
        /// The recorded first week whose events are kept.
        ///
        /// Nil if no week has ever expired.
        package var firstWeek: Int64?

        /// Creates a snapshot.
        package init(now: Timestamp, weeks: [StoredWeek], firstWeek: Int64?) {
            self.now = now
            self.weeks = weeks
            self.firstWeek = firstWeek
        }
    }

    /// A reason for not dropping anything.
    package enum Fault: Sendable, Hashable {
        /// The server's clock and this machine's clock differ by this much.
        case clockDifference(Duration)
        /// The recorded first week is not over yet.
        case futureWeek(Int64)
    }

    /// The minimum age.
    ///
    /// The current week and the previous one are never dropped.
    package static let minAge = Duration.seconds(2 * 7 * 86_400)
    /// The maximum difference between the clocks; beyond it, ages are unknown.
    package static let tolerance = Duration.seconds(3_600)

    private enum State: Sendable, Hashable {
        case readingStatus
        case recording(Int64)
        case waitingForWriters
        case dropping
        case ended
    }

    private let now: Timestamp
    private let age: Duration
    private let isDryRun: Bool
    private var state = State.readingStatus
    private var remaining: [StoredWeek] = []
    /// Why nothing is dropped; nil if nothing prevents dropping.
    package private(set) var fault: Fault?
    /// The first week whose events are or would be kept, as recorded.
    ///
    /// Nil if all are kept.
    package private(set) var firstWeek: Int64?
    /// The weeks that were or would be dropped.
    package private(set) var expired: [StoredWeek] = []
    /// Weeks in the future that have events.
    ///
    /// They exist because a collector's clock was wrong.
    package private(set) var futureWeeks: [StoredWeek] = []

    /// Creates a planner in its initial state.
    ///
    /// - Parameters:
    ///   - now: The time by this machine's clock.
    ///   - age: The minimum time since arrival; at least ``minAge``.
    ///   - isDryRun: Whether to only report, without dropping anything.
    package init(at now: Timestamp, age: Duration, isDryRun: Bool = false) {
        self.now = now
        self.age = max(age, Self.minAge)
        self.isDryRun = isDryRun
    }

    /// The next step.
    package var nextStep: Step {
        switch state {
        case .readingStatus: .readStatus
        case .recording(let week): .record(week)
        case .waitingForWriters: .waitForWriters
        case .dropping: remaining.first.map { .drop($0.number) } ?? .end
        case .ended: .end
        }
    }

    // MARK: Results of steps

    /// Continues with the current status.
    package mutating func statusRead(_ snapshot: Snapshot) {
        guard case .readingStatus = state else { return }
        firstWeek = snapshot.firstWeek
        let weeks = snapshot.weeks.sorted { $0.number < $1.number }
        futureWeeks = weeks.filter { $0.number > Self.week(of: now) + 1 }
        let distance = now.duration(to: snapshot.now)
        let exceedsTolerance = distance > Self.tolerance || distance < .zero - Self.tolerance
        if exceedsTolerance { fault = .clockDifference(distance) }
        if let firstWeek, !Self.isPlausible(firstWeek, at: now) { fault = .futureWeek(firstWeek) }
        guard fault == nil else { return end() }
        // Use the earlier time, so that a week that is too recent by either clock is kept.
        let oldest = Self.week(of: min(now, snapshot.now).advanced(by: .zero - age))
        let first = max(oldest, snapshot.firstWeek ?? .min)
        remaining = weeks.filter { $0.number < first }
        if isDryRun {
            expired = remaining
            if first > snapshot.firstWeek ?? 0 { firstWeek = first }
            return end()
        }
        // Record the week even if there is nothing to drop: tables may be refilled from records that are just as
        // old.
        if first > snapshot.firstWeek ?? 0 {
            state = .recording(first)
        } else {
            proceed()
        }
    }

    /// Continues after the first week was recorded.
    package mutating func weekRecorded() {
        guard case .recording(let week) = state else { return }
        firstWeek = week
        state = remaining.isEmpty ? .ended : .waitingForWriters
    }

    /// Continues after earlier processes have finished.
    package mutating func waitFinished() {
        guard case .waitingForWriters = state else { return }
        proceed()
    }

    /// Continues after the week was dropped.
    package mutating func weekDropped() {
        guard case .dropping = state, let week = remaining.first else { return }
        expired.append(week)
        remaining.removeFirst()
        proceed()
    }

    private mutating func proceed() { state = remaining.isEmpty ? .ended : .dropping }

    private mutating func end() {
        remaining = []
        state = .ended
    }

    // MARK: Weeks

    /// Returns the number of the week that contains a time.
    package static func week(of time: Timestamp) -> Int64 { time.milliseconds / BlockCutter.millisecondsPerWeek }

    /// Returns the time at which a week begins.
    package static func start(ofWeek week: Int64) -> Timestamp {
        let (start, isOver) = week.multipliedReportingOverflow(by: BlockCutter.millisecondsPerWeek)
        return Timestamp(milliseconds: isOver ? .max : start)
    }

    /// Whether a recorded first week is plausible.
    ///
    /// The current week and the previous one are never dropped.
    package static func isPlausible(_ firstWeek: Int64, at now: Timestamp) -> Bool { firstWeek < week(of: now) }
}

/// A week with events in the tables.
package struct StoredWeek: Sendable, Hashable {
    /// The week's number, counted from 1970.
    package var number: Int64
    /// The number of the week's rows.
    ///
    /// Rows that were written twice count twice until they are merged.
    package var rows: UInt64
    /// The size of these rows on disk, in bytes.
    package var bytes: UInt64

    /// Creates a week.
    package init(number: Int64, rows: UInt64 = 0, bytes: UInt64 = 0) {
        self.number = number
        self.rows = rows
        self.bytes = bytes
    }
}
