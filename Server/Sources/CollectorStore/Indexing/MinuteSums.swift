// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB

/// Counts events per minute of arrival and name, for one transaction.
///
/// Anybody may send any number of names. A minute tells apart as many as ``MinuteRows/maxNames``, those that come first
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
        known = try RawStatement(db, "SELECT name FROM minutes WHERE minute = ? AND name <> '\(MinuteRows.others)'")
    }

    /// An event of this name arrived in the minute that begins then, in milliseconds.
    func count(_ name: String, minute: Int64) throws {
        sums[Key(minute: minute, name: try isTold(name, minute) ? name : MinuteRows.others), default: 0] += 1
    }

    private func isTold(_ name: String, _ minute: Int64) throws -> Bool {
        if names[minute] == nil {
            var found: Set<String> = []
            known.bind(1, minute)
            while try known.step() { found.insert(known.text(0)) }
            names[minute] = found
        }
        if names[minute]?.contains(name) == true { return true }
        guard (names[minute]?.count ?? 0) < MinuteRows.maxNames else { return false }
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
