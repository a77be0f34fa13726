// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// Answers queries that aggregate many events.
///
/// All stores return the same result for the same events.
///
/// Callable from any task.
public protocol AnalyticsStore: Sendable {
    /// Returns counts or other measures over time.
    ///
    /// - Throws: ``StoreError``, of kind `overBudget` when the query exceeds its budget.
    func trend(_ query: TrendQuery) async throws(StoreError) -> Trend
    /// Returns the conversion through a sequence of steps.
    ///
    /// - Throws: ``StoreError``, of kind `overBudget` when the query exceeds its budget. The next four methods throw
    ///   the same errors.
    func funnel(_ query: FunnelQuery) async throws(StoreError) -> Funnel
    /// Returns the number of returning people in each cohort.
    func retention(_ query: RetentionQuery) async throws(StoreError) -> Retention
    /// Returns the numbers of new, returning, resurrected and dormant people per interval.
    func lifecycle(_ query: ActivityQuery) async throws(StoreError) -> Lifecycle
    /// Returns the distribution of people by number of active intervals.
    func stickiness(_ query: ActivityQuery) async throws(StoreError) -> Stickiness
    /// Returns the paths through screens or events.
    func paths(_ query: PathQuery) async throws(StoreError) -> Paths
    /// Returns the people behind one point of an answer.
    ///
    /// - Throws: ``StoreError``, also of kind `unsupported` if the store cannot list them.
    func people(_ query: PointPeopleQuery) async throws(StoreError) -> PointPeople
    /// Returns the start of the quarter of an hour with the first event, by event time; nil without events.
    func firstEvent() async throws(StoreError) -> Timestamp?
    /// The arrival time before which events have expired; nil if none.
    ///
    /// Reads from memory; the value is as of the last query.
    var retainedSince: Timestamp? { get }
}

extension AnalyticsStore {
    /// The default for a store that keeps all events.
    public var retainedSince: Timestamp? { nil }

    /// Returns ``retainedSince`` if events since `moment` may have expired.
    ///
    /// Returns nil when all events since `moment` are kept. Events arrive after they happen, so the response to a query
    /// that starts at ``retainedSince`` or later is complete.
    ///
    /// - Parameter moment: The earliest time of the requested events; nil for all events.
    public func retainedSince(queryStart moment: Timestamp?) -> Timestamp? {
        guard let retainedSince else { return nil }
        return moment.map { $0 >= retainedSince } ?? false ? nil : retainedSince
    }
}

extension JSONWriter {
    /// Writes the member `kept_from`: the arrival time before which events are missing.
    ///
    /// Writes nothing when no events are missing.
    public mutating func writeRetainedSince(_ moment: Timestamp?) {
        if let moment { member("kept_from", moment) }
    }
}

/// A server that answers analytics queries for the collector.
///
/// The server reads tables that lag slightly behind the index.
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
    /// The sequence number of the last stream record in the server's tables.
    ///
    /// Nil while unknown.
    public var last: UInt64?
    /// Why the server cannot answer, in one sentence; nil while it can.
    public var failureReason: String?
    /// The arrival time before which events have expired; nil if none.
    public var retainedSince: Timestamp?

    /// Creates a report.
    public init(address: String, last: UInt64? = nil, failureReason: String? = nil, retainedSince: Timestamp? = nil) {
        self.address = address
        self.last = last
        self.failureReason = failureReason
        self.retainedSince = retainedSince
    }
}

extension AnalysisReport {
    /// Writes the report as the member `analysis` of an open object.
    ///
    /// - Parameter end: the sequence number of the last accepted record.
    public func writeMember(before end: UInt64, to writer: inout JSONWriter) {
        writer.object("analysis") { writer in
            writer.member("address", address)
            writer.key("behind")
            if let last { writer.integer(Int64(clamping: end - min(end, last))) } else { writer.null() }
            writer.writeRetainedSince(retainedSince)
            if let failureReason { writer.member("trouble", failureReason) }
        }
    }
}
