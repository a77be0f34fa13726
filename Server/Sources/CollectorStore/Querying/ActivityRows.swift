// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Answers who is active when: lifecycle, stickiness and retention.
enum ActivityRows {
    /// The first moment of all.
    private static let earliest = Timestamp(milliseconds: .min)

    /// How many people are new, come back or stay away.
    ///
    /// - Throws: ``StoreError`` when the budget is used up; what SQLite says.
    /// - Complexity: O(events of the filter up to the end of the time × log).
    static func lifecycle(
        _ question: ActivityQuestion,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Lifecycle {
        let time = question.time
        var meter = QuestionMeter(budget, clock: clock)
        var tally = LifecycleTally(intervals: time.count, budget: budget)
        let people = try PersonMap(db)
        try forEachEarlier(question.filter, than: time.preceding, people, &meter, db) { try tally.count($0, -2) }
        try forEachPerson(question.filter, [time.preceding, time.edges[0]], people, &meter, db) { person, _ in
            try tally.count(person, -1)
        }
        try forEachPerson(question.filter, time.edges, people, &meter, db) { person, moment in
            try tally.count(person, time.slot(of: moment))
        }
        let intervals = try tally.answer()
        try meter.checkTime()
        return Lifecycle(intervals: intervals, events: meter.events)
    }

    /// In how many intervals people are active.
    ///
    /// - Throws: ``StoreError`` when the budget is used up; what SQLite says.
    /// - Complexity: O(events of the filter in the time × log).
    static func stickiness(
        _ question: ActivityQuestion,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Stickiness {
        let time = question.time
        var meter = QuestionMeter(budget, clock: clock)
        var active = PeopleByInterval(limit: budget.people)
        try forEachPerson(question.filter, time.edges, try PersonMap(db), &meter, db) { person, moment in
            try active.insert(person, time.slot(of: moment))
        }
        try active.settle()
        var people = Array(repeating: Int64(0), count: time.count)
        active.forEachPerson { _, intervals in people[intervals.count - 1] += 1 }
        try meter.checkTime()
        return Stickiness(people: people, events: meter.events)
    }

    /// Who comes back.
    ///
    /// - Throws: ``StoreError`` when the budget is used up; what SQLite says.
    /// - Complexity: O(events of both filters × log); with `cohort` `first` also those before the time.
    static func retention(
        _ question: RetentionQuestion,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Retention {
        let time = question.time
        var meter = QuestionMeter(budget, clock: clock)
        var tally = RetentionTally(question, budget: budget)
        let people = try PersonMap(db)
        if question.cohort == .first {
            try forEachEarlier(question.first, than: time.edges[0], people, &meter, db) { try tally.wasThere($0) }
        }
        // Both are counted by quarters or neither, or the order of two events of one quarter would be wrong.
        let isFirstAny = question.first == QuestionFilter()
        func read(_ filter: QuestionFilter, _ body: (Int64, Int, RetentionTally.Moment) throws -> Void) throws {
            func exact(_ event: EventPass.Event) throws {
                guard let person = event.person else { return }
                let moment = RetentionTally.Moment(time: event.time.milliseconds, position: event.position)
                try body(person, time.slot(of: event.time), moment)
            }
            let within = Array(time.edges.dropFirst().dropLast())
            guard let pass = try QuarterPass(filter, edges: within, people: people, db),
                !isFirstAny || question.returning == QuestionFilter()
            else {
                var pass = try EventPass(filter, people: people, db)
                return try pass.read(from: time.edges[0], to: time.end, &meter, db) { try exact($0) }
            }
            try pass.read(from: time.edges[0], to: time.end, &meter, db) { quarter in
                guard let person = quarter.person else { return }
                let moment = RetentionTally.Moment(
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
        try read(question.first) { try tally.came($0, $1, at: $2) }
        tally.settle()
        try read(question.returning) { try tally.returned($0, $1, at: $2) }
        try settle(&tally, time, people, meter, db)
        let cohorts = try tally.answer()
        try meter.checkTime()
        return Retention(cohorts: cohorts, events: meter.events)
    }

    /// Looks up who had another event behind the first one, where quarters do not tell.
    ///
    /// - Complexity: O(people × log).
    private static func settle(
        _ tally: inout RetentionTally,
        _ time: QuestionTime,
        _ people: PersonMap,
        _ meter: QuestionMeter,
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
        for (looked, key) in tally.unsure.enumerated() {
            // Each is a look into the index, and there may be as many as people.
            if looked % 512 == 511 { try meter.checkTime() }
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

    /// All active people, each with a time of activity: at least one between any two edges.
    private static func forEachPerson(
        _ filter: QuestionFilter,
        _ edges: [Timestamp],
        _ people: PersonMap,
        _ meter: inout QuestionMeter,
        _ db: Database,
        _ body: (Int64, Timestamp) throws -> Void
    ) throws {
        guard let from = edges.first, let end = edges.last else { return }
        let within = Array(edges.dropFirst().dropLast())
        guard let pass = try QuarterPass(filter, edges: within, people: people, events: false, db) else {
            var pass = try EventPass(filter, people: people, db)
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

    /// All people with an event of the filter before a moment, possibly several times.
    ///
    /// Without a filter the first time of each person suffices, and no event is read.
    private static func forEachEarlier(
        _ filter: QuestionFilter,
        than moment: Timestamp,
        _ people: PersonMap,
        _ meter: inout QuestionMeter,
        _ db: Database,
        _ body: (Int64) throws -> Void
    ) throws {
        guard filter != QuestionFilter() else {
            let statement = try RawStatement(db, "SELECT number FROM users WHERE first < ?")
            statement.bind(1, moment.milliseconds)
            defer { statement.reset() }
            while try statement.step() {
                for person in try people.people(statement.integer(0), before: moment, db) { try body(person) }
            }
            return
        }
        var pass = try EventPass(filter, people: people, db)
        try pass.read(from: earliest, to: moment, &meter, db) { event in
            if let person = event.person { try body(person) }
        }
    }
}
