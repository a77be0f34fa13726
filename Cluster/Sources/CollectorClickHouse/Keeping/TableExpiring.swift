// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The tables, as used for expiring old weeks.
package protocol ExpiringStore: ColumnStore {
    /// Returns the time of the server's clock, to the second.
    ///
    /// - Throws: ``ColumnFailure``.
    func clock() async throws(ColumnFailure) -> Timestamp

    /// Returns the weeks that have events.
    ///
    /// - Throws: ``ColumnFailure``.
    func weeks() async throws(ColumnFailure) -> [StoredWeek]

    /// Records the first week whose events are kept.
    ///
    /// If a later week was recorded before, that one remains valid.
    ///
    /// - Throws: ``ColumnFailure``.
    func keep(from week: Int64) async throws(ColumnFailure)
}

/// The result of expiring old weeks.
package struct ExpiryReport: Sendable, Hashable {
    /// The weeks that were or would be dropped.
    package var expired: [StoredWeek] = []
    /// Weeks in the future that have events.
    package var ahead: [StoredWeek] = []
    /// The time of arrival from which events are kept afterward; nil for all.
    package var keptFrom: Timestamp?
    /// Whether this was a trial, which drops nothing.
    package var isTrial = false
    /// Why nothing is dropped; nil if nothing prevents it.
    package var fault: ExpiryPlanner.Fault?
    /// Why the expiry could not be finished; nil if it was.
    package var trouble: String?

    /// Creates an empty report.
    package init() {}

    /// Whether all old weeks were dropped.
    package var isGood: Bool { fault == nil && trouble == nil }
}

extension ExpiryPlanner {
    /// The pause between recording the first week and dropping older ones.
    ///
    /// By then, processes that had read the previous record have finished writing or counting.
    package static let settling = Duration.seconds(5)

    /// Drops the tables' old weeks, as directed by an ``ExpiryPlanner``.
    ///
    /// Concurrent runs are safe.
    ///
    /// - Parameters:
    ///   - now: The time by this machine's clock.
    ///   - age: The minimum time since arrival.
    ///   - isTrial: Whether to drop nothing, and only report.
    ///   - sleep: Sleeps; returns early when the task is canceled.
    package static func carryOut(
        _ store: some ExpiringStore,
        at now: Timestamp,
        age: Duration,
        isTrial: Bool = false,
        sleep: @Sendable (Duration) async -> Void
    ) async -> ExpiryReport {
        var report = ExpiryReport()
        report.isTrial = isTrial
        var expiry = ExpiryPlanner(at: now, age: age, isTrial: isTrial)
        do throws(ColumnFailure) {
            while expiry.order != .end, !Task.isCancelled {
                switch expiry.order {
                case .look:
                    let kept = try await store.firstWeek()
                    let weeks = try await store.weeks()
                    expiry.looked(Look(now: try await store.clock(), weeks: weeks, kept: kept))
                case .record(let week):
                    try await store.keep(from: week)
                    expiry.recorded()
                case .settle:
                    await sleep(settling)
                    expiry.settled()
                case .drop(let week):
                    try await store.drop(week: week)
                    expiry.dropped()
                case .end: break
                }
            }
            if expiry.order != .end { report.trouble = "The operation was canceled." }
        } catch {
            report.trouble = error.description
        }
        report.expired = expiry.expired
        report.ahead = expiry.ahead
        report.keptFrom = expiry.kept.map { ExpiryPlanner.beginning(of: $0) }
        report.fault = expiry.fault
        return report
    }
}
