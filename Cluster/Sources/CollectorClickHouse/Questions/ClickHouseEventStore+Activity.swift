// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

extension ClickHouseEventStore {
    package func lifecycle(_ question: ActivityQuery) async throws(StoreError) -> Lifecycle {
        let time = question.time
        let intervals = IntervalSQL([time.preceding] + time.edges)
        var tally = LifecycleTally(intervals: time.count, budget: budget)
        let begin = "if(time < \(time.preceding.milliseconds), toInt32(-1), \(intervals.sql()))"
        let read = try await activity(question, begin, from: nil) { person, number throws(StoreError) in
            try tally.count(person, number < 0 ? -2 : Self.slot(number, intervals, time) ?? -1)
        }
        return Lifecycle(intervals: try tally.answer(), events: read)
    }

    package func stickiness(_ question: ActivityQuery) async throws(StoreError) -> Stickiness {
        let time = question.time
        let intervals = IntervalSQL(time.edges)
        var active = PeopleByInterval(limit: budget.people)
        let read = try await activity(question, intervals.sql(), from: time.edges[0]) {
            person,
            number throws(StoreError) in
            if let slot = Self.slot(number, intervals, time) { try active.insert(person, slot) }
        }
        try active.settle()
        var people = Array(repeating: Int64(0), count: time.count)
        active.forEachPerson { _, intervals in people[intervals.count - 1] += 1 }
        return Stickiness(people: people, events: read)
    }

    /// Returns the query's interval for a row's interval; nil if it is earlier.
    private static func slot(_ number: Int32, _ intervals: IntervalSQL, _ time: QueryTimeRange) -> Int? {
        guard intervals.beginnings.indices.contains(Int(number)) else { return nil }
        let moment = intervals.beginnings[Int(number)]
        return moment < time.edges[0] ? nil : time.slot(of: moment)
    }

    /// Calls `body` with each person's intervals, each once.
    ///
    /// - Returns: The number of events read.
    private func activity(
        _ question: ActivityQuery,
        _ interval: String,
        from: Timestamp?,
        _ body: (Int64, Int32) throws(StoreError) -> Void
    ) async throws(StoreError) -> Int {
        let selection = EventSelection(
            [question.filter],
            from: from,
            to: question.time.end,
            block: try await completed(),
            kept: keptFrom
        )
        let statement =
            "SELECT groupUniqArray(\(interval)), count() FROM (SELECT user, \(EventSelection.visitor), time FROM \(selection.sql) "
            + "WHERE \(selection.holds(question.filter)) AND \(EventSelection.isSomebodys)) GROUP BY user, visitor"
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

    /// A person's last event in one interval that counts as a return.
    private struct Visit {
        var person: Int64
        var slot: Int
        var last: RetentionTally.DualTimestamp
    }

    package func retention(_ question: RetentionQuery) async throws(StoreError) -> Retention {
        let time = question.time
        let intervals = IntervalSQL(time.edges)
        var tally = RetentionTally(question, budget: budget)
        var visits: [Visit] = []
        var meter = QueryMeter(budget, clock: clock)
        var (person, read) = (Int64(0), 0)
        let statement = statement(question, intervals, try await completed())
        try await rows(statement, &meter) { row throws(RowFault) in
            (
                intervals: try row.array { cell throws(RowFault) in try cell.int32() },
                firsts: try row.array { cell throws(RowFault) in try cell.uint64() },
                firstMoments: try row.moments(), returns: try row.array { cell throws(RowFault) in try cell.uint64() },
                lastMoments: try row.moments()
            )
        } _: { row throws(StoreError) in
            for (index, number) in row.intervals.enumerated() {
                read += Int(clamping: row.firsts[index]) + Int(clamping: row.returns[index])
                guard let slot = Self.slot(number, intervals, time) else {
                    if row.firsts[index] > 0 { try tally.wasThere(person) }
                    continue
                }
                if row.firsts[index] > 0 { try tally.came(person, slot, at: row.firstMoments[index]) }
                guard row.returns[index] > 0 else { continue }
                visits.append(Visit(person: person, slot: slot, last: row.lastMoments[index]))
                guard visits.count <= budget.people else {
                    throw .overBudget(
                        "from",
                        "it counts more than \(budget.people) people in all intervals together: choose a shorter time range or a longer interval"
                    )
                }
            }
            person += 1
        }
        // All cohort members are known before the first return is counted.
        tally.settle()
        for visit in visits { try tally.returned(visit.person, visit.slot, at: visit.last) }
        let cohorts = try tally.answer()
        try meter.checkTime()
        return Retention(cohorts: cohorts, events: read)
    }

    private func statement(_ question: RetentionQuery, _ intervals: IntervalSQL, _ block: UInt64) -> String {
        let isFirstEver = question.cohort == .first
        let start = question.time.edges[0]
        let selection = EventSelection(
            [question.first, question.returning],
            from: isFirstEver ? nil : start,
            to: question.time.end,
            columns: ["position"],
            block: block,
            kept: keptFrom
        )
        let interval =
            isFirstEver ? "if(time < \(start.milliseconds), toInt32(-1), \(intervals.sql()))" : intervals.sql()
        let returns = "time >= \(start.milliseconds) AND \(selection.holds(question.returning))"
        return "SELECT groupArray(i), groupArray(fc), groupArray(tupleElement(f, 1)), groupArray(tupleElement(f, 2)), "
            + "groupArray(rc), groupArray(tupleElement(r, 1)), groupArray(tupleElement(r, 2)) FROM "
            + "(SELECT user, visitor, i, countIf(a) AS fc, minIf((time, position), a) AS f, countIf(b) AS rc, "
            + "maxIf((time, position), b) AS r FROM (SELECT user, \(EventSelection.visitor), time, position, \(interval) AS i, "
            + "toUInt8(\(selection.holds(question.first))) AS a, toUInt8(\(returns)) AS b FROM \(selection.sql) "
            + "WHERE \(EventSelection.isSomebodys)) WHERE a OR b GROUP BY user, visitor, i) GROUP BY user, visitor"
    }
}

extension RowCursor {
    /// Reads two arrays: times, and the positions that belong to them.
    fileprivate mutating func moments() throws(RowFault) -> [RetentionTally.DualTimestamp] {
        let times = try array { cell throws(RowFault) in try cell.int64() }
        let positions = try array { cell throws(RowFault) in try cell.int64() }
        guard times.count == positions.count else { throw .malformed }
        return zip(times, positions).map { RetentionTally.DualTimestamp(time: $0, position: $1) }
    }
}
