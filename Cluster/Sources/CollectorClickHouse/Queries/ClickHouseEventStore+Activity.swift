// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    package func lifecycle(_ query: ActivityQuery) async throws(StoreError) -> Lifecycle {
        try PeopleSupport.check([query.filter], query.unit)
        let time = query.time
        let intervals = IntervalSQL([time.preceding] + time.edges)
        var tally = LifecycleTally(intervals: time.count, budget: budget)
        let begin = "if(time < \(time.preceding.milliseconds), toInt32(-1), \(intervals.sql()))"
        let read = try await activity(query, begin, from: nil) { person, number throws(StoreError) in
            try tally.count(person, number < 0 ? -2 : Self.slot(number, intervals, time) ?? -1)
        }
        return Lifecycle(intervals: try tally.result(), events: read)
    }

    package func stickiness(_ query: ActivityQuery) async throws(StoreError) -> Stickiness {
        try PeopleSupport.check([query.filter], query.unit)
        let time = query.time
        let intervals = IntervalSQL(time.edges)
        var active = PeopleByInterval(limit: budget.people)
        let read = try await activity(query, intervals.sql(), from: time.edges[0]) {
            person,
            number throws(StoreError) in
            if let slot = Self.slot(number, intervals, time) { try active.insert(person, slot) }
        }
        try active.settle()
        var people = Array(repeating: Int64(0), count: time.count)
        active.forEachPerson { _, intervals in people[intervals.count - 1] += 1 }
        return Stickiness(people: people, events: read)
    }

    /// Returns the query's interval for a row's interval; nil if the row's interval is earlier.
    private static func slot(_ number: Int32, _ intervals: IntervalSQL, _ time: QueryTimeRange) -> Int? {
        guard intervals.beginnings.indices.contains(Int(number)) else { return nil }
        let start = intervals.beginnings[Int(number)]
        return start < time.edges[0] ? nil : time.slot(of: start)
    }

    /// Calls `body` once for each person and interval with matching events.
    ///
    /// - Returns: The number of events read.
    private func activity(
        _ query: ActivityQuery,
        _ interval: String,
        from: Timestamp?,
        _ body: (Int64, Int32) throws(StoreError) -> Void
    ) async throws(StoreError) -> Int {
        let selection = EventSelection(
            [query.filter],
            from: from,
            to: query.time.end,
            people: true,
            block: try await completed(),
            retainedSince: retainedSince,
            merged: merged
        )
        let statement =
            "SELECT groupUniqArray(\(interval)), count() FROM (SELECT user, \(EventSelection.visitor), time FROM \(selection.sql) "
            + "WHERE \(selection.condition(for: query.filter)) AND \(EventSelection.personCondition)) GROUP BY user, visitor"
        var meter = QueryMeter(budget, clock: clock)
        var (person, read) = (Int64(0), 0)
        try await rows(statement, &meter) { row throws(RowFault) in
            (intervals: try row.array { cell throws(RowFault) in try cell.int32() }, events: try row.uint64())
        } _: { row throws(StoreError) in
            for interval in row.intervals { try body(person, interval) }
            person += 1
            read += Int(clamping: row.events)
        }
        return read
    }

    // MARK: Retention

    /// The last event in one interval that counts as a person's return.
    private struct Visit {
        var person: Int64
        var slot: Int
        var last: RetentionTally.Occurrence
    }

    package func retention(_ query: RetentionQuery) async throws(StoreError) -> Retention {
        try PeopleSupport.check([query.first, query.returning], query.unit)
        let time = query.time
        let intervals = IntervalSQL(time.edges)
        var tally = RetentionTally(query, budget: budget)
        var visits: [Visit] = []
        var meter = QueryMeter(budget, clock: clock)
        var (person, read) = (Int64(0), 0)
        let statement = statement(query, intervals, try await completed())
        try await rows(statement, &meter) { row throws(RowFault) in
            (
                intervals: try row.array { cell throws(RowFault) in try cell.int32() },
                firsts: try row.array { cell throws(RowFault) in try cell.uint64() },
                firstOccurrences: try row.occurrences(),
                returns: try row.array { cell throws(RowFault) in try cell.uint64() },
                lastOccurrences: try row.occurrences()
            )
        } _: { row throws(StoreError) in
            for (index, number) in row.intervals.enumerated() {
                read += Int(clamping: row.firsts[index]) + Int(clamping: row.returns[index])
                guard let slot = Self.slot(number, intervals, time) else {
                    if row.firsts[index] > 0 { try tally.addEarlierPerson(person) }
                    continue
                }
                if row.firsts[index] > 0 { try tally.addFirst(person, slot, at: row.firstOccurrences[index]) }
                guard row.returns[index] > 0 else { continue }
                visits.append(Visit(person: person, slot: slot, last: row.lastOccurrences[index]))
                guard visits.count <= budget.people else {
                    throw .overBudget(
                        "from",
                        "it counts more than \(budget.people) people across all intervals: choose a shorter time range "
                            + "or a longer interval"
                    )
                }
            }
            person += 1
        }
        // All cohort members are known before the first return is counted.
        tally.settle()
        for visit in visits { try tally.addReturn(visit.person, visit.slot, at: visit.last) }
        let cohorts = try tally.result()
        try meter.checkTime()
        return Retention(cohorts: cohorts, events: read)
    }

    private func statement(_ query: RetentionQuery, _ intervals: IntervalSQL, _ block: UInt64) -> String {
        let isFirstEver = query.cohort == .first
        let start = query.time.edges[0]
        let selection = EventSelection(
            [query.first, query.returning],
            from: isFirstEver ? nil : start,
            to: query.time.end,
            columns: ["position"],
            people: true,
            block: block,
            retainedSince: retainedSince,
            merged: merged
        )
        let interval =
            isFirstEver ? "if(time < \(start.milliseconds), toInt32(-1), \(intervals.sql()))" : intervals.sql()
        let returns = "time >= \(start.milliseconds) AND \(selection.condition(for: query.returning))"
        return "SELECT groupArray(i), groupArray(fc), groupArray(tupleElement(f, 1)), groupArray(tupleElement(f, 2)), "
            + "groupArray(rc), groupArray(tupleElement(r, 1)), groupArray(tupleElement(r, 2)) FROM "
            + "(SELECT user, visitor, i, countIf(a) AS fc, minIf((time, position), a) AS f, countIf(b) AS rc, "
            + "maxIf((time, position), b) AS r FROM (SELECT user, \(EventSelection.visitor), time, position, \(interval) AS i, "
            + "toUInt8(\(selection.condition(for: query.first))) AS a, toUInt8(\(returns)) AS b FROM \(selection.sql) "
            + "WHERE \(EventSelection.personCondition)) WHERE a OR b GROUP BY user, visitor, i) GROUP BY user, visitor"
    }
}

extension RowCursor {
    /// Reads two arrays: times, and the positions that belong to them.
    fileprivate mutating func occurrences() throws(RowFault) -> [RetentionTally.Occurrence] {
        let times = try array { cell throws(RowFault) in try cell.int64() }
        let positions = try array { cell throws(RowFault) in try cell.int64() }
        guard times.count == positions.count else { throw .malformed }
        return zip(times, positions).map { RetentionTally.Occurrence(time: $0, position: $1) }
    }
}
