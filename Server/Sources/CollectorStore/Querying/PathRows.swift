// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Answers how people go on from a screen or an event.
enum PathRows {
    /// The answer.
    ///
    /// - Throws: ``StoreError`` when the budget is used up; what SQLite says.
    /// - Complexity: O(screens, or events, of the time or the installation × log); memory as the budget says.
    static func paths(
        _ question: PathQuestion,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Paths {
        var meter = QuestionMeter(budget, clock: clock)
        var tally = PathTally(question, budget: budget)
        var sessions = PathSessions()
        let statement = try statement(question, db)
        defer { statement.reset() }
        while try statement.step() {
            try meter.countEvent()
            let time = statement.integer(3)
            guard time >= question.from.milliseconds, time < question.to.milliseconds else { continue }
            let isOwn = statement.withBytes(2) { $0.first != UInt8(ascii: "_") }
            guard question.kind == .screens || isOwn else { continue }
            guard let session = sessions.number(statement, question.kind) else { continue }
            try tally.count(session: session, name: statement.bytes(2), at: time, position: statement.integer(4))
        }
        let (steps, links, count) = try tally.answer()
        try meter.checkTime()
        return Paths(steps: steps, links: links, sessions: count, events: meter.events)
    }

    /// Installation, session, name, time and position.
    private static func statement(_ question: PathQuestion, _ db: Database) throws -> RawStatement {
        let table = question.kind.rawValue
        let columns = "SELECT installation, session, name, time, position FROM \(table) INDEXED BY \(table)_by_"
        guard let installation = question.installation else {
            let statement = try RawStatement(db, columns + "time WHERE time >= ? AND time < ?")
            statement.bind(1, question.from.milliseconds)
            statement.bind(2, question.to.milliseconds)
            return statement
        }
        let condition = "installation WHERE installation = (SELECT number FROM installations WHERE id = ?)"
        let statement = try RawStatement(db, columns + condition)
        statement.bind(1, installation)
        return statement
    }
}

/// Numbers for the sessions that a question meets.
private struct PathSessions {
    private struct Session: Hashable {
        var installation: Int64
        var id: [UInt8]
    }

    private var numbers: [Session: Int32] = [:]
    private var known: [Int64: Int32] = [:]
    private var last: (session: Session, number: Int32)?

    /// The number of a row's session; nil for what happened outside of one.
    mutating func number(_ row: RawStatement, _ kind: PathQuestion.Kind) -> Int32? {
        switch kind {
        case .screens:
            let session = row.integer(1)
            guard session != 0 else { return nil }
            if let number = known[session] { return number }
            let number = Int32(known.count)
            known[session] = number
            return number
        case .events:
            guard !row.isNull(1) else { return nil }
            let session = Session(installation: row.optionalInteger(0) ?? 0, id: row.bytes(1))
            if let last, last.session == session { return last.number }
            let number = numbers[session] ?? Int32(numbers.count)
            numbers[session] = number
            last = (session, number)
            return number
        }
    }
}
