// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads people's event counts per quarter of an hour instead of their events.
///
/// This works only for whole quarters; partial quarters at both ends are read event by event.
struct QuarterReader {
    /// A person's events of one quarter.
    struct Activity {
        /// The start of the quarter.
        let time: Timestamp
        /// The person's number; nil for events without a person, or if people are not counted.
        let person: Int64?
        /// The number of events, at least one.
        ///
        /// Always 1 if only people are counted.
        let events: Int64
    }

    private let name: String?
    private let filter: QueryFilter
    private let includesPeople: Bool
    private let countsEvents: Bool
    private let people: PersonMap?

    /// Creates a reader of the events of a filter.
    ///
    /// Returns nil if the counts per quarter are missing or insufficient.
    ///
    /// - Parameters:
    ///   - edges: Interval boundaries within the time range. They must be on the boundaries of quarters.
    ///   - people: Maps rows to people; nil if people are not counted. The people of a single event name are not
    ///     counted per quarter.
    ///   - events: Whether the number of events of each person matters.
    init?(
        _ filter: QueryFilter,
        edges: [Timestamp],
        people: PersonMap?,
        events: Bool = true,
        _ db: Database
    ) throws {
        guard edges.allSatisfy(Self.isBetween) else { return nil }
        guard filter.conditions.isEmpty, filter.user == nil, filter.installation == nil, filter.names.count <= 1 else {
            return nil
        }
        self.filter = filter
        self.people = people
        includesPeople = people != nil
        countsEvents = events || people == nil
        name = filter.names.first
        guard let name else { return }
        guard people == nil else { return nil }
        let known = try RawStatement(db, "SELECT 1 FROM names WHERE name = ?")
        known.bind(1, name)
        defer { known.reset() }
        // Names that are not counted separately have no counts per quarter.
        guard try known.step() else { return nil }
    }

    private static func isBetween(_ moment: Timestamp) -> Bool { moment.milliseconds % QuarterTables.length == 0 }

    /// Calls `quarter` for each person's whole quarters and `event` for other events.
    ///
    /// The quarters at or after `from` and before `to` are read in order.
    ///
    /// Events before the first whole quarter are passed before the quarters; events after the last one are passed after
    /// the quarters.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; errors of SQLite and the closures.
    /// - Complexity: O(quarters with events, for each person). If people are not counted, SQLite adds up the quarters.
    func read(
        from: Timestamp,
        to: Timestamp,
        _ meter: inout QueryMeter,
        _ db: Database,
        quarter: (Activity) throws -> Void,
        event: (EventReader.Event) throws -> Void
    ) throws {
        let length = QuarterTables.length
        let first = QuarterTables.quarter(of: from.milliseconds) + (Self.isBetween(from) ? 0 : 1)
        let end = QuarterTables.quarter(of: to.milliseconds)
        var pass = try EventReader(filter, people: people, db)
        guard first < end else {
            // `from` or `to` may be within a quarter; such a quarter is not whole.
            let middle = min(max(from, Timestamp(milliseconds: first * length)), to)
            if from < middle { try pass.read(from: from, to: middle, &meter, db, event) }
            if middle < to { try pass.read(from: middle, to: to, &meter, db, event) }
            return
        }
        let whole = Timestamp(milliseconds: first * length)..<Timestamp(milliseconds: end * length)
        if from < whole.lowerBound { try pass.read(from: from, to: whole.lowerBound, &meter, db, event) }
        let statement = try RawStatement(db, quarters)
        statement.bind(1, first)
        statement.bind(2, end)
        if let name { statement.bind(3, name) }
        defer { statement.reset() }
        while try statement.step() {
            try meter.countEvent()
            let number = includesPeople ? statement.integer(1) : QuarterTables.noPerson
            let start = statement.integer(0) * length
            var person: Int64?
            if number != QuarterTables.noPerson, let people {
                person = people.person(number, within: start...(start + length - 1))
                guard person != nil else {
                    // The quarter's events belong to several people.
                    try pass.read(number, in: start...(start + length - 1), &meter, db, event)
                    continue
                }
            }
            try quarter(
                Activity(
                    time: Timestamp(milliseconds: start),
                    person: person,
                    events: countsEvents ? statement.integer(2) : 1
                )
            )
        }
        if whole.upperBound < to { try pass.read(from: whole.upperBound, to: to, &meter, db, event) }
    }

    private var quarters: String {
        let whole = "quarter >= ?1 AND quarter < ?2"
        guard name == nil else {
            return "SELECT quarter, NULL, events FROM name_quarters WHERE name = ?3 AND \(whole) ORDER BY quarter"
        }
        guard includesPeople else {
            return "SELECT quarter, NULL, sum(events) FROM activity WHERE \(whole) GROUP BY quarter ORDER BY quarter"
        }
        // There may be hundreds of thousands of rows, so SQL computes nothing from them, and unused columns are not
        // read.
        return "SELECT quarter, person\(countsEvents ? ", events" : "") FROM activity WHERE \(whole) ORDER BY quarter"
    }
}
