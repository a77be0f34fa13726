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
        try forEachEarlier(question.filter, than: time.preceding, &meter, db) { try tally.count($0, -2) }
        var pass = try EventPass(question.filter, db)
        try pass.read(from: time.preceding, to: time.end, &meter, db) { event in
            guard let person = event.person else { return }
            try tally.count(person, event.time < time.edges[0] ? -1 : time.slot(of: event.time))
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
        var pass = try EventPass(question.filter, db)
        try pass.read(from: time.edges[0], to: time.end, &meter, db) { event in
            guard let person = event.person else { return }
            try active.insert(person, time.slot(of: event.time))
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
        if question.cohort == .first {
            try forEachEarlier(question.first, than: time.edges[0], &meter, db) { try tally.wasThere($0) }
        }
        func read(_ filter: QuestionFilter, _ body: (Int64, Int, RetentionTally.Moment) throws -> Void) throws {
            var pass = try EventPass(filter, db)
            try pass.read(from: time.edges[0], to: time.end, &meter, db) { event in
                guard let person = event.person else { return }
                let moment = RetentionTally.Moment(time: event.time.milliseconds, position: event.position)
                try body(person, time.slot(of: event.time), moment)
            }
        }
        try read(question.first) { try tally.came($0, $1, at: $2) }
        tally.settle()
        try read(question.returning) { try tally.returned($0, $1, at: $2) }
        let cohorts = try tally.answer()
        try meter.checkTime()
        return Retention(cohorts: cohorts, events: meter.events)
    }

    /// Everybody with an event of the filter before a moment, possibly several times.
    ///
    /// Who had any event is known of each person, and no event has to be read for it.
    private static func forEachEarlier(
        _ filter: QuestionFilter,
        than moment: Timestamp,
        _ meter: inout QuestionMeter,
        _ db: Database,
        _ body: (Int64) throws -> Void
    ) throws {
        guard filter != QuestionFilter() else {
            let statement = try RawStatement(db, "SELECT number FROM users WHERE first < ?")
            statement.bind(1, moment.milliseconds)
            defer { statement.reset() }
            while try statement.step() { try body(statement.integer(0)) }
            return
        }
        var pass = try EventPass(filter, db)
        try pass.read(from: earliest, to: moment, &meter, db) { event in
            if let person = event.person { try body(person) }
        }
    }
}
