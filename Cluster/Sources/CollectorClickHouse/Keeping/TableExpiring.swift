// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What letting go of old weeks asks of tables.
package protocol ExpiringStore: ColumnStore {
    /// The time by the server's clock, to the second.
    ///
    /// - Throws: ``ColumnFailure``.
    func clock() async throws(ColumnFailure) -> Timestamp

    /// The weeks that have events.
    ///
    /// - Throws: ``ColumnFailure``.
    func weeks() async throws(ColumnFailure) -> [StoredWeek]

    /// Records that events are kept from a week on. What was recorded before with a later week goes on to count.
    ///
    /// - Throws: ``ColumnFailure``.
    func keep(from week: Int64) async throws(ColumnFailure)
}

/// What letting go of old weeks came to.
package struct ExpiryReport: Sendable, Hashable {
    /// The weeks that went, or would go.
    package var expired: [StoredWeek] = []
    /// Weeks with events that are yet to come.
    package var ahead: [StoredWeek] = []
    /// The moment from which on events are kept by when they arrived, afterwards; nil for all.
    package var keptFrom: Timestamp?
    /// Whether nothing was to go.
    package var isTrial = false
    /// Why nothing goes; nil when nothing speaks against it.
    package var fault: TableExpiry.Fault?
    /// Why it could not be finished; nil when it was.
    package var trouble: String?

    /// Nothing yet.
    package init() {}

    /// Whether all that is old went.
    package var isGood: Bool { fault == nil && trouble == nil }
}

extension TableExpiry {
    /// So long after the record a week is dropped: whoever had asked before whether it is kept has written or counted by then.
    package static let settling = Duration.seconds(5)

    /// Lets go of the weeks of some tables that are old enough: does what a ``TableExpiry`` orders. Several at once do no harm.
    ///
    /// - Parameters:
    ///   - now: The time by this machine's clock.
    ///   - age: How long ago what goes arrived at least.
    ///   - isTrial: Whether to drop nothing, and only tell.
    ///   - sleep: Waits; ends early when it is cancelled.
    package static func carryOut(
        _ store: some ExpiringStore,
        at now: Timestamp,
        age: Duration,
        isTrial: Bool = false,
        sleep: @Sendable (Duration) async -> Void
    ) async -> ExpiryReport {
        var report = ExpiryReport()
        report.isTrial = isTrial
        var expiry = TableExpiry(at: now, age: age, isTrial: isTrial)
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
            if expiry.order != .end { report.trouble = "It was told to end." }
        } catch {
            report.trouble = error.description
        }
        report.expired = expiry.expired
        report.ahead = expiry.ahead
        report.keptFrom = expiry.kept.map { TableExpiry.beginning(of: $0) }
        report.fault = expiry.fault
        return report
    }
}
