// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// The `minutes` table: how many events of each name arrived in a minute.
enum MinuteTable {
    /// The most names that are counted separately in one minute; all others count together, under ``others``.
    static let maxNames = 200
    /// The name under which the others count. No event has it.
    static let others = ""

    /// The counts since a moment, earliest first; the `names` busiest of the whole time are counted separately.
    ///
    /// - Complexity: O(minutes · ``maxNames``) at worst.
    static func since(_ moment: Timestamp, names: Int, _ db: Database) throws -> [MinuteCount] {
        // The minute the moment lies in counts too.
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
/// Anybody may send any number of names. A minute counts ``MinuteTable/maxNames`` of them separately, those that come first
/// in the log; the others count together, so that the table grows with time and not with names.
final class MinuteSums {
    private struct Key: Hashable {
        let minute: Int64
        let name: String
    }

    private let add: RawStatement
    private let known: RawStatement
    private var sums: [Key: Int64] = [:]
    private var names: [Int64: Set<String>] = [:]

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

    /// An event of this name arrived.
    func count(_ name: String, received: Timestamp) throws {
        let milliseconds = received.milliseconds
        // The rest is negative before 1970.
        let rest = milliseconds % 60_000
        let minute = milliseconds - (rest < 0 ? rest + 60_000 : rest)
        sums[Key(minute: minute, name: try isNamed(name, minute) ? name : MinuteTable.others), default: 0] += 1
    }

    private func isNamed(_ name: String, _ minute: Int64) throws -> Bool {
        if names[minute] == nil {
            var found: Set<String> = []
            known.bind(1, minute)
            while try known.step() { found.insert(known.text(0)) }
            names[minute] = found
        }
        if names[minute]?.contains(name) == true { return true }
        guard (names[minute]?.count ?? 0) < MinuteTable.maxNames else { return false }
        names[minute]?.insert(name)
        return true
    }

    /// Writes the sums.
    func flush() throws {
        for (key, count) in sums {
            add.bind(1, key.minute)
            add.bind(2, key.name)
            add.bind(3, count)
            try add.run()
        }
        sums.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
    }
}
