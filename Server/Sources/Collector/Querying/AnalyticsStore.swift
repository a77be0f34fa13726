// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// Answers queries that aggregate many events.
///
/// All stores return the same result for the same events.
///
/// Callable from any task.
public protocol AnalyticsStore: Sendable {
    /// Returns counts or other measures over time.
    ///
    /// - Throws: ``StoreError``; of the kind `overBudget` when the query exceeds its budget.
    func trend(_ question: Question) async throws(StoreError) -> Trend
    /// Returns the conversion through a sequence of steps.
    ///
    /// - Throws: ``StoreError``; of the kind `overBudget` when the query exceeds its budget. The next four methods do
    ///   the same.
    func funnel(_ question: FunnelQuery) async throws(StoreError) -> Funnel
    /// Returns how many people return, by cohort.
    func retention(_ question: RetentionQuery) async throws(StoreError) -> Retention
    /// Returns new, returning, resurrected and dormant people by interval.
    func lifecycle(_ question: ActivityQuery) async throws(StoreError) -> Lifecycle
    /// Returns in how many intervals people are active.
    func stickiness(_ question: ActivityQuery) async throws(StoreError) -> Stickiness
    /// Returns the paths from a screen or an event, or to it.
    func paths(_ question: PathQuery) async throws(StoreError) -> Paths
    /// The time before which arrived events have expired; nil when none have.
    ///
    /// Reads from memory, as of the last query.
    var keptFrom: Timestamp? { get }
}

extension AnalyticsStore {
    /// The default for a store that keeps all events.
    public var keptFrom: Timestamp? { nil }

    /// Returns ``keptFrom`` if it affects a response back to `moment`.
    ///
    /// Returns nil when all events since then are kept. Events arrive after they happen, so a response about events
    /// since ``keptFrom`` is complete.
    ///
    /// - Parameter moment: The earliest time of the requested events; nil for all.
    public func keptFrom(asked moment: Timestamp?) -> Timestamp? {
        guard let keptFrom else { return nil }
        return moment.map { $0 >= keptFrom } ?? false ? nil : keptFrom
    }
}

extension JSONWriter {
    /// Writes the member `kept_from`, the time before which arrived events are missing.
    ///
    /// Writes nothing when no events are missing.
    public mutating func keptFrom(_ moment: Timestamp?) {
        if let moment { member("kept_from", moment) }
    }
}

/// A server that answers analytics queries for the collector.
///
/// It reads tables that are filled slightly later than the index.
public protocol AnalysisStore: AnalyticsStore {
    /// The server's status, as last observed.
    ///
    /// Reads from memory.
    var report: AnalysisReport { get }
}

/// The status of a server that answers analytics queries.
public struct AnalysisReport: Sendable, Hashable {
    /// The server's address.
    public var address: String
    /// The sequence of the last stream record in its tables.
    ///
    /// Nil while unknown.
    public var last: UInt64?
    /// Why it cannot answer, in one sentence; nil while it can.
    public var trouble: String?
    /// The time before which arrived events have expired; nil when none have.
    public var keptFrom: Timestamp?

    /// Creates a report.
    public init(address: String, last: UInt64? = nil, trouble: String? = nil, keptFrom: Timestamp? = nil) {
        self.address = address
        self.last = last
        self.trouble = trouble
        self.keptFrom = keptFrom
    }
}

extension AnalysisReport {
    /// Writes the report as the member `analysis` of an open object.
    ///
    /// - Parameter end: the sequence of the last record that was accepted.
    public func writeMember(before end: UInt64, to writer: inout JSONWriter) {
        writer.object("analysis") { writer in
            writer.member("address", address)
            writer.key("behind")
            if let last { writer.integer(Int64(clamping: end - min(end, last))) } else { writer.null() }
            writer.keptFrom(keptFrom)
            if let trouble { writer.member("trouble", trouble) }
        }
    }
}
