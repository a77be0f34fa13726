// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Computes lifecycle, stickiness, and retention.
enum ActivityRows {
    /// The earliest possible time.
    private static let earliest = Timestamp(milliseconds: .min)

    /// Counts the new, returning and dormant people per interval.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(events of the filter up to the end of the time range × log).
    static func lifecycle(
        _ query: ActivityQuery,
        budget: QueryBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Lifecycle {
        let time = query.time
        var meter = QueryMeter(budget, clock: clock)
        var tally = LifecycleTally(intervals: time.count, budget: budget)
        let people = try PersonMap(db)
        try forEachEarlier(query.filter, than: time.preceding, people, &meter, db) { try tally.count($0, -2) }
        try forEachPerson(query.filter, [time.preceding, time.edges[0]], people, &meter, db) { person, _ in
            try tally.count(person, -1)
        }
        try forEachPerson(query.filter, time.edges, people, &meter, db) { person, moment in
            try tally.count(person, time.slot(of: moment))
        }
        let intervals = try tally.result()
        try meter.checkTime()
        return Lifecycle(intervals: intervals, events: meter.events)
    }

    /// Counts people by the number of intervals in which they are active.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(events of the filter in the time range × log).
    static func stickiness(
        _ query: ActivityQuery,
        budget: QueryBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Stickiness {
        let time = query.time
        var meter = QueryMeter(budget, clock: clock)
        var active = PeopleByInterval(limit: budget.people)
        try forEachPerson(query.filter, time.edges, try PersonMap(db), &meter, db) { person, moment in
            try active.insert(person, time.slot(of: moment))
        }
        try active.settle()
        var people = Array(repeating: Int64(0), count: time.count)
        active.forEachPerson { _, intervals in people[intervals.count - 1] += 1 }
        try meter.checkTime()
        return Stickiness(people: people, events: meter.events)
    }

    /// Computes retention: the number of people who return.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(events of both filters × log); if `cohort` is `first`, also those before the time range.
    static func retention(
        _ query: RetentionQuery,
        budget: QueryBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Retention {
        let time = query.time
        var meter = QueryMeter(budget, clock: clock)
        var tally = RetentionTally(query, budget: budget)
        let people = try PersonMap(db)
        if query.cohort == .first {
            try forEachEarlier(query.first, than: time.edges[0], people, &meter, db) { try tally.addEarlierPerson($0) }
        }
        // Count both filters by quarters of an hour, or neither; otherwise, the order of two events in one quarter
        // could be wrong.
        let isFirstAny = query.first == QueryFilter()
        func read(_ filter: QueryFilter, _ body: (Int64, Int, RetentionTally.Occurrence) throws -> Void) throws {
            func exact(_ event: EventReader.Event) throws {
                guard let person = event.person else { return }
                let moment = RetentionTally.Occurrence(time: event.time.milliseconds, position: event.position)
                try body(person, time.slot(of: event.time), moment)
            }
            let within = Array(time.edges.dropFirst().dropLast())
            guard let pass = try QuarterReader(filter, edges: within, people: people, db),
                !isFirstAny || query.returning == QueryFilter()
            else {
                var pass = try EventReader(filter, people: people, db)
                return try pass.read(from: time.edges[0], to: time.end, &meter, db) { try exact($0) }
            }
            try pass.read(from: time.edges[0], to: time.end, &meter, db) { quarter in
                guard let person = quarter.person else { return }
                let moment = RetentionTally.Occurrence(
                    time: quarter.time.milliseconds,
                    position: .min,
                    events: quarter.events,
                    isQuarter: true
                )
                try body(person, time.slot(of: quarter.time), moment)
            } event: {
                try exact($0)
            }
        }
        try read(query.first) { try tally.addFirst($0, $1, at: $2) }
        tally.settle()
        try read(query.returning) { try tally.addReturn($0, $1, at: $2) }
        try settle(&tally, time, people, meter, db)
        let cohorts = try tally.result()
        try meter.checkTime()
        return Retention(cohorts: cohorts, events: meter.events)
    }

    /// Looks up later events that the counts per quarter do not reveal.
    ///
    /// - Complexity: O(people × log).
    private static func settle(
        _ tally: inout RetentionTally,
        _ time: QueryTimeRange,
        _ people: PersonMap,
        _ meter: QueryMeter,
        _ db: Database
    ) throws {
        let statement = try RawStatement(
            db,
            """
            SELECT 1 FROM runs INDEXED BY runs_by_person CROSS JOIN events ON position BETWEEN first AND last
            WHERE runs.person = ?1 AND latest >= ?2 AND earliest < ?3
            AND time >= ?2 AND time < ?3 AND (time > ?2 OR position > ?4) AND time >= ?5 AND time <= ?6 LIMIT 1
            """
        )
        let rows = people.rows
        for (index, key) in tally.undecided.enumerated() {
            // Each iteration is an index lookup, and there may be one for every person.
            if index % 512 == 511 { try meter.checkTime() }
            let end = time.edges[PeopleByInterval.interval(key) + 1]
            try tally.settle(key) { person, first in
                try rows.of(person).contains { part in
                    statement.bind(1, part.number)
                    statement.bind(2, first.time)
                    statement.bind(3, end.milliseconds)
                    statement.bind(4, first.position)
                    statement.bind(5, part.times.lowerBound)
                    statement.bind(6, part.times.upperBound)
                    defer { statement.reset() }
                    return try statement.step()
                }
            }
        }
    }

    /// Calls `body` with each active person and a time of activity.
    ///
    /// `body` is called at least once for each person and interval with activity.
    private static func forEachPerson(
        _ filter: QueryFilter,
        _ edges: [Timestamp],
        _ people: PersonMap,
        _ meter: inout QueryMeter,
        _ db: Database,
        _ body: (Int64, Timestamp) throws -> Void
    ) throws {
        guard let from = edges.first, let end = edges.last else { return }
        let within = Array(edges.dropFirst().dropLast())
        guard let pass = try QuarterReader(filter, edges: within, people: people, events: false, db) else {
            var pass = try EventReader(filter, people: people, db)
            return try pass.read(from: from, to: end, &meter, db) { event in
                if let person = event.person { try body(person, event.time) }
            }
        }
        try pass.read(from: from, to: end, &meter, db) { quarter in
            if let person = quarter.person { try body(person, quarter.time) }
        } event: { event in
            if let person = event.person { try body(person, event.time) }
        }
    }

    /// Calls `body` with each person who has an event of the filter before a time.
    ///
    /// A person may be passed several times.
    ///
    /// Without a filter, the first time of each person suffices, and no event is read.
    private static func forEachEarlier(
        _ filter: QueryFilter,
        than moment: Timestamp,
        _ people: PersonMap,
        _ meter: inout QueryMeter,
        _ db: Database,
        _ body: (Int64) throws -> Void
    ) throws {
        guard filter != QueryFilter() else {
            let statement = try RawStatement(db, "SELECT number FROM users WHERE first < ?")
            statement.bind(1, moment.milliseconds)
            defer { statement.reset() }
            while try statement.step() {
                for person in try people.people(statement.integer(0), before: moment, db) { try body(person) }
            }
            return
        }
        var pass = try EventReader(filter, people: people, db)
        try pass.read(from: earliest, to: moment, &meter, db) { event in
            if let person = event.person { try body(person) }
        }
    }
}
