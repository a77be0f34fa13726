// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads a person's events, across all devices and sessions, in order of time.
struct TimelineRows {
    /// The matching positions in the searched part of a range.
    private struct Part {
        var places: [TimelineCursor] = []
        /// The last position that was read; nil if the end of the range was reached.
        var end: TimelineCursor?
    }

    private let query: TimelineQuery
    private let installation: Int64?
    private let db: Database
    private let budget: QueryBudget
    private let clock: any EventClock
    private var match: EventMatch
    private var searched = 0
    /// The person's number (`users.number`).
    private var person: Int64?

    /// Returns the next events of a person, or nil if the person has sent none.
    ///
    /// - Complexity: O(limit + events of a run) if the query is restricted only by time; otherwise O(events searched),
    ///   bounded as in a search.
    static func timeline(
        _ query: TimelineQuery,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> Timeline? {
        guard let person = try UserRows.number(query.person, db) else { return nil }
        var rows = try TimelineRows(
            query,
            budget: budget,
            clock: clock,
            cohorts: cohorts,
            db
        )
        return try rows.read(person)
    }

    private init(
        _ query: TimelineQuery,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort],
        _ db: Database
    ) throws {
        self.query = query
        self.db = db
        installation = try query.installation.map { id in
            try Int64.fetchOne(db, sql: "SELECT number FROM installations WHERE id = ?", arguments: [id.blob]) ?? -1
        }
        match = try EventMatch(
            conditions: query.conditions,
            words: query.words,
            cohorts: cohorts,
            QueryMeter(budget, clock: clock),
            db
        )
        self.budget = budget
        self.clock = clock
    }

    private mutating func read(_ person: Int64) throws -> Timeline {
        self.person = person
        let ranges = try ranges(of: person)
        var result = Timeline(entries: [], searched: 0, total: 0, next: nil)
        var parts = TimelineParts()
        let share = TimelineRange.share(of: budget, among: ranges.count)
        for (number, range) in ranges {
            result.total += range.events
            let part = try read(range, of: number, share)
            parts.add(part.places, isVisit: range.isVisit, end: part.end)
        }
        let (places, next) = parts.first(query.limit)
        result.next = next
        result.searched = searched
        var bytes = 0
        for (place, isVisit) in places {
            guard let event = try EventRows.at(place.position, db) else { continue }
            result.entries.append(Timeline.Entry(event, isVisit: isVisit))
            bytes += event.responseBytes
            guard bytes < ResponseBudget.bytes else {
                if place != places.last?.place { result.next = place }
                break
            }
        }
        return result
    }

    // MARK: Parts of a person's events

    /// Returns the parts of all events of a person; nil if the person has sent none.
    static func parts(of person: PersonKey, _ db: Database) throws -> [PersonEventOrder.Part]? {
        guard let number = try UserRows.number(person, db) else { return nil }
        return try PersonPart.all(of: number, db).map { part in
            PersonEventOrder.Part(number: part.number, times: part.times, isVisit: part.isVisit)
        }
    }

    /// Returns the ranges of a person's events, each with a person number (`users.number`).
    private func ranges(of person: Int64) throws -> [(number: Int64, range: TimelineRange)] {
        guard let whole = TimelineRange(query, events: 0) else { return [] }
        return try PersonPart.all(of: person, db).prefix(query.maximumVisits).compactMap { part in
            let events = UInt64(clamping: try part.events(db))
            return whole.part(part.times, isVisit: part.isVisit, events: events).map { (part.number, $0) }
        }
    }

    // MARK: Searching

    private mutating func read(
        _ range: TimelineRange,
        of number: Int64,
        _ share: QueryBudget
    ) throws -> Part {
        let part = PersonEventOrder.Part(number: number, times: range.times, isVisit: range.isVisit)
        var order = PersonEventOrder(of: [part], after: query.after)
        let rows = try RunRows(db)
        // The other conditions require the event's content.
        let content = try RawStatement(
            db,
            """
            SELECT e.name, e.installation, s.id, e.context, e.body, c.content FROM events e
            LEFT JOIN sessions s ON s.number = e.session LEFT JOIN contexts c ON c.number = e.context
            WHERE e.position = ?
            """
        )
        defer { content.reset() }
        var found = Part()
        var meter = SearchMeter(share, clock: clock)
        while case .place(let next) = try order.next(rows) {
            let place = next.cursor
            searched += 1
            if try !query.isFiltered || matches(content, at: place) { found.places.append(place) }
            // One event beyond the limit means that there are more events.
            if found.places.count > query.limit || (query.isFiltered && meter.isOver()) {
                found.end = place
                break
            }
        }
        return found
    }

    private mutating func matches(_ row: RawStatement, at place: TimelineCursor) throws -> Bool {
        row.bind(1, place.position.rawValue)
        defer { row.reset() }
        guard try row.step() else { return false }
        if !query.names.isEmpty {
            let isNamed = row.withBytes(0) { name in query.names.contains { $0.utf8.elementsEqual(name) } }
            guard isNamed else { return false }
        }
        if let installation, row.optionalInteger(1) != installation { return false }
        if let session = query.session {
            guard !row.isNull(2), row.withBytes(2, { session.utf8.elementsEqual($0) }) else { return false }
        }
        return try match.matches(row, context: 3, body: 4, person: person)
    }
}
