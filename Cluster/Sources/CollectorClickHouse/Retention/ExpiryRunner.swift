// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The table operations needed to expire old weeks.
package protocol ExpiryStore: ColumnStore {
    /// Returns the time by the server's clock, to the second.
    ///
    /// - Throws: ``ColumnFailure``.
    func clock() async throws(ColumnFailure) -> Timestamp

    /// Returns the weeks that have events.
    ///
    /// - Throws: ``ColumnFailure``.
    func weeks() async throws(ColumnFailure) -> [StoredWeek]

    /// Records the first week whose events are kept.
    ///
    /// If a later week was recorded before, that week remains in effect.
    ///
    /// - Throws: ``ColumnFailure``.
    func recordFirstWeek(_ week: Int64) async throws(ColumnFailure)
}

/// The result of expiring old weeks.
package struct ExpiryReport: Sendable, Hashable {
    /// The weeks that were or would be dropped.
    package var expired: [StoredWeek] = []
    /// Weeks in the future that have events.
    package var futureWeeks: [StoredWeek] = []
    /// The time of arrival from which events are kept afterward.
    ///
    /// Nil if all are kept.
    package var retainedSince: Timestamp?
    /// Whether this was a dry run, which drops nothing.
    package var isDryRun = false
    /// Why nothing is dropped; nil if nothing prevents dropping.
    package var fault: ExpiryPlanner.Fault?
    /// Why the expiry could not be finished; nil if it was finished.
    package var failure: String?

    /// Creates an empty report.
    package init() {}

    /// Whether all old weeks were dropped.
    package var isSuccess: Bool { fault == nil && failure == nil }
}

/// Drops old weeks of events, as directed by an ``ExpiryPlanner``.
package enum ExpiryRunner {
    /// The pause between recording the first week and dropping older weeks.
    ///
    /// After this pause, processes that had read the previous record have finished writing or counting.
    package static let writerTimeout = Duration.seconds(5)

    /// Drops the tables' old weeks, as directed by an ``ExpiryPlanner``.
    ///
    /// Concurrent runs are safe.
    ///
    /// - Parameters:
    ///   - now: The time by this machine's clock.
    ///   - age: The minimum time since arrival.
    ///   - isDryRun: Whether to only report, without dropping anything.
    ///   - sleep: Sleeps; returns early when the task is canceled.
    package static func run(
        _ store: some ExpiryStore,
        at now: Timestamp,
        age: Duration,
        isDryRun: Bool = false,
        sleep: @Sendable (Duration) async -> Void
    ) async -> ExpiryReport {
        var report = ExpiryReport()
        report.isDryRun = isDryRun
        var planner = ExpiryPlanner(at: now, age: age, isDryRun: isDryRun)
        do throws(ColumnFailure) {
            while planner.nextStep != .end, !Task.isCancelled {
                switch planner.nextStep {
                case .readStatus:
                    let firstWeek = try await store.firstWeek()
                    let weeks = try await store.weeks()
                    planner.statusRead(
                        ExpiryPlanner.Snapshot(now: try await store.clock(), weeks: weeks, firstWeek: firstWeek)
                    )
                case .record(let week):
                    try await store.recordFirstWeek(week)
                    planner.weekRecorded()
                case .waitForWriters:
                    await sleep(writerTimeout)
                    planner.waitFinished()
                case .drop(let week):
                    try await store.drop(week: week)
                    planner.weekDropped()
                case .end: break
                }
            }
            if planner.nextStep != .end { report.failure = "The operation was canceled." }
        } catch {
            report.failure = error.description
        }
        report.expired = planner.expired
        report.futureWeeks = planner.futureWeeks
        report.retainedSince = planner.firstWeek.map { ExpiryPlanner.start(ofWeek: $0) }
        report.fault = planner.fault
        return report
    }
}
