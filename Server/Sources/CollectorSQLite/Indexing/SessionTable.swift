// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Writes sessions, launches and exits.
struct SessionTable {
    private let db: Database
    private let find: RawStatement
    private let insert: RawStatement
    private let sum: RawStatement
    private let insertLaunch: RawStatement

    init(_ db: Database) throws {
        self.db = db
        find = try RawStatement(db, "SELECT number FROM sessions WHERE installation = ? AND id = ?")
        insert = try RawStatement(
            db,
            "INSERT INTO sessions (installation, id, start, mark) VALUES (?, ?, \(Int64.max), ?)"
        )
        sum = try RawStatement(
            db,
            """
            UPDATE sessions SET ordinal = coalesce(ordinal, ?), start = min(start, ?), last = max(last, ?), events = events + ?,
            engagement = engagement + ?, foreground = foreground + ? WHERE number = ?
            """
        )
        insertLaunch = try RawStatement(
            db,
            """
            INSERT OR IGNORE INTO launches (position, installation, session, time, kind, first, recovered, duration)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
    }

    /// Returns a session's number, assigned on its first appearance, and whether the session is new.
    ///
    /// - Parameter mark: Orders sessions that began at the same time.
    func number(
        of id: String,
        installation: Int64,
        mark: @autoclosure () -> Int64
    ) throws -> (number: Int64, isNew: Bool) {
        find.bind(1, installation)
        find.bind(2, id)
        if try find.step() {
            let number = find.integer(0)
            find.reset()
            return (number, false)
        }
        insert.bind(1, installation)
        insert.bind(2, id)
        insert.bind(3, mark())
        try insert.run()
        return (db.lastInsertedRowID, true)
    }

    /// Adds a transaction's sums to a session.
    ///
    /// - Parameter ordinal: The session's number within its installation; nil if unknown.
    func add(
        to number: Int64,
        ordinal: Int64?,
        start: Int64,
        last: Int64,
        events: Int64,
        engagement: Int64,
        foreground: Int64
    ) throws {
        sum.bind(1, ordinal)
        sum.bind(2, start)
        sum.bind(3, last)
        sum.bind(4, events)
        sum.bind(5, engagement)
        sum.bind(6, foreground)
        sum.bind(7, number)
        try sum.run()
    }

    /// Adds a launch, an exit or a crash of the app.
    func launch(_ launch: StoredLaunch, _ position: EventPosition, session: Int64, installation: Int64) throws {
        insertLaunch.bind(1, position.rawValue)
        insertLaunch.bind(2, installation)
        insertLaunch.bind(3, session)
        insertLaunch.bind(4, launch.time.milliseconds)
        insertLaunch.bind(5, launch.kind)
        insertLaunch.bind(6, launch.isFirst ? 1 : 0)
        insertLaunch.bind(7, launch.isRecovered ? 1 : 0)
        insertLaunch.bind(8, launch.duration)
        try insertLaunch.run()
    }
}
