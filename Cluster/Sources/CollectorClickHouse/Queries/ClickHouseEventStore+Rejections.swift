// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

/// Reads rejected events.
extension ClickHouseEventStore {
    package func failed(matching query: FailedQuery) async throws(StoreError) -> [FailedEvent] {
        guard query.limit > 0 else { return [] }
        var selection = RejectionSelection(block: try await completed(), contentBytes: FailedEvent.excerptBytes)
        if let before = query.before { selection.positionCondition = "position < \(before.rawValue)" }
        var conditions: [String] = []
        if let code = query.code { conditions.append("code = \(SQLText.literal(code))") }
        if let name = query.name {
            conditions.append("name = \(SQLText.literal(QueryValue.text(Array(name.utf8)).columnBytes))")
        }
        selection.condition = conditions.joined(separator: " AND ")
        let found = try await rejections(selection, " ORDER BY position DESC LIMIT \(query.limit)")
        var (events, bytes): ([FailedEvent], Int) = ([], 0)
        for event in found where bytes < ResponseBudget.bytes {
            bytes += event.responseBytes
            events.append(event)
        }
        return events
    }

    package func failed(at position: EventPosition) async throws(StoreError) -> FailedEvent? {
        var selection = RejectionSelection(block: try await completed())
        selection.positionCondition = "position = \(position.rawValue)"
        return try await rejections(selection, "").first
    }

    private func rejections(_ selection: RejectionSelection, _ end: String) async throws(StoreError) -> [FailedEvent] {
        let columns: [RejectionSelection.Column] = [
            .received, .key, .code, .field, .message, .content, .size, .total, .name, .version,
        ]
        return try await list(selection.sql(columns) + end) { row throws(RowFault) in
            FailedEvent(
                position: try row.position(),
                received: try row.time(),
                key: try row.text(),
                code: try row.text(),
                field: try row.text(),
                message: try row.text(),
                content: try row.string(),
                bytes: Int(clamping: try row.uint64()),
                totalBytes: Int(clamping: try row.uint64()),
                name: try row.optionalText(),
                version: try row.optionalText()
            )
        }
    }

    // MARK: Groups

    package func failedGroups(in time: QueryTimeRange) async throws(StoreError) -> FailedGroups {
        let block = try await completed()
        var tally = FailedGroupTally(in: time, budget: budget, clock: clock)
        try await addRejections(to: &tally, time, block)
        try await addLosses(to: &tally, block)
        try await addReports(to: &tally, time, block)
        return tally.result()
    }

    /// A meter without a limit on events, so that the tally reports the excess.
    private var unlimitedMeter: QueryMeter {
        var unlimited = budget
        unlimited.events = .max
        return QueryMeter(unlimited, clock: clock)
    }

    private func addRejections(
        to tally: inout FailedGroupTally,
        _ time: QueryTimeRange,
        _ block: UInt64
    ) async throws(StoreError) {
        var selection = RejectionSelection(block: block)
        selection.condition = "received >= \(time.start.milliseconds) AND received < \(time.end.milliseconds)"
        let order = " ORDER BY received, code, field, name, version, position LIMIT \(budget.events + 1)"
        var meter = unlimitedMeter
        try await rows(selection.sql([.received, .code, .field, .name, .version]) + order, &meter) {
            row throws(RowFault) in
            (
                position: try row.position(), received: try row.time(), code: try row.text(), field: try row.text(),
                name: try row.optionalText(), version: try row.optionalText()
            )
        } _: { row throws(StoreError) in
            try tally.addRejection(
                code: row.code,
                field: row.field,
                name: row.name,
                version: row.version,
                received: row.received,
                at: row.position
            )
        }
    }

    private func addLosses(to tally: inout FailedGroupTally, _ block: UInt64) async throws(StoreError) {
        let lost =
            "FROM ranges FINAL WHERE kind = \(RangeKind.dropped.rawValue) AND block <= \(block) "
            + "AND installation NOT IN (SELECT installation FROM erasures)"
        // The reasons that occurred first are counted separately.
        let reasons =
            "SELECT reason FROM (SELECT reason, min(block) AS b \(lost) GROUP BY reason) "
            + "ORDER BY b, reason LIMIT \(FailedGroups.maxReasons)"
        let statement =
            "SELECT reason, groupArray(first), groupArray(last) FROM (SELECT installation, writer, reason, first, last \(lost)) "
            + "WHERE reason IN (\(reasons)) GROUP BY installation, writer, reason"
        var meter = unlimitedMeter
        try await rows(statement, &meter) { row throws(RowFault) in
            (
                reason: try row.text(), firsts: try row.array { cell throws(RowFault) in try cell.uint64() },
                lasts: try row.array { cell throws(RowFault) in try cell.uint64() }
            )
        } _: { row throws(StoreError) in
            // Several blocks may report the same sequence numbers as dropped.
            var ranges = SequenceRanges()
            for (first, last) in zip(row.firsts, row.lasts) where first <= last { ranges.insert(first...last) }
            for range in ranges.ranges {
                try tally.addLoss(Int64(clamping: range.upperBound - range.lowerBound) &+ 1, reason: row.reason)
            }
        }
    }

    private func addReports(
        to tally: inout FailedGroupTally,
        _ time: QueryTimeRange,
        _ block: UInt64
    ) async throws(StoreError) {
        let span = "latest >= \(time.start.milliseconds) AND earliest < \(time.end.milliseconds)"
        let within =
            "FROM places FINAL WHERE kind = \(PlaceAggregates.OwnerKind.all.rawValue) AND block <= \(block) AND \(span)"
        var meter = unlimitedMeter
        let statement =
            "SELECT id, time, body FROM events FINAL WHERE block <= \(block) "
            + "AND position >= (SELECT min(first) \(within)) AND position <= (SELECT max(last) \(within)) "
            + "AND name = \(SQLText.literal(CapturedName.clickstreamError)) "
            + "AND time >= \(time.start.milliseconds) AND time < \(time.end.milliseconds) "
            + "AND installation NOT IN (SELECT installation FROM erasures)\(keptCondition) "
            + "ORDER BY time DESC, position DESC LIMIT \(FailedGroups.maxErrors)"
        try await rows(statement, &meter) { row throws(RowFault) in
            (id: try row.id(EventID.self), time: try row.time(), body: try row.string())
        } _: { row throws(StoreError) in
            row.body.withUnsafeBytes { tally.addReport(row.id, at: row.time, body: $0) }
        }
    }
}
