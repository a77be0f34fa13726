// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reads how many events people had by quarters of an hour, in place of the events themselves.
///
/// Only whole quarters are read so: what begins or ends within one is read event by event.
struct QuarterPass {
    /// A person's events of one quarter.
    struct Activity {
        /// The quarter's first moment.
        let time: Timestamp
        /// The person's number; nil for events without a person, and where people are not counted.
        let person: Int64?
        /// How many events; at least one. Where only people are asked for, 1 stands for any number.
        let events: Int64
    }

    private let name: String?
    private let filter: QuestionFilter
    private let tellsPeople: Bool
    private let countsEvents: Bool
    private let people: PersonMap?

    /// A pass over the events of a filter; nil where their quarters are not known, or do not suffice.
    ///
    /// - Parameters:
    ///   - edges: moments within what is read at which something begins that is told apart. They must lie between quarters.
    ///   - people: Maps rows to people; nil if people are not counted. People of a single name are not counted by quarters.
    ///   - events: whether it matters how many events each of them had.
    init?(
        _ filter: QuestionFilter,
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
        tellsPeople = people != nil
        countsEvents = events || people == nil
        name = filter.names.first
        guard let name else { return }
        guard people == nil else { return nil }
        let told = try RawStatement(db, "SELECT 1 FROM names WHERE name = ?")
        told.bind(1, name)
        defer { told.reset() }
        // Names beyond those that are told apart have no quarters.
        guard try told.step() else { return nil }
    }

    private static func isBetween(_ moment: Timestamp) -> Bool { moment.milliseconds % QuarterTables.length == 0 }

    /// Calls `quarter` for each person's whole quarters from `from` on and before `to`, in their order, and `event` for the events in
    /// what is left: before it for those before the first whole quarter, after it for those behind the last.
    ///
    /// - Throws: ``StoreError`` when the budget is used up; what SQLite says, and what the functions throw.
    /// - Complexity: O(quarters with events, for each person). Where people are not told apart, SQLite adds them up.
    func read(
        from: Timestamp,
        to: Timestamp,
        _ meter: inout QuestionMeter,
        _ db: Database,
        quarter: (Activity) throws -> Void,
        event: (EventPass.Event) throws -> Void
    ) throws {
        let length = QuarterTables.length
        let first = QuarterTables.quarter(of: from.milliseconds) + (Self.isBetween(from) ? 0 : 1)
        let end = QuarterTables.quarter(of: to.milliseconds)
        var pass = try EventPass(filter, people: people, db)
        guard first < end else {
            // An edge may lie between two quarters neither of which is whole.
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
            let number = tellsPeople ? statement.integer(1) : QuarterTables.nobody
            let start = statement.integer(0) * length
            var person: Int64?
            if number != QuarterTables.nobody, let people {
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
        guard tellsPeople else {
            return "SELECT quarter, NULL, sum(events) FROM activity WHERE \(whole) GROUP BY quarter ORDER BY quarter"
        }
        // Hundreds of thousands of rows may be read: nothing is worked out of them in SQL, and no column is read in vain.
        return "SELECT quarter, person\(countsEvents ? ", events" : "") FROM activity WHERE \(whole) ORDER BY quarter"
    }
}
