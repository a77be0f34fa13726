// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// The `minutes` table: the number of events of each name that arrived in a minute.
enum MinuteTable {
    /// The maximum number of names counted separately in one minute.
    static let maxNames = 200
    /// The name that stands for all names not counted separately.
    ///
    /// No event has this name.
    static let others = ""

    /// Returns the counts since a time, earliest first.
    ///
    /// The `names` busiest names of the whole range are counted separately.
    ///
    /// - Complexity: O(minutes · ``maxNames``) at worst.
    static func since(_ moment: Timestamp, names: Int, _ db: Database) throws -> [MinuteCount] {
        // Include the minute that contains the given time.
        let first = max(moment.milliseconds, Int64.min + 59_999) - 59_999
        let named = try busiest(names, since: first, db)
        let statement = try RawStatement(
            db,
            "SELECT minute, name, events FROM minutes WHERE minute >= ? ORDER BY minute, name"
        )
        statement.bind(1, first)
        var minutes: [MinuteCount] = []
        while try statement.step() {
            let minute = Timestamp(milliseconds: statement.integer(0))
            let events = UInt64(clamping: statement.integer(2))
            if minutes.last?.minute != minute { minutes.append(MinuteCount(minute: minute, events: 0)) }
            minutes[minutes.count - 1].events += events
            let name = statement.text(1)
            if named.contains(name) {
                minutes[minutes.count - 1].names[name] = events
            } else {
                minutes[minutes.count - 1].others += events
            }
        }
        return minutes
    }

    /// Subtracts events from the counts.
    ///
    /// Each event is subtracted from the count of its name, or, if the name is not counted separately, from the count
    /// of all other names.
    static func take(_ events: EventSelection, outOf db: Database) throws {
        try db.execute(
            sql: "CREATE TEMP TABLE IF NOT EXISTS gone_minutes (minute INTEGER, name TEXT, events INTEGER)"
        )
        try db.execute(sql: "DELETE FROM gone_minutes")
        // A minute starts at or before each of its times, even before 1970.
        try db.execute(
            sql: """
                INSERT INTO gone_minutes
                SELECT received - ((received % 60000) + 60000) % 60000 AS minute, name, count(*) AS events
                FROM \(events.table) GROUP BY 1, 2
                """,
            arguments: events.arguments
        )
        try db.execute(
            sql: """
                UPDATE gone_minutes SET name = '\(others)'
                WHERE NOT EXISTS (SELECT 1 FROM minutes AS m WHERE m.minute = gone_minutes.minute AND m.name = gone_minutes.name)
                """
        )
        try db.execute(
            sql: """
                UPDATE minutes SET events = minutes.events - gone.events
                FROM (SELECT minute, name, sum(events) AS events FROM gone_minutes GROUP BY 1, 2) AS gone
                WHERE minutes.minute = gone.minute AND minutes.name = gone.name
                """
        )
        try db.execute(
            sql: "DELETE FROM minutes WHERE (minute, name) IN (SELECT minute, name FROM gone_minutes) AND events <= 0"
        )
        try db.execute(sql: "DELETE FROM gone_minutes")
    }

    private static func busiest(_ count: Int, since first: Int64, _ db: Database) throws -> Set<String> {
        let statement = try RawStatement(
            db,
            """
            SELECT name FROM minutes WHERE minute >= ? AND name <> '\(others)'
            GROUP BY name ORDER BY sum(events) DESC, name LIMIT ?
            """
        )
        statement.bind(1, first)
        statement.bind(2, Int64(max(0, count)))
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(0)) }
        return names
    }
}

/// Counts events per minute of arrival and name, for one transaction.
///
/// A sender can send any number of names. The first ``MinuteTable/maxNames`` names of a minute in the log are counted
/// separately, all others together, so the table grows with time and not with the number of names.
final class MinuteSums: IndexTable {
    /// The counts of one minute.
    private final class Minute {
        let start: Int64
        /// The names counted separately, in this transaction or before it.
        var named: Set<String>
        /// The names and their event counts, by the name's number.
        var events: [Int: (name: String, events: Int64)] = [:]
        var others: Int64 = 0

        init(_ start: Int64, named: Set<String>) {
            self.start = start
            self.named = named
        }
    }

    private let add: RawStatement
    private let known: RawStatement
    private var minutes: [Int64: Minute] = [:]
    /// The minute of the last event; events that arrive together have the same minute.
    private var current: Minute?

    init(_ db: Database) throws {
        add = try RawStatement(
            db,
            """
            INSERT INTO minutes (minute, name, events) VALUES (?, ?, ?)
            ON CONFLICT (minute, name) DO UPDATE SET events = events + excluded.events
            """
        )
        known = try RawStatement(db, "SELECT name FROM minutes WHERE minute = ? AND name <> '\(MinuteTable.others)'")
    }

    /// Counts an event of the given name.
    func count(_ name: EventName, received: Timestamp) throws {
        let milliseconds = received.milliseconds
        // The remainder is negative before 1970.
        let rest = milliseconds % 60_000
        let start = milliseconds - (rest < 0 ? rest + 60_000 : rest)
        let minute = try minute(start)
        if let index = minute.events.index(forKey: name.number) {
            minute.events.values[index].events += 1
            return
        }
        if minute.named.contains(name.text) || minute.named.count < MinuteTable.maxNames {
            minute.named.insert(name.text)
            minute.events[name.number] = (name.text, 1)
        } else {
            minute.others += 1
        }
    }

    private func minute(_ start: Int64) throws -> Minute {
        if let current, current.start == start { return current }
        if let known = minutes[start] {
            current = known
            return known
        }
        var named: Set<String> = []
        known.bind(1, start)
        while try known.step() { named.insert(known.text(0)) }
        let minute = Minute(start, named: named)
        minutes[start] = minute
        current = minute
        return minute
    }

    /// Writes the sums.
    func flush() throws {
        for minute in minutes.values {
            for sum in minute.events.values { try write(sum.events, of: sum.name, minute) }
            if minute.others > 0 { try write(minute.others, of: MinuteTable.others, minute) }
        }
        minutes.removeAll(keepingCapacity: true)
        current = nil
    }

    var tableNames: [String] { ["minutes"] }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try MinuteTable.take(.installation(installation), outOf: db)
    }

    private func write(_ events: Int64, of name: String, _ minute: Minute) throws {
        add.bind(1, minute.start)
        add.bind(2, name)
        add.bind(3, events)
        try add.run()
    }
}
