// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// The `names` and `name_days` tables: event counts by name and day, and time ranges.
///
/// A sender can send any number of names. The first ``EventCatalog/maxNames`` names in the log are counted separately;
/// the events of all other names are counted together, under ``others``.
enum CatalogTable {
    /// The name that stands for all names not counted separately.
    ///
    /// No event has this name.
    static let others = ""
    /// The length of a day of UTC, in milliseconds.
    static let dayLength: Int64 = 86_400_000

    /// Returns the UTC day of a time, counted from 1970.
    static func day(of milliseconds: Int64) -> Int64 {
        // A sender can send any number, so adding to it could overflow.
        milliseconds / dayLength - (milliseconds % dayLength < 0 ? 1 : 0)
    }

    /// Subtracts events from the counts.
    ///
    /// Call this before the events are deleted.
    static func take(_ events: EventSelection, outOf db: Database) throws {
        let day = "time / \(dayLength) - (time % \(dayLength) < 0)"
        let separateNameCount = "EXISTS (SELECT 1 FROM names WHERE names.name = events.name)"
        try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS named (name TEXT PRIMARY KEY, events INTEGER)")
        try db.execute(sql: "DELETE FROM named")
        try db.execute(
            sql: """
                INSERT INTO named
                SELECT CASE WHEN \(separateNameCount) THEN name ELSE '\(others)' END, count(*) FROM \(events.table) GROUP BY 1
                """,
            arguments: events.arguments
        )
        try db.execute(
            sql: """
                UPDATE name_days SET events = name_days.events - gone.events
                FROM (
                    SELECT CASE WHEN \(separateNameCount) THEN name ELSE '\(others)' END AS name, \(day) AS day, count(*) AS events
                    FROM \(events.table) GROUP BY 1, 2
                ) AS gone
                WHERE name_days.name = gone.name AND name_days.day = gone.day
                """,
            arguments: events.arguments
        )
        try db.execute(sql: "DELETE FROM name_days WHERE name IN (SELECT name FROM named) AND events <= 0")
        try db.execute(
            sql: "UPDATE names SET events = names.events - named.events FROM named WHERE names.name = named.name"
        )
        try db.execute(sql: "DELETE FROM names WHERE name IN (SELECT name FROM named) AND events <= 0")
    }

    /// Recomputes the time ranges of the names that ``take(_:outOf:)`` subtracted from.
    ///
    /// - Complexity: O(names of the installation), each with an index lookup.
    static func narrow(_ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE names SET
                    first = (SELECT min(time) FROM events WHERE events.name = names.name),
                    last = (SELECT max(time) FROM events WHERE events.name = names.name)
                WHERE name IN (SELECT name FROM named) AND name <> '\(others)'
                """
        )
        try db.execute(sql: "DELETE FROM named")
    }
}

/// Counts events per name and day, for one transaction.
final class CatalogCounts: IndexTable {
    /// The counts of one name; number 0 is for all other names together.
    private struct Sum {
        let name: String
        var events: Int64 = 0
        var first = Int64.max
        var last = Int64.min
        /// The day of the last counted event, and the number of that day's events that are not in ``days`` yet.
        ///
        /// Consecutive events are usually from the same day.
        var day: Int64 = 0
        var eventsOfDay: Int64 = 0
    }

    private struct Day: Hashable {
        let name: Int32
        let day: Int64
    }

    private let find: RawStatement
    private let count: RawStatement
    private let earlier: RawStatement
    private let add: RawStatement
    private let addDay: RawStatement
    private let maxNames: Int
    /// The index into ``sums``, by a name's number in the transaction; -1 if not looked up.
    private var numbers: [Int32] = []
    private var sums = [Sum(name: CatalogTable.others)]
    private var days: [Day: Int64] = [:]
    /// The number of names counted separately; nil until a new name arrives.
    private var separateNameCount: Int?
    /// Whether some names are not counted separately.
    private var hasOthers = false

    /// Creates empty counts.
    ///
    /// - Parameter maxNames: The maximum number of names counted separately.
    init(_ db: Database, maxNames: Int = EventCatalog.maxNames) throws {
        self.maxNames = maxNames
        find = try RawStatement(db, "SELECT 1 FROM names WHERE name = ?")
        count = try RawStatement(db, "SELECT count(*), coalesce(min(name) = '', 0) FROM names")
        earlier = try RawStatement(db, "SELECT time FROM events WHERE name = ?")
        // The time range of the other names is never read.
        add = try RawStatement(
            db,
            """
            INSERT INTO names (name, events, first, last) VALUES (?, ?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET events = events + excluded.events,
            first = min(first, excluded.first), last = max(last, excluded.last)
            """
        )
        addDay = try RawStatement(
            db,
            """
            INSERT INTO name_days (name, day, events) VALUES (?, ?, ?)
            ON CONFLICT (name, day) DO UPDATE SET events = events + excluded.events
            """
        )
    }

    /// Counts a stored event of a name.
    func count(_ name: EventName, at time: Int64) throws {
        let number = try number(of: name, at: time)
        add(1, to: number, at: time)
    }

    private func add(_ events: Int64, to number: Int32, at time: Int64) {
        let index = Int(number)
        sums[index].events += events
        sums[index].first = min(sums[index].first, time)
        sums[index].last = max(sums[index].last, time)
        let day = CatalogTable.day(of: time)
        if sums[index].day != day {
            settle(index)
            sums[index].day = day
        }
        sums[index].eventsOfDay += events
    }

    /// Adds the events of a name's last day to ``days``.
    private func settle(_ index: Int) {
        guard sums[index].eventsOfDay != 0 else { return }
        days[Day(name: Int32(index), day: sums[index].day), default: 0] += sums[index].eventsOfDay
        sums[index].eventsOfDay = 0
    }

    private func number(of name: EventName, at time: Int64) throws -> Int32 {
        if name.number < numbers.count, numbers[name.number] >= 0 { return numbers[name.number] }
        let number: Int32
        if try isSeparate(name.text) {
            number = begin(name.text)
        } else if try hasRoom() {
            number = begin(name.text)
            separateNameCount = (separateNameCount ?? 0) + 1
            if hasOthers { try moveFromOthers(name.text, to: number, except: time) }
        } else {
            hasOthers = true
            number = 0
        }
        while numbers.count <= name.number { numbers.append(-1) }
        numbers[name.number] = number
        return number
    }

    private func begin(_ name: String) -> Int32 {
        sums.append(Sum(name: name))
        return Int32(sums.count - 1)
    }

    private func isSeparate(_ name: String) throws -> Bool {
        find.bind(1, name)
        defer { find.reset() }
        return try find.step()
    }

    private func hasRoom() throws -> Bool {
        if separateNameCount == nil {
            defer { count.reset() }
            _ = try count.step()
            hasOthers = count.integer(1) != 0
            // The names that this transaction counts separately have not been written yet.
            separateNameCount = Int(count.integer(0)) - (hasOthers ? 1 : 0)
        }
        return (separateNameCount ?? 0) < maxNames
    }

    /// Moves a name's earlier events from the shared count to a separate one.
    ///
    /// Called after an erasure has made room for another separately counted name.
    ///
    /// - Parameter time: The time of the event that caused this; the event is not counted yet.
    private func moveFromOthers(_ name: String, to number: Int32, except time: Int64) throws {
        earlier.bind(1, name)
        var isOwnEventPending = true
        while try earlier.step() {
            let moment = earlier.integer(0)
            if isOwnEventPending, moment == time {
                isOwnEventPending = false
                continue
            }
            add(1, to: number, at: moment)
            sums[0].events -= 1
            days[Day(name: 0, day: CatalogTable.day(of: moment)), default: 0] -= 1
        }
    }

    /// Writes the sums.
    func flush() throws {
        for sum in sums where sum.events != 0 {
            let isNamed = sum.name != CatalogTable.others
            add.bind(1, sum.name)
            add.bind(2, sum.events)
            add.bind(3, isNamed ? sum.first : 0)
            add.bind(4, isNamed ? sum.last : 0)
            try add.run()
        }
        for index in sums.indices { settle(index) }
        for (day, events) in days where events != 0 {
            addDay.bind(1, sums[Int(day.name)].name)
            addDay.bind(2, day.day)
            addDay.bind(3, events)
            try addDay.run()
        }
        sums.removeLast(sums.count - 1)
        sums[0] = Sum(name: CatalogTable.others)
        days.removeAll(keepingCapacity: true)
        numbers.removeAll(keepingCapacity: true)
        separateNameCount = nil
        hasOthers = false
    }

    var tableNames: [String] { ["names", "name_days"] }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try CatalogTable.take(.installation(installation), outOf: db)
    }

    func eventsRemoved(from db: Database) throws {
        try CatalogTable.narrow(db)
    }
}
