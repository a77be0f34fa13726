// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Computes the paths that people take from a screen or an event.
enum PathRows {
    /// Computes the paths.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(screens, or events, of the time range or the installation × log); memory within the budget.
    static func paths(
        _ query: PathQuery,
        budget: QueryBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Paths {
        var meter = QueryMeter(budget, clock: clock)
        var tally = PathTally(query, budget: budget)
        var sessions = PathSessions()
        let statement = try statement(query, db)
        defer { statement.reset() }
        while try statement.step() {
            try meter.countEvent()
            let time = statement.integer(2)
            guard time >= query.from.milliseconds, time < query.to.milliseconds else { continue }
            let isOwn = statement.withBytes(1) { $0.first != UInt8(ascii: "_") }
            guard query.kind == .screens || isOwn else { continue }
            guard let session = sessions.number(statement.optionalInteger(0)) else { continue }
            try tally.count(session: session, name: statement.bytes(1), at: time, position: statement.integer(3))
        }
        let (steps, links, count) = try tally.result()
        try meter.checkTime()
        return Paths(steps: steps, links: links, sessions: count, events: meter.events)
    }

    /// Returns a statement that reads session, name, time and position.
    private static func statement(_ query: PathQuery, _ db: Database) throws -> RawStatement {
        let table = query.kind.rawValue
        let columns = "SELECT \(table).session, name, time, position FROM "
        let inRuns = "CROSS JOIN \(table) ON position BETWEEN first AND last WHERE "
        guard let installation = query.installation else {
            switch query.kind {
            case .screens:
                let statement = try RawStatement(
                    db,
                    columns + "screens INDEXED BY screens_by_time WHERE time >= ? AND time < ?"
                )
                statement.bind(1, query.from.milliseconds)
                statement.bind(2, query.to.milliseconds)
                return statement
            case .events:
                let statement = try RawStatement(
                    db,
                    columns + "runs INDEXED BY runs_by_time " + inRuns + "latest >= ? AND latest < ? AND earliest < ?"
                )
                let (end, isOver) = query.to.milliseconds.addingReportingOverflow(RunTable.span)
                statement.bind(1, query.from.milliseconds)
                statement.bind(2, isOver ? .max : end)
                statement.bind(3, query.to.milliseconds)
                return statement
            }
        }
        let statement = try RawStatement(
            db,
            columns + "runs " + inRuns + "runs.installation = (SELECT number FROM installations WHERE id = ?)"
        )
        statement.bind(1, installation)
        return statement
    }
}

/// Assigns numbers to the sessions that a query reads.
private struct PathSessions {
    private var known: [Int64: Int32] = [:]
    private var last: (session: Int64, number: Int32)?

    /// Returns the number of a session; nil outside every session.
    ///
    /// For events outside every session, `session` is 0 or nil.
    mutating func number(_ session: Int64?) -> Int32? {
        guard let session, session != 0 else { return nil }
        // Events of one session are usually consecutive.
        if let last, last.session == session { return last.number }
        let number = known[session] ?? Int32(known.count)
        known[session] = number
        last = (session, number)
        return number
    }
}
