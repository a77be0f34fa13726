// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Lists the people behind one point of an answer.
///
/// The same tallies as for the answer decide who they are.
enum PointPeopleRows {
    /// The meaning of the numbers that a tally counts.
    private enum Counted {
        case people
        case installations
        case groups([Int64: String])
    }

    /// Returns one page of the people.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: that of the query, O(people × log people), and O(log) for each person on the page.
    static func people(
        _ query: PointPeopleQuery,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> PointPeople {
        var meter = QueryMeter(budget, clock: clock)
        let (people, counted) = try activity(query.point, cohorts, &meter, db)
        let (page, next) = people.page(after: query.after, limit: query.limit)
        let list = try list(page, counted, db)
        try meter.checkTime()
        return PointPeople(
            people: list,
            total: people.entries.count,
            eventsWithoutPerson: people.eventsWithoutPerson,
            next: next,
            events: meter.events
        )
    }

    private static func activity(
        _ point: PointPeopleQuery.Point,
        _ cohorts: [String: Cohort],
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> (people: PeopleActivity, counted: Counted) {
        switch point {
        case .trend(let query, let point): return try trend(query, point, cohorts, &meter, db)
        case .funnel(let query, let point):
            let counted = try FunnelRows.count(query, cohorts: cohorts, &meter, db)
            var tally = counted.tally
            return (try tally.people(at: point), counted.groups.map { .groups($0.ids) } ?? .people)
        case .retention(let query, let point):
            let people = try ActivityRows.Counted(query.unit, meter.budget, cohorts, db)
            return (try retention(query, point, people, &meter, db), counted(people))
        case .lifecycle(let query, let point):
            let people = try ActivityRows.Counted(query.unit, meter.budget, cohorts, db)
            var tally = try ActivityRows.lifecycle(query, people, &meter, db)
            let wanted = try tally.people(at: point)
            let time = query.time
            // Dormant people were active in the previous interval.
            let edges = [time.preceding] + time.edges
            let start = point.interval + (point.state == .dormant ? 0 : 1)
            let active = try events(query.filter, edges[start]..<edges[start + 1], people, &meter, db) { person, _ in
                wanted.contains(person)
            }
            return (active, counted(people))
        case .stickiness(let query, let intervals):
            let people = try ActivityRows.Counted(query.unit, meter.budget, cohorts, db)
            let wanted = try ActivityRows.stickiness(query, people, &meter, db).people(activeIn: intervals)
            let span = query.time.edges[0]..<query.time.end
            let active = try events(query.filter, span, people, &meter, db) { person, _ in wanted.contains(person) }
            return (active, counted(people))
        }
    }

    private static func trend(
        _ query: TrendQuery,
        _ point: TrendPoint,
        _ cohorts: [String: Cohort],
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> (people: PeopleActivity, counted: Counted) {
        let time = query.time
        let edges = point.isBefore ? time.edgesBefore : time.edges
        let span = point.interval.map { edges[$0]..<edges[$0 + 1] } ?? edges[0]..<edges[edges.count - 1]
        // The requested period decides which values have groups of their own.
        let isRanked = point.group == .other
        let (tally, groups) = try TrendRows.count(
            query,
            listing: point,
            from: isRanked ? time.start : span.lowerBound,
            to: isRanked ? time.end : span.upperBound,
            cohorts: cohorts,
            &meter,
            db
        )
        let people = try tally.listedPeople()
        if let groups { return (people, .groups(groups.ids)) }
        return (people, query.measure == .installations ? .installations : .people)
    }

    private static func retention(
        _ query: RetentionQuery,
        _ point: RetentionPoint,
        _ people: ActivityRows.Counted,
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> PeopleActivity {
        var tally = try ActivityRows.retention(query, people, &meter, db)
        let wanted = try tally.people(at: point)
        let interval = point.cohort + (point.later ?? 0)
        let span = query.time.edges[interval]..<query.time.edges[interval + 1]
        guard let later = point.later else {
            return try events(query.first, span, people, &meter, db) { person, _ in wanted.contains(person) }
        }
        guard later == 0 else {
            return try events(query.returning, span, people, &meter, db) { person, _ in wanted.contains(person) }
        }
        // The tally may know the first event's quarter of an hour only.
        var firsts: [Int64: RetentionTally.Occurrence] = [:]
        var pass = try people.reader(query.first, db)
        try pass.read(from: span.lowerBound, to: span.upperBound, &meter, db) { event in
            guard let person = event.person, wanted.contains(person) else { return }
            let moment = occurrence(event)
            firsts[person] = firsts[person].map { min($0, moment) } ?? moment
        }
        return try events(query.returning, span, people, &meter, db) { person, event in
            firsts[person].map { $0 < occurrence(event) } ?? false
        }
    }

    private static func occurrence(_ event: EventReader.Event) -> RetentionTally.Occurrence {
        RetentionTally.Occurrence(time: event.time.milliseconds, position: event.position)
    }

    /// Reads the events of some people.
    ///
    /// - Parameter isIncluded: whether an event of a person counts.
    private static func events(
        _ filter: QueryFilter,
        _ span: Range<Timestamp>,
        _ people: ActivityRows.Counted,
        _ meter: inout QueryMeter,
        _ db: Database,
        isIncluded: (Int64, EventReader.Event) -> Bool
    ) throws -> PeopleActivity {
        var activity = PeopleActivity(limit: meter.budget.people)
        var pass = try people.reader(filter, db)
        try pass.read(from: span.lowerBound, to: span.upperBound, &meter, db) { event in
            guard let person = event.person, isIncluded(person, event) else { return }
            try activity.add(person, at: event.time)
        }
        return activity
    }

    private static func counted(_ people: ActivityRows.Counted) -> Counted {
        people.groups.map { .groups($0.ids) } ?? .people
    }

    // MARK: Ids

    private static func list(
        _ page: [(number: Int64, entry: PeopleActivity.Entry)],
        _ counted: Counted,
        _ db: Database
    ) throws -> [PointPeople.Person] {
        let statement: RawStatement
        switch counted {
        case .groups(let ids):
            return page.map { person in
                var listed = Self.person(person.entry)
                listed.group = ids[person.number] ?? ""
                return listed
            }
        case .people:
            statement = try RawStatement(
                db,
                """
                SELECT u.id, i.id FROM users u LEFT JOIN installations i ON i.number = u.installation AND u.id IS NULL
                WHERE u.number = ?
                """
            )
        case .installations:
            statement = try RawStatement(db, "SELECT NULL, id FROM installations WHERE number = ?")
        }
        return try page.map { person in
            statement.bind(1, person.number)
            defer { statement.reset() }
            var listed = Self.person(person.entry)
            guard try statement.step() else { return listed }
            listed.user = statement.optionalText(0)
            listed.installation = statement.id(1)
            return listed
        }
    }

    private static func person(_ entry: PeopleActivity.Entry) -> PointPeople.Person {
        PointPeople.Person(
            first: Timestamp(milliseconds: entry.first),
            last: Timestamp(milliseconds: entry.last),
            events: entry.events
        )
    }
}
