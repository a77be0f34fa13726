// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Answers questions about how much happened when.
enum TrendRows {
    /// The answer.
    ///
    /// Every row that SQLite steps over is counted against the budget: only what an index finds is left to SQL, the rest is
    /// decided here, so that no text of a question ever becomes part of the SQL, and no step is long.
    ///
    /// - Throws: ``StoreError`` when the budget is used up; what SQLite says.
    /// - Complexity: O(events of the name, the user or the installation, or of the time); memory as the budget says.
    static func trend(
        _ question: Question,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Trend {
        var pass = try TrendPass(question, budget: budget, clock: clock, db)
        let filter = question.filter
        if let user = filter.user {
            try pass.read("events_by_user", "user = ?", db) { $0.bind(1, user) }
        } else if let installation = filter.installation {
            let number = "installation = (SELECT number FROM installations WHERE id = ?)"
            try pass.read("events_by_installation", number, db) { $0.bind(1, installation) }
        } else if filter.names.isEmpty {
            try pass.read("events_by_time", "time >= ? AND time < ?", db) { statement in
                statement.bind(1, question.time.start.milliseconds)
                statement.bind(2, question.time.end.milliseconds)
            }
        } else {
            for name in filter.names {
                try pass.read("events_by_question", "name = ? AND time >= ? AND time < ?", db) { statement in
                    statement.bind(1, name)
                    statement.bind(2, question.time.start.milliseconds)
                    statement.bind(3, question.time.end.milliseconds)
                }
            }
        }
        return Trend(series: pass.tally.series(), events: pass.events)
    }
}

/// One pass over the events that may belong to a question.
private struct TrendPass {
    /// After so many events the clock is asked.
    private static let eventsBetweenLooks = 512

    private let question: Question
    private let budget: QuestionBudget
    private let clock: any EventClock
    private let began: MonotonicTime
    private let names: [[UInt8]]
    private let installation: Int64?
    private let fields: [QuestionField]
    private var values: QuestionValues
    private(set) var tally: TrendTally
    private(set) var events = 0

    init(_ question: Question, budget: QuestionBudget, clock: any EventClock, _ db: Database) throws {
        self.question = question
        self.budget = budget
        self.clock = clock
        began = clock.now().monotonic
        names = question.filter.names.map { Array($0.utf8) }
        var fields: [QuestionField] = []
        let wanted =
            question.filter.conditions.map(\.field)
            + [question.measure.field, question.grouping?.field].compactMap { $0 }
        for field in wanted where !fields.contains(field) { fields.append(field) }
        self.fields = fields
        values = try QuestionValues(fields, db)
        tally = TrendTally(question, budget: budget)
        installation = try question.filter.installation.map { id in
            let statement = try RawStatement(db, "SELECT number FROM installations WHERE id = ?")
            statement.bind(1, id)
            defer { statement.reset() }
            // No installation has this number.
            return try statement.step() ? statement.integer(0) : -1
        }
    }

    /// Counts the events that an index finds, as far as they belong to the question.
    mutating func read(
        _ index: String,
        _ condition: String,
        _ db: Database,
        _ bind: (RawStatement) -> Void
    ) throws {
        // Without attributes the index has it all, and no event is read.
        let content = fields.isEmpty ? "NULL, NULL" : "context, body"
        let statement = try RawStatement(
            db,
            "SELECT time, installation, user, name, \(content) FROM events INDEXED BY \(index) WHERE \(condition)"
        )
        bind(statement)
        defer { statement.reset() }
        while try statement.step() {
            events += 1
            try check()
            try count(statement)
        }
    }

    private func check() throws(StoreError) {
        guard events <= budget.events else {
            throw .overBudget(
                "from",
                "it reads more than \(budget.events) events: choose a shorter time, or an event's name"
            )
        }
        guard events % Self.eventsBetweenLooks == 0 else { return }
        let taken = began.duration(to: clock.now().monotonic)
        guard taken <= budget.time else {
            throw .overBudget(
                "from",
                "it takes longer than \(budget.time): choose a shorter time, an event's name, or fewer conditions"
            )
        }
    }

    private mutating func count(_ row: RawStatement) throws {
        let time = Timestamp(milliseconds: row.integer(0))
        guard time >= question.time.start, time < question.time.end else { return }
        if let installation, row.optionalInteger(1) != installation { return }
        if !names.isEmpty, question.filter.user != nil || installation != nil {
            guard row.withBytes(3, { name in names.contains { $0.elementsEqual(name) } }) else { return }
        }
        var value: QuestionValue?
        var number: JSONNumber?
        if !fields.isEmpty {
            let context = row.optionalInteger(4)
            let found = try row.withBytes(5) { try values.values(body: $0, context: context) }
            func lookUp(_ field: QuestionField?) -> QuestionValue? {
                field.flatMap { fields.firstIndex(of: $0) }.flatMap { found[$0] }
            }
            guard question.filter.conditions.allSatisfy({ $0.holds(of: lookUp($0.field)) }) else { return }
            value = lookUp(question.grouping?.field)
            number = lookUp(question.measure.field)?.number
        }
        try tally.count(at: time, value: value, person: person(row), number: number)
    }

    private func person(_ row: RawStatement) -> TrendTally.Person? {
        switch question.measure {
        case .users:
            if !row.isNull(2) { return .user(row.bytes(2)) }
            return row.optionalInteger(1).map { .installation($0) }
        case .installations: return row.optionalInteger(1).map { .installation($0) }
        case .events, .sum, .average, .p95: return nil
        }
    }
}
