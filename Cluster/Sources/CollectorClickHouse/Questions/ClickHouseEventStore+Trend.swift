// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

extension ClickHouseEventStore {
    /// A row of a trend's statement: events per interval, group, and measured value.
    private struct Count {
        var interval: Int32
        var group: [UInt8]
        var measured: [UInt8]
        var events: UInt64
    }

    package func trend(_ question: Question) async throws(StoreError) -> Trend {
        let intervals = IntervalSQL(question.time)
        var tally = TrendTally(question, budget: budget)
        var meter = QueryMeter(budget, clock: clock)
        var read = 0
        func count(_ count: Count, _ person: Int64?) throws(StoreError) {
            guard intervals.beginnings.indices.contains(Int(count.interval)) else { return }
            read += Int(clamping: count.events)
            try tally.count(
                Int64(clamping: count.events),
                at: intervals.beginnings[Int(count.interval)],
                value: QueryValue(columnBytes: count.group),
                person: person,
                measured: QueryValue(columnBytes: count.measured)
            )
        }
        let block = try await completed()
        switch question.measure {
        case .events, .sum, .average, .p95:
            try await rows(counts(question, intervals, block), &meter) { row throws(RowFault) in
                Count(
                    interval: try row.int32(),
                    group: try row.string(),
                    measured: try row.string(),
                    events: try row.uint64()
                )
            } _: { row throws(StoreError) in
                try count(row, nil)
            }
        case .users, .installations:
            var people: Int64 = 0
            try await rows(self.people(question, intervals, block), &meter) { row throws(RowFault) in
                (
                    isNobody: try row.uint8() != 0,
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
                    try count(sum, row.isNobody ? nil : people)
                }
            }
        }
        return Trend(series: tally.series(), events: read)
    }

    private func selection(_ question: Question, _ block: UInt64) -> EventSelection {
        EventSelection(
            [question.filter],
            from: question.time.start,
            to: question.time.end,
            fields: [question.grouping?.field, question.measure.field].compactMap { $0 },
            block: block,
            kept: keptFrom
        )
    }

    /// Returns a statement that counts events by interval, group, and measured value.
    private func counts(_ question: Question, _ intervals: IntervalSQL, _ block: UInt64) -> String {
        let selection = selection(question, block)
        let value = selection.column(question.measure.field)
        // If the value is not counted as a number, only its type matters: the first byte.
        let counted = question.readsTextsAsNumbers ? "IN ('n', 't')" : "= 'n'"
        let measured =
            question.measure.field == nil
            ? "''" : "if(substring(\(value), 1, 1) \(counted), \(value), substring(\(value), 1, 1))"
        return "SELECT \(intervals.sql()) AS i, \(selection.column(question.grouping?.field)) AS g, \(measured) AS v, "
            + "count() AS c FROM \(selection.sql) WHERE \(selection.holds(question.filter)) GROUP BY i, g, v"
    }

    /// Returns a statement for each person's or installation's intervals and groups.
    ///
    /// It also selects the number of events in each.
    private func people(_ question: Question, _ intervals: IntervalSQL, _ block: UInt64) -> String {
        let selection = selection(question, block)
        let group = selection.column(question.grouping?.field)
        let isOfUsers = question.measure == .users
        let whose = isOfUsers ? "user, \(EventSelection.visitor)" : "installation"
        let key = isOfUsers ? "user, visitor" : "installation"
        let isNobody =
            isOfUsers ? "user = '' AND visitor = \(SQLText.nobody)" : "installation = \(SQLText.nobody)"
        return "SELECT toUInt8(\(isNobody)), groupArray(i), groupArray(g), groupArray(c) FROM "
            + "(SELECT \(whose), \(intervals.sql()) AS i, \(group) AS g, count() AS c FROM \(selection.sql) "
            + "WHERE \(selection.holds(question.filter)) GROUP BY \(key), i, g) GROUP BY \(key)"
    }
}
