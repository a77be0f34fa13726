// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore

/// Reads the catalog.
enum CatalogRows {
    /// Returns the names that match a query.
    ///
    /// - Complexity: O(``EventCatalog/maxNames``), plus the days of each name in the result. If midnight in the zone is
    ///   not midnight in UTC, also the events of two days for each name.
    static func catalog(_ query: CatalogQuery, _ db: Database) throws -> EventCatalog {
        var conditions = ["name <> '\(CatalogTable.others)'"]
        if query.search != nil { conditions.append("instr(lower(name), lower(:search)) > 0") }
        if query.prefix != nil { conditions.append("substr(CAST(name AS BLOB), 1, length(:prefix)) = :prefix") }
        let number =
            switch query.order {
            case .events: "events"
            case .last: "last"
            // SQLite would interpret a bare number as a column number.
            case .name: "0 * events"
            }
        if query.after != nil { conditions.append("(-(\(number)), name) > (-(:number), :name)") }
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT name, events, first, last FROM names WHERE \(conditions.joined(separator: " AND "))
                ORDER BY -(\(number)), name LIMIT :limit
                """,
            arguments: arguments(query)
        )
        let recent = try RecentCounts(db)
        let entries = try rows.map { row in
            try recent.counted(
                CatalogEntry(
                    name: row[0],
                    events: row[1],
                    first: Timestamp(milliseconds: row[2]),
                    last: Timestamp(milliseconds: row[3])
                ),
                on: query.days
            )
        }
        let sums = try Row.fetchOne(
            db,
            sql: """
                SELECT count(*) FILTER (WHERE name <> '\(CatalogTable.others)'),
                coalesce(sum(events) FILTER (WHERE name = '\(CatalogTable.others)'), 0) FROM names
                """
        )
        return EventCatalog(entries: entries, names: sums?[0] ?? 0, others: sums?[1] ?? 0)
    }

    private static func arguments(_ query: CatalogQuery) -> StatementArguments {
        var values: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let search = query.search { values["search"] = search }
        if let prefix = query.prefix { values["prefix"] = Data(prefix.utf8) }
        if let after = query.after {
            // The smallest integer cannot be negated.
            values["number"] = max(after.number, -Int64.max)
            values["name"] = after.name
        }
        return StatementArguments(values)
    }

    /// Describes the latest events of a name; nil without events.
    ///
    /// - Complexity: O(bytes of at most ``EventDescription/Limits/events`` events and their contexts).
    static func description(
        of name: String,
        days: CatalogDays,
        limits: EventDescription.Limits,
        clock: any EventClock,
        _ db: Database
    ) throws -> EventDescription? {
        let find = try RawStatement(db, "SELECT events, first, last FROM names WHERE name = ?")
        find.bind(1, name)
        defer { find.reset() }
        var entry: CatalogEntry?
        if try find.step() {
            entry = try RecentCounts(db).counted(
                CatalogEntry(
                    name: name,
                    events: find.integer(0),
                    first: Timestamp(milliseconds: find.integer(1)),
                    last: Timestamp(milliseconds: find.integer(2))
                ),
                on: days
            )
        }
        var tally = DescriptionTally(EventDescription(name: name, entry: entry), limits: limits)
        // The contexts, in order of first appearance.
        var order: [Int64] = []
        var weights: [Int64: Int] = [:]
        let began = clock.now().monotonic
        func hasTime() -> Bool { began.duration(to: clock.now().monotonic) <= limits.time }
        // The events are in order of arrival, which does not depend on any device's clock.
        var query = EventQuery(limit: limits.events)
        query.names = [name]
        guard var walk = try EventIterator(query, "SELECT e.received, e.context, e.body FROM events e", db) else {
            return nil
        }
        defer { walk.end() }
        var bytes = 0
        while tally.read < limits.events, bytes < limits.bytes, tally.read % 64 != 0 || hasTime(),
            let row = try walk.next()
        {
            if let context = row.optionalInteger(1) {
                if weights[context] == nil { order.append(context) }
                weights[context, default: 0] += 1
            }
            let received = Timestamp(milliseconds: row.integer(0))
            row.withBytes(2) { body in
                bytes += body.count
                tally.add(body, received: received)
            }
        }
        guard tally.read > 0 else { return nil }
        let context = try RawStatement(db, "SELECT content FROM contexts WHERE number = ?")
        defer { context.reset() }
        bytes = 0
        for (count, number) in order.enumerated() {
            guard bytes < limits.bytes, count % 64 != 0 || hasTime() else { break }
            context.bind(1, number)
            if try context.step() {
                let content = context.bytes(0)
                bytes += content.count
                tally.add(context: content, events: weights[number] ?? 0)
            }
            context.reset()
        }
        return tally.description()
    }
}

/// Counts the events of a name on a range of days.
///
/// Whole UTC days are read from the sums; the partial days before and after them are read from the index.
private struct RecentCounts {
    private let days: RawStatement
    private let events: RawStatement

    init(_ db: Database) throws {
        days = try RawStatement(
            db,
            "SELECT coalesce(sum(events), 0) FROM name_days WHERE name = ? AND day >= ? AND day < ?"
        )
        events = try RawStatement(db, "SELECT count(*) FROM events WHERE name = ? AND time >= ? AND time < ?")
    }

    func counted(_ entry: CatalogEntry, on days: CatalogDays) throws -> CatalogEntry {
        var entry = entry
        entry.today = try count(entry, in: days.today)
        entry.month = try count(entry, in: days.month)
        return entry
    }

    private func count(_ entry: CatalogEntry, in range: Range<Timestamp>) throws -> Int64 {
        guard entry.last >= range.lowerBound, entry.first < range.upperBound else { return 0 }
        if range.contains(entry.first), range.contains(entry.last) { return entry.events }
        let (from, to) = (range.lowerBound.milliseconds, range.upperBound.milliseconds)
        let first = CatalogTable.day(of: from + CatalogTable.dayLength - 1)
        let last = CatalogTable.day(of: to)
        guard first < last else { return try sum(events, entry.name, from, to) }
        return try sum(events, entry.name, from, first * CatalogTable.dayLength)
            + sum(days, entry.name, first, last) + sum(events, entry.name, last * CatalogTable.dayLength, to)
    }

    private func sum(_ statement: RawStatement, _ name: String, _ from: Int64, _ to: Int64) throws -> Int64 {
        guard from < to else { return 0 }
        statement.bind(1, name)
        statement.bind(2, from)
        statement.bind(3, to)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
