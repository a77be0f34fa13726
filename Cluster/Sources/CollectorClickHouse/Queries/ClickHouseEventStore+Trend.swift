// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    /// A result row of a trend query: events per interval, group, and measured value.
    private struct Count {
        var interval: Int32
        var group: [UInt8]
        var measured: [UInt8]
        var events: UInt64
    }

    package func trend(_ query: TrendQuery) async throws(StoreError) -> Trend {
        try PeopleSupport.check(query)
        let intervals = IntervalSQL(query.time)
        var tally = TrendTally(query, budget: budget)
        var meter = QueryMeter(budget, clock: clock)
        var read = 0
        func count(_ count: Count, _ person: Int64?) throws(StoreError) {
            guard intervals.beginnings.indices.contains(Int(count.interval)) else { return }
            read += Int(clamping: count.events)
            try tally.count(
                Int64(clamping: count.events),
                at: intervals.beginnings[Int(count.interval)],
                value: query.grouping.flatMap { $0.value { _ in QueryValue(columnBytes: count.group) } },
                person: person,
                measured: QueryValue(columnBytes: count.measured)
            )
        }
        let block = try await completed()
        switch query.measure {
        case .events, .sum, .average, .p95:
            try await rows(counts(query, intervals, block), &meter) { row throws(RowFault) in
                Count(
                    interval: try row.int32(),
                    group: try row.string(),
                    measured: try row.string(),
                    events: try row.uint64()
                )
            } _: { row throws(StoreError) in
                try count(row, nil)
            }
        // The check above rejects groups.
        case .users, .installations, .groups:
            var people: Int64 = 0
            try await rows(self.people(query, intervals, block), &meter) { row throws(RowFault) in
                (
                    hasNoPerson: try row.uint8() != 0,
                    intervals: try row.array { cell throws(RowFault) in try cell.int32() },
                    groups: try row.array { cell throws(RowFault) in try cell.string() },
                    events: try row.array { cell throws(RowFault) in try cell.uint64() }
                )
            } _: { row throws(StoreError) in
                people += 1
                for (index, interval) in row.intervals.enumerated() where index < row.groups.count {
                    let sum = Count(
                        interval: interval,
                        group: row.groups[index],
                        measured: [],
                        events: row.events[index]
                    )
                    try count(sum, row.hasNoPerson ? nil : people)
                }
            }
        }
        return Trend(series: tally.series(), events: read)
    }

    private func selection(_ query: TrendQuery, _ block: UInt64) -> EventSelection {
        EventSelection(
            [query.filter],
            from: query.time.start,
            to: query.time.end,
            fields: [query.grouping?.field, query.measure.field].compactMap { $0 },
            people: query.measure == .users,
            block: block,
            retainedSince: retainedSince,
            merged: merged
        )
    }

    /// Returns a statement that counts events by interval, group, and measured value.
    private func counts(_ query: TrendQuery, _ intervals: IntervalSQL, _ block: UInt64) -> String {
        let selection = selection(query, block)
        let value = selection.column(query.measure.field)
        // If the value is not counted as a number, only its first byte, the type, matters.
        let counted = query.readsTextsAsNumbers ? "IN ('n', 't')" : "= 'n'"
        let measured =
            query.measure.field == nil
            ? "''" : "if(substring(\(value), 1, 1) \(counted), \(value), substring(\(value), 1, 1))"
        return "SELECT \(intervals.sql()) AS i, \(selection.column(query.grouping?.field)) AS g, \(measured) AS v, "
            + "count() AS c FROM \(selection.sql) WHERE \(selection.condition(for: query.filter)) GROUP BY i, g, v"
    }

    /// Returns a statement for each person's or installation's intervals and groups.
    ///
    /// The statement also selects the number of events for each interval and group.
    private func people(_ query: TrendQuery, _ intervals: IntervalSQL, _ block: UInt64) -> String {
        let selection = selection(query, block)
        let group = selection.column(query.grouping?.field)
        let countsUsers = query.measure == .users
        let owner = countsUsers ? "user, \(EventSelection.visitor)" : "installation"
        let key = countsUsers ? "user, visitor" : "installation"
        let hasNoPerson =
            countsUsers ? "user = '' AND visitor = \(SQLText.missingID)" : "installation = \(SQLText.missingID)"
        return "SELECT toUInt8(\(hasNoPerson)), groupArray(i), groupArray(g), groupArray(c) FROM "
            + "(SELECT \(owner), \(intervals.sql()) AS i, \(group) AS g, count() AS c FROM \(selection.sql) "
            + "WHERE \(selection.condition(for: query.filter)) GROUP BY \(key), i, g) GROUP BY \(key)"
    }
}
