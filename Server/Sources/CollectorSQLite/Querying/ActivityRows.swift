// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Computes lifecycle, stickiness, and retention.
enum ActivityRows {
    /// The earliest possible time.
    private static let earliest = Timestamp(milliseconds: .min)

    /// The people, or the groups, that a query counts.
    struct Counted {
        let map: PersonMap
        let groups: GroupNumbers?

        init(_ unit: QueryUnit, _ budget: QueryBudget, _ cohorts: [String: Cohort], _ db: Database) throws {
            map = try PersonMap(db, cohorts: cohorts)
            groups = unit.groupType.map { GroupNumbers($0, budget: budget) }
        }

        func reader(_ filter: QueryFilter, _ db: Database) throws -> EventReader {
            try EventReader(filter, people: map, groups: groups, db)
        }
    }

    /// Counts the new, returning and dormant people per interval.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(events of the filter up to the end of the time range × log).
    static func lifecycle(
        _ query: ActivityQuery,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> Lifecycle {
        var meter = QueryMeter(budget, clock: clock)
        var tally = try lifecycle(query, Counted(query.unit, budget, cohorts, db), &meter, db)
        let intervals = try tally.result()
        try meter.checkTime()
        return Lifecycle(intervals: intervals, events: meter.events)
    }

    /// Counts the events of a lifecycle query.
    static func lifecycle(
        _ query: ActivityQuery,
        _ people: Counted,
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> LifecycleTally {
        let time = query.time
        var tally = LifecycleTally(intervals: time.count, budget: meter.budget)
        try forEachEarlier(query.filter, than: time.preceding, people, &meter, db) { try tally.count($0, -2) }
        try forEachPerson(query.filter, [time.preceding, time.edges[0]], people, &meter, db) { person, _ in
            try tally.count(person, -1)
        }
        try forEachPerson(query.filter, time.edges, people, &meter, db) { person, moment in
            try tally.count(person, time.slot(of: moment))
        }
        return tally
    }

    /// Counts people by the number of intervals in which they are active.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(events of the filter in the time range × log).
    static func stickiness(
        _ query: ActivityQuery,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> Stickiness {
        var meter = QueryMeter(budget, clock: clock)
        let active = try stickiness(query, Counted(query.unit, budget, cohorts, db), &meter, db)
        var counts = Array(repeating: Int64(0), count: query.time.count)
        active.forEachPerson { _, intervals in counts[intervals.count - 1] += 1 }
        try meter.checkTime()
        return Stickiness(people: counts, events: meter.events)
    }

    /// Counts the events of a stickiness query.
    static func stickiness(
        _ query: ActivityQuery,
        _ people: Counted,
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> PeopleByInterval {
        var active = PeopleByInterval(limit: meter.budget.people)
        try forEachPerson(query.filter, query.time.edges, people, &meter, db) { person, moment in
            try active.insert(person, query.time.slot(of: moment))
        }
        try active.settle()
        return active
    }

    /// Computes retention: the number of people who return.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(events of both filters × log); if `cohort` is `first`, also those before the time range.
    static func retention(
        _ query: RetentionQuery,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> Retention {
        var meter = QueryMeter(budget, clock: clock)
        var tally = try retention(query, Counted(query.unit, budget, cohorts, db), &meter, db)
        let cohorts = try tally.result()
        try meter.checkTime()
        return Retention(cohorts: cohorts, events: meter.events)
    }

    /// Counts the events of a retention query.
    static func retention(
        _ query: RetentionQuery,
        _ people: Counted,
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> RetentionTally {
        let time = query.time
        var tally = RetentionTally(query, budget: meter.budget)
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
            guard people.groups == nil,
                let pass = try QuarterReader(filter, edges: within, people: people.map, db),
                !isFirstAny || query.returning == QueryFilter()
            else {
                var pass = try people.reader(filter, db)
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
        try settle(&tally, time, people.map, meter, db)
        return tally
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
        _ people: Counted,
        _ meter: inout QueryMeter,
        _ db: Database,
        _ body: (Int64, Timestamp) throws -> Void
    ) throws {
        guard let from = edges.first, let end = edges.last else { return }
        let within = Array(edges.dropFirst().dropLast())
        guard people.groups == nil,
            let pass = try QuarterReader(filter, edges: within, people: people.map, events: false, db)
        else {
            var pass = try people.reader(filter, db)
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
        _ people: Counted,
        _ meter: inout QueryMeter,
        _ db: Database,
        _ body: (Int64) throws -> Void
    ) throws {
        guard filter != QueryFilter() || people.groups != nil else {
            let statement = try RawStatement(db, "SELECT number FROM users WHERE first < ?")
            statement.bind(1, moment.milliseconds)
            defer { statement.reset() }
            while try statement.step() {
                for person in try people.map.people(statement.integer(0), before: moment, db) { try body(person) }
            }
            return
        }
        var pass = try people.reader(filter, db)
        try pass.read(from: earliest, to: moment, &meter, db) { event in
            if let person = event.person { try body(person) }
        }
    }
}
