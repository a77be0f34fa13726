// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    /// The number of latest events that are checked against the plan on request.
    ///
    /// Whole blocks are checked, so the actual number may be up to one block higher.
    static let inspectedEvents: UInt64 = 100_000
    /// The maximum number of planned events to name in a statement.
    ///
    /// With more events, the statement would be too long, so the bodies of all events are read instead.
    private static let namedEvents = 1_000

    package func planCounts(since day: Int64?) async throws(StoreError) -> PlanCounts {
        try await inspection(Self.inspectedEvents)?.counts(since: day) ?? PlanCounts()
    }

    package func violations(matching query: ViolationQuery) async throws(StoreError) -> Violations {
        try await inspection(Self.inspectedEvents)?.violations(matching: query) ?? Violations()
    }

    /// Checks the latest events against the plan; nil without a plan.
    ///
    /// - Parameter limit: The minimum number of events to check, if that many exist. Whole blocks are checked, but no
    ///   more blocks than necessary.
    func inspection(_ limit: UInt64) async throws(StoreError) -> PlanTally? {
        guard let plan else { return nil }
        var tally = PlanTally(plan)
        var meter = QueryMeter(budget, clock: clock)
        let block = try await completed()
        guard let start = try await start(limit, block, &meter) else { return tally }
        try await rows(Self.events(from: start, to: block, plan, keptCondition), &meter) { row throws(RowFault) in
            (
                position: try row.int64(), id: try row.idHalves(), name: try row.string(), received: try row.int64(),
                version: try row.string(), body: try row.string()
            )
        } _: { row throws(StoreError) in
            row.body.withUnsafeBytes { body in
                tally.count(
                    String(decoding: row.name, as: UTF8.self),
                    body,
                    version: String(decoding: row.version, as: UTF8.self),
                    received: Timestamp(milliseconds: row.received),
                    at: EventPosition(rawValue: row.position),
                    id: EventID(high: row.id.high, low: row.id.low)
                )
            }
        }
        return tally
    }

    /// Returns the first block of the latest events, and its first record; nil if there are no blocks.
    private func start(
        _ limit: UInt64,
        _ block: UInt64,
        _ meter: inout QueryMeter
    ) async throws(StoreError) -> (block: Int64, record: Int64)? {
        var found: UInt64 = 0
        var start: (block: Int64, record: Int64)?
        let statement = "SELECT block, first, rows FROM blocks FINAL WHERE block <= \(block) ORDER BY block DESC"
        try await rows(statement, &meter) { row throws(RowFault) in
            (block: try row.int64(), first: try row.int64(), events: try row.uint64())
        } _: { row throws(StoreError) in
            guard found < limit else { return }
            found += row.events
            start = (row.block, row.first)
        }
        return start
    }

    /// Returns a statement for the events in the blocks, in order of arrival.
    ///
    /// Bodies are included only for events that the plan describes.
    private static func events(
        from start: (block: Int64, record: Int64),
        to block: UInt64,
        _ plan: PlanChecker,
        _ keptCondition: String
    ) -> String {
        let names = plan.plan.events.map { SQLText.literal($0.name) }
        let isPlanned = names.isEmpty ? "0" : "name IN (\(names.joined(separator: ", ")))"
        let body = names.count > namedEvents ? "body" : "if(\(isPlanned), body, '')"
        let position = EventPosition(stream: 0, sequence: UInt64(clamping: start.record)).rawValue
        let blocks = "block >= \(start.block) AND block <= \(block)"
        // A block describes all contexts of its events, so the descriptions in these blocks suffice.
        return
            "SELECT position, id, name, received, told, json FROM (SELECT position, id, name, received, installation, "
            + "context, \(body) AS json FROM events FINAL PREWHERE position >= \(position) WHERE \(blocks) "
            + "AND installation NOT IN (SELECT installation FROM erasures)\(keptCondition)) AS e ANY LEFT JOIN (SELECT installation, context, "
            + "any(release) AS told FROM descriptions WHERE \(blocks) GROUP BY installation, context) AS c "
            + "USING (installation, context) ORDER BY position"
    }
}
