// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reading the counts per minute.
enum MinuteRows {
    /// The most names that one minute's counts tell apart in the index; all others count together, under ``others``.
    static let maxNames = 200
    /// The name under which the others count. No event has it.
    static let others = ""

    /// - Complexity: O(minutes · ``maxNames``) at worst.
    static func since(_ moment: Timestamp, names: Int, _ db: Database) throws -> [MinuteCount] {
        // The minute the moment lies in counts too.
        let first = max(moment.milliseconds, Int64.min + 59_999) - 59_999
        let told = try busiest(names, since: first, db)
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
            if told.contains(name) {
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
