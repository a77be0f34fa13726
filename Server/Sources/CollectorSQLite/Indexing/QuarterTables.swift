// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// The `activity` and `name_quarters` tables: counts per quarter of an hour.
///
/// For each quarter of an hour, the tables contain the active people with their number of events, and the number of
/// events of each name.
///
/// As a result, queries for people or counts that do not use attributes read no events. Quarters of an hour suffice,
/// because the offset of every time zone in use is a multiple of 15 minutes. Only names in the `names` table have
/// counts of their own; events of other names are included only in the counts of people.
enum QuarterTables {
    /// The length of a quarter of an hour, in milliseconds.
    static let length = QuarterOfHour.length
    /// The person number of events that belong to no person.
    ///
    /// No person has this number.
    static let noPerson: Int64 = 0

    /// Returns the number of the quarter that contains a time, counted from 1970.
    static func quarter(of milliseconds: Int64) -> Int64 { QuarterOfHour.number(of: milliseconds) }

    /// Subtracts events from the counts.
    ///
    /// Call this before the events are deleted.
    static func take(_ events: EventSelection, outOf db: Database) throws {
        let quarter = "time / \(length) - (time % \(length) < 0)"
        // List the columns in the order of each table's primary key; SQLite would not use the key for another order.
        for (table, key, column, primary) in [
            ("activity", "coalesce(person, \(noPerson))", "person", ["quarter", "person"]),
            ("name_quarters", "name", "name", ["name", "quarter"]),
        ] {
            try db.execute(sql: "CREATE TEMP TABLE IF NOT EXISTS gone_\(table) (quarter INTEGER, key, events INTEGER)")
            try db.execute(sql: "DELETE FROM gone_\(table)")
            try db.execute(
                sql: """
                    INSERT INTO gone_\(table) SELECT \(quarter), \(key), count(*) FROM \(events.table) GROUP BY 1, 2
                    """,
                arguments: events.arguments
            )
            try db.execute(
                sql: """
                    UPDATE \(table) SET events = \(table).events - gone.events FROM gone_\(table) AS gone
                    WHERE \(table).quarter = gone.quarter AND \(table).\(column) = gone.key
                    """
            )
            try db.execute(
                sql: """
                    DELETE FROM \(table) WHERE (\(primary.joined(separator: ", "))) IN
                    (SELECT \(primary.map { $0 == column ? "key" : $0 }.joined(separator: ", ")) FROM gone_\(table)) AND events <= 0
                    """
            )
            try db.execute(sql: "DELETE FROM gone_\(table)")
        }
    }
}

/// Counts events per quarter and person, and per quarter and name, for one transaction.
final class QuarterSums: IndexTable {
    private struct Person: Hashable {
        let quarter: Int64
        let person: Int64
    }

    private struct NameQuarter: Hashable {
        let name: Int
        let quarter: Int64
    }

    private struct NameSum {
        let name: String
        /// The quarter of the last counted event, and the number of its events that are not in ``named`` yet.
        var quarter: Int64
        var events: Int64
    }

    private let addPeople: GroupedInsert
    private let addName: RawStatement
    private var people: [Person: Int64] = [:]
    private var named: [NameQuarter: Int64] = [:]
    /// The sums of the names, by a name's number in the transaction.
    private var names: [NameSum?] = []
    /// Events of one person are usually consecutive.
    private var last: (person: Person, events: Int64)?

    /// Creates empty sums.
    init(_ db: Database) throws {
        addPeople = try GroupedInsert(
            db,
            "INSERT INTO activity (quarter, person, events)",
            tail: "ON CONFLICT (quarter, person) DO UPDATE SET events = events + excluded.events",
            columns: 3
        )
        // The names that are counted separately are already in the `names` table.
        addName = try RawStatement(
            db,
            """
            INSERT INTO name_quarters (name, quarter, events) SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM names WHERE name = ?1)
            ON CONFLICT (name, quarter) DO UPDATE SET events = events + excluded.events
            """
        )
    }

    /// Counts a stored event.
    func count(_ name: EventName, of person: Int64?, at time: Int64) {
        let quarter = QuarterTables.quarter(of: time)
        count(name, in: quarter)
        let person = Person(quarter: quarter, person: person ?? QuarterTables.noPerson)
        if last?.person == person {
            last?.events += 1
            return
        }
        settle()
        last = (person, 1)
    }

    private func count(_ name: EventName, in quarter: Int64) {
        while names.count <= name.number { names.append(nil) }
        if names[name.number]?.quarter == quarter {
            names[name.number]?.events += 1
            return
        }
        settle(name.number)
        names[name.number] = NameSum(name: name.text, quarter: quarter, events: 1)
    }

    private func settle(_ number: Int) {
        guard let sum = names[number] else { return }
        named[NameQuarter(name: number, quarter: sum.quarter), default: 0] += sum.events
        names[number]?.events = 0
    }

    private func settle() {
        if let last { people[last.person, default: 0] += last.events }
        last = nil
    }

    /// Writes the sums; the `names` table must be written first.
    func flush() throws {
        settle()
        // Sort the rows in table order, so that adjacent rows are on the same page.
        let ordered = people.sorted { ($0.key.quarter, $0.key.person) < ($1.key.quarter, $1.key.person) }
        try addPeople.write(ordered) { sum, insert, place in
            insert.bind(place + 1, sum.key.quarter)
            insert.bind(place + 2, sum.key.person)
            insert.bind(place + 3, sum.value)
        }
        for number in names.indices { settle(number) }
        for (key, events) in named {
            addName.bind(1, names[key.name]?.name)
            addName.bind(2, key.quarter)
            addName.bind(3, events)
            try addName.run()
        }
        people.removeAll(keepingCapacity: true)
        named.removeAll(keepingCapacity: true)
        names.removeAll(keepingCapacity: true)
    }

    var tableNames: [String] { ["activity", "name_quarters"] }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try QuarterTables.take(.installation(installation), outOf: db)
    }
}
