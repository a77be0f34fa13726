// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads the events that match a filter, one after another.
///
/// Every row that SQLite visits counts against the budget. SQL is used only for conditions that an index supports; all
/// other conditions are checked here. Query text therefore never becomes part of the SQL, and every step is short.
struct EventReader {
    /// The values of an event that a query needs.
    struct Event {
        /// The time of the event, by the device's clock.
        let time: Timestamp
        /// The position in the intake log, which orders events of the same millisecond.
        let position: Int64
        /// The number of the event's person (`users.number`).
        ///
        /// Nil for an event that has neither a user nor an installation. If the query counts groups, the number of the
        /// event's group, or nil for none.
        let person: Int64?
        /// The installation's number; nil for clients that report no installation.
        let installation: Int64?
        fileprivate let values: [QueryValue?]

        /// Returns the value of a field, by the field's index in the reader's list.
        func value(_ field: Int) -> QueryValue? { values[field] }
    }

    private let filter: QueryFilter
    private let names: [[UInt8]]
    /// The parts of the person whose events match; nil for all people.
    private let parts: [PersonPart]?
    private let installation: Int64?
    private let people: PersonMap?
    private let groups: GroupNumbers?
    /// The fields of people with their numbers in ``PersonValues``.
    private let personFields: [(field: Int, slot: Int)]
    private let personValues: PersonValues?
    /// Whether any field is in the event or its context.
    private let readsEvents: Bool
    /// Whether events are found by runs (of a person, an installation or a time range) instead of by name.
    private var isInRuns: Bool { parts != nil || installation != nil || names.isEmpty }
    private let fields: [QueryField]
    private var values: QueryFieldReader

    /// Creates a reader of the events of a filter.
    ///
    /// - Parameters:
    ///   - fields: The fields whose values are read for each event.
    ///   - people: Maps rows to people; nil if the query neither counts people nor reads their values.
    ///   - groups: Numbers the groups that the query counts; nil if it counts no groups.
    init(
        _ filter: QueryFilter,
        fields wanted: [QueryField] = [],
        people: PersonMap?,
        groups: GroupNumbers? = nil,
        _ db: Database
    ) throws {
        self.filter = filter
        self.people = people
        self.groups = groups
        names = filter.names.map { Array($0.utf8) }
        var fields = wanted
        for field in filter.fields where !fields.contains(field) { fields.append(field) }
        if let group = groups?.field, !fields.contains(group) { fields.append(group) }
        self.fields = fields
        readsEvents = !fields.allSatisfy(\.isOfPerson)
        let personValues = fields.contains(where: \.isOfPerson) ? try people?.values(db) : nil
        self.personValues = personValues
        personFields = fields.enumerated().compactMap { index, field in
            field.isOfPerson ? personValues.map { (index, $0.slot(of: field)) } : nil
        }
        values = try QueryFieldReader(fields, db)
        parts = try filter.user.map { id in
            let number = try Self.number(RawStatement(db, "SELECT number FROM users WHERE id = ?")) { $0.bind(1, id) }
            return try PersonPart.all(of: number, db)
        }
        installation = try filter.installation.map { id in
            try Self.number(RawStatement(db, "SELECT number FROM installations WHERE id = ?")) { $0.bind(1, id) }
        }
    }

    /// Returns the number of a person or an installation.
    ///
    /// For an unknown id, the number is -1, which is never assigned.
    private static func number(_ statement: RawStatement, _ bind: (RawStatement) -> Void) throws -> Int64 {
        bind(statement)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : -1
    }

    /// Calls `body` with each event of the filter at or after `from` and before `to`.
    ///
    /// The order is unspecified.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; errors of SQLite and `body`.
    /// - Complexity: O(events of the name, the user, the installation, or the time range).
    mutating func read(
        from: Timestamp,
        to: Timestamp,
        _ meter: inout QueryMeter,
        _ db: Database,
        _ body: (Event) throws -> Void
    ) throws {
        try preparePeople(&meter, db)
        let span = from..<max(from, to)
        let columns = "SELECT time, position, person, installation, \(columns) FROM events"
        if let parts {
            let wanted = from.milliseconds...max(from, to).milliseconds
            for part in parts where part.times.overlaps(wanted) {
                var place = EventRanges.Filter(person: part.number)
                let times = part.times.clamped(to: wanted)
                (place.from, place.to) = (times.lowerBound, times.upperBound)
                try readRuns(place, columns, span, part, &meter, db, body)
            }
        } else if isInRuns {
            var place = EventRanges.Filter(installation: installation)
            (place.from, place.to) = (from.milliseconds, to.milliseconds)
            try readRuns(place, columns, span, nil, &meter, db, body)
        } else {
            let ofName = "WHERE name = ? AND time >= ? AND time < ?"
            for name in filter.names {
                // The attributes of an app's own events are in the same row.
                let isOwn = readsEvents && OwnEvents.contains(name)
                let rows = try RawStatement(
                    db,
                    isOwn
                        ? "SELECT time, position, person, installation, NULL, context, attributes FROM own_events \(ofName)"
                        : "\(columns) INDEXED BY events_by_question \(ofName)"
                )
                rows.bind(1, name)
                rows.bind(2, from.milliseconds)
                rows.bind(3, to.milliseconds)
                let bodies = isOwn ? try RawStatement(db, "SELECT body FROM events WHERE position = ?") : nil
                try read(rows, span, bodies: bodies, &meter, body)
            }
        }
    }

    /// Calls `body` with the filter's events of one person number in a time range.
    ///
    /// The order is unspecified.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; errors of SQLite and `body`.
    /// - Complexity: O(events in the range).
    mutating func read(
        _ number: Int64,
        in times: ClosedRange<Int64>,
        _ meter: inout QueryMeter,
        _ db: Database,
        _ body: (Event) throws -> Void
    ) throws {
        try preparePeople(&meter, db)
        var place = EventRanges.Filter(person: number)
        (place.from, place.to) = (times.lowerBound, times.upperBound)
        let span = Timestamp(milliseconds: times.lowerBound)..<Timestamp(milliseconds: times.upperBound + 1)
        let columns = "SELECT time, position, person, installation, \(columns) FROM events"
        try readRuns(place, columns, span, nil, &meter, db, body)
    }

    private func preparePeople(_ meter: inout QueryMeter, _ db: Database) throws {
        guard let personValues, let people else { return }
        try personValues.prepare(fields, people, &meter, db)
    }

    /// Reads the runs of a person, an installation, or a time range.
    private mutating func readRuns(
        _ place: EventRanges.Filter,
        _ columns: String,
        _ span: Range<Timestamp>,
        _ part: PersonPart?,
        _ meter: inout QueryMeter,
        _ db: Database,
        _ body: (Event) throws -> Void
    ) throws {
        var place = place
        place.isBackwards = false
        var ranges = try EventRanges(place, db)
        defer { ranges.end() }
        let rows = try RawStatement(db, columns + " WHERE position >= ? AND position <= ?")
        while let range = try ranges.next() {
            rows.bind(1, range.lowerBound)
            rows.bind(2, range.upperBound)
            try read(rows, span, &meter) { event in
                if part?.times.contains(event.time.milliseconds) ?? true { try body(event) }
            }
        }
    }

    /// The columns that are read besides time, position, person and installation.
    ///
    /// If no fields of events are requested, the index by name contains all columns, and no event is read.
    private var columns: String {
        "\(isInRuns && !names.isEmpty ? "name" : "NULL"), \(readsEvents ? "context, body" : "NULL, NULL")"
    }

    private mutating func read(
        _ rows: RawStatement,
        _ span: Range<Timestamp>,
        bodies: RawStatement? = nil,
        _ meter: inout QueryMeter,
        _ body: (Event) throws -> Void
    ) throws {
        defer { rows.reset() }
        while try rows.step() {
            try meter.countEvent()
            let time = Timestamp(milliseconds: rows.integer(0))
            guard span.contains(time) else { continue }
            if let event = try event(rows, at: time, bodies) { try body(event) }
        }
    }

    private mutating func values(_ row: RawStatement, _ bodies: RawStatement?) throws -> [QueryValue?] {
        let context = row.optionalInteger(5)
        guard let bodies else { return try row.withBytes(6) { try values.values(body: $0, context: context) } }
        guard row.isNull(6) else {
            return try row.withBytes(6) { try values.values(attributes: $0, context: context) }
        }
        bodies.bind(1, row.integer(1))
        defer { bodies.reset() }
        guard try bodies.step() else {
            return try values.values(attributes: .init(start: nil, count: 0), context: context)
        }
        return try bodies.withBytes(0) { try values.values(body: $0, context: context) }
    }

    /// Returns the event of a row if it matches the filter.
    ///
    /// - Parameter bodies: Reads an event by its position. Nil if the rows contain the event itself rather than its
    ///   attributes.
    private mutating func event(_ row: RawStatement, at time: Timestamp, _ bodies: RawStatement?) throws -> Event? {
        let (person, installation) = (row.optionalInteger(2), row.optionalInteger(3))
        if let wanted = self.installation, installation != wanted { return nil }
        if isInRuns, !names.isEmpty {
            guard row.withBytes(4, { name in names.contains { $0.elementsEqual(name) } }) else { return nil }
        }
        let owner = person.map { people?.person($0, at: time) ?? $0 }
        var found: [QueryValue?] = []
        if !fields.isEmpty {
            found = readsEvents ? try values(row, bodies) : Array(repeating: nil, count: fields.count)
            if let owner, let personValues {
                for (field, slot) in personFields { found[field] = try personValues.value(slot, of: owner) }
            }
            for condition in filter.conditions {
                guard condition.holds({ field in fields.firstIndex(of: field).flatMap { found[$0] } }) else {
                    return nil
                }
            }
        }
        return Event(
            time: time,
            position: row.integer(1),
            person: try counted(owner, found),
            installation: installation,
            values: found
        )
    }

    /// Returns the number of the person or the group that an event counts for.
    private func counted(_ person: Int64?, _ values: [QueryValue?]) throws(StoreError) -> Int64? {
        guard let groups else { return person }
        return try groups.number(of: fields.firstIndex(of: groups.field).flatMap { values[$0] })
    }
}
