// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Writing sessions, their screens, what was clicked there, and starts and ends.
struct SessionTable {
    private let db: Database
    private let find: RawStatement
    private let insert: RawStatement
    private let complete: RawStatement
    private let sum: RawStatement
    private let insertScreen: RawStatement
    private let lastScreen: RawStatement
    private let addEngagement: RawStatement
    private let insertLaunch: RawStatement
    private let insertClick: RawStatement

    init(_ db: Database) throws {
        self.db = db
        find = try RawStatement(db, "SELECT number FROM sessions WHERE installation = ? AND id = ?")
        insert = try RawStatement(db, "INSERT INTO sessions (installation, id, ordinal, start) VALUES (?, ?, ?, ?)")
        complete = try RawStatement(db, "UPDATE sessions SET ordinal = coalesce(ordinal, ?) WHERE number = ?")
        sum = try RawStatement(
            db,
            """
            UPDATE sessions SET start = min(start, ?), last = max(last, ?), events = events + ?,
            engagement = engagement + ?, foreground = foreground + ? WHERE number = ?
            """
        )
        insertScreen = try RawStatement(
            db,
            """
            INSERT OR IGNORE INTO screens (position, installation, session, time, name, id, unique_id)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """
        )
        lastScreen = try RawStatement(
            db,
            """
            SELECT position, engagement FROM screens
            WHERE session = ?1 AND time <= ?2 AND installation = ?3 AND (?4 IS NULL OR name = ?4)
            ORDER BY time DESC, position DESC LIMIT 1
            """
        )
        addEngagement = try RawStatement(db, "UPDATE screens SET engagement = engagement + ? WHERE position = ?")
        insertLaunch = try RawStatement(
            db,
            """
            INSERT OR IGNORE INTO launches (position, installation, session, time, kind, first, recovered, duration)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """
        )
        insertClick = try RawStatement(
            db,
            "INSERT OR IGNORE INTO clicks (position, installation, time, screen, element, type) VALUES (?, ?, ?, ?, ?, ?)"
        )
    }

    /// A session's number, assigned when the session first appears.
    func number(of id: String, installation: Int64, ordinal: Int64?, start: Int64) throws -> Int64 {
        // A client that does not count says nothing, or 0.
        let ordinal = ordinal.flatMap { $0 > 0 ? $0 : nil }
        find.bind(1, installation)
        find.bind(2, id)
        if try find.step() {
            let number = find.integer(0)
            find.reset()
            if let ordinal {
                complete.bind(1, ordinal)
                complete.bind(2, number)
                try complete.run()
            }
            return number
        }
        insert.bind(1, installation)
        insert.bind(2, id)
        insert.bind(3, ordinal)
        insert.bind(4, start)
        try insert.run()
        return db.lastInsertedRowID
    }

    /// Adds a transaction's sums to a session.
    func add(
        to number: Int64,
        first: Int64,
        last: Int64,
        events: Int64,
        engagement: Int64,
        foreground: Int64
    ) throws {
        sum.bind(1, first)
        sum.bind(2, last)
        sum.bind(3, events)
        sum.bind(4, engagement)
        sum.bind(5, foreground)
        sum.bind(6, number)
        try sum.run()
    }

    /// A screen was shown.
    func show(
        _ name: String,
        id: String?,
        uniqueID: String?,
        at time: Int64,
        _ position: EventPosition,
        session: Int64,
        installation: Int64
    ) throws {
        insertScreen.bind(1, position.rawValue)
        insertScreen.bind(2, installation)
        insertScreen.bind(3, session)
        insertScreen.bind(4, time)
        insertScreen.bind(5, name)
        insertScreen.bind(6, id)
        insertScreen.bind(7, uniqueID)
        try insertScreen.run()
    }

    /// The latest screen before a moment was used for so long.
    ///
    /// - Parameters:
    ///   - name: The screen's name; nil for whichever it was.
    ///   - onlyUntold: Only when nothing was reported about that view of the screen before.
    /// - Returns: Whether there was such a screen.
    func engage(
        _ session: Int64,
        _ installation: Int64,
        _ name: String?,
        _ engagement: Int64,
        before time: Int64,
        onlyUntold: Bool
    ) throws -> Bool {
        lastScreen.bind(1, session)
        lastScreen.bind(2, time)
        lastScreen.bind(3, installation)
        lastScreen.bind(4, name)
        guard try lastScreen.step() else { return false }
        let (position, told) = (lastScreen.integer(0), lastScreen.integer(1))
        lastScreen.reset()
        if onlyUntold, told > 0 { return false }
        addEngagement.bind(1, engagement)
        addEngagement.bind(2, position)
        try addEngagement.run()
        return true
    }

    /// An element of a screen was clicked.
    func click(
        _ element: String,
        type: String?,
        on screen: String,
        at time: Int64,
        _ position: EventPosition,
        installation: Int64
    ) throws {
        insertClick.bind(1, position.rawValue)
        insertClick.bind(2, installation)
        insertClick.bind(3, time)
        insertClick.bind(4, screen)
        insertClick.bind(5, element)
        insertClick.bind(6, type)
        try insertClick.run()
    }

    /// The app started, ended or crashed.
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
