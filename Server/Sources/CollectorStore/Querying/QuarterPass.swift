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
        /// The person's number; nil for those of nobody.
        let person: Int64?
        /// How many events; at least one.
        let events: Int64
    }

    private let name: String?
    private let filter: QuestionFilter

    /// A pass over the events of a filter; nil where their quarters are not known, or do not suffice.
    ///
    /// - Parameters:
    ///   - edges: moments within what is read at which something begins that is told apart. They must lie between quarters.
    ///   - people: whether people are told apart. Those of a single name are not counted by quarters.
    init?(_ filter: QuestionFilter, edges: [Timestamp], people: Bool, _ db: Database) throws {
        guard edges.allSatisfy(Self.isBetween) else { return nil }
        guard filter.conditions.isEmpty, filter.user == nil, filter.installation == nil, filter.names.count <= 1 else {
            return nil
        }
        self.filter = filter
        name = filter.names.first
        guard let name else { return }
        guard !people else { return nil }
        let told = try RawStatement(db, "SELECT 1 FROM names WHERE name = ?")
        told.bind(1, name)
        defer { told.reset() }
        // Names beyond those that are told apart have no quarters.
        guard try told.step() else { return nil }
    }

    private static func isBetween(_ moment: Timestamp) -> Bool { moment.milliseconds % QuarterTables.length == 0 }

    /// Calls `quarter` for each person's whole quarters from `from` on and before `to`, and `event` for the events in what is left
    /// at both ends.
    ///
    /// - Throws: ``StoreError`` when the budget is used up; what SQLite says, and what the functions throw.
    /// - Complexity: O(quarters with events, for each person).
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
        var pass = try EventPass(filter, db)
        guard first < end else { return try pass.read(from: from, to: to, &meter, db, event) }
        let whole = Timestamp(milliseconds: first * length)..<Timestamp(milliseconds: end * length)
        if from < whole.lowerBound { try pass.read(from: from, to: whole.lowerBound, &meter, db, event) }
        let statement: RawStatement
        if let name {
            statement = try RawStatement(
                db,
                "SELECT quarter, NULL, events FROM name_quarters WHERE name = ? AND quarter >= ? AND quarter < ?"
            )
            statement.bind(1, name)
            statement.bind(2, first)
            statement.bind(3, end)
        } else {
            statement = try RawStatement(
                db,
                "SELECT quarter, nullif(person, \(QuarterTables.nobody)), events FROM activity WHERE quarter >= ? AND quarter < ?"
            )
            statement.bind(1, first)
            statement.bind(2, end)
        }
        defer { statement.reset() }
        while try statement.step() {
            try meter.countEvent()
            try quarter(
                Activity(
                    time: Timestamp(milliseconds: statement.integer(0) * length),
                    person: statement.optionalInteger(1),
                    events: statement.integer(2)
                )
            )
        }
        if whole.upperBound < to { try pass.read(from: whole.upperBound, to: to, &meter, db, event) }
    }
}
