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
    private let joinsVisitors: Bool
    private var match: EventMatch
    private var searched = 0

    /// Returns the next events of a person, or nil if the person has sent none.
    ///
    /// - Complexity: O(limit + events of a run) if the query is restricted only by time; otherwise O(events searched),
    ///   bounded as in a search.
    static func timeline(
        _ query: TimelineQuery,
        budget: QueryBudget,
        clock: any EventClock,
        joinsVisitors: Bool,
        _ db: Database
    ) throws -> Timeline? {
        guard let person = try UserRows.number(query.person, db) else { return nil }
        var rows = try TimelineRows(query, budget: budget, clock: clock, joinsVisitors: joinsVisitors, db)
        return try rows.read(person)
    }

    private init(
        _ query: TimelineQuery,
        budget: QueryBudget,
        clock: any EventClock,
        joinsVisitors: Bool,
        _ db: Database
    ) throws {
        self.query = query
        self.joinsVisitors = joinsVisitors
        self.db = db
        installation = try query.installation.map { id in
            try Int64.fetchOne(db, sql: "SELECT number FROM installations WHERE id = ?", arguments: [id.blob]) ?? -1
        }
        match = try EventMatch(conditions: query.conditions, words: query.words, db)
        self.budget = budget
        self.clock = clock
    }

    private mutating func read(_ person: Int64) throws -> Timeline {
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

    /// The maximum number of parts in one timeline.
    ///
    /// For a user with more parts, those of the most recently used installations are read.
    private static let maximumParts = 1_000

    /// Returns the ranges of a person's events, each with a person number (`users.number`).
    private func ranges(of person: Int64) throws -> [(number: Int64, range: TimelineRange)] {
        guard joinsVisitors else { return try separateRanges(of: person) }
        guard let whole = TimelineRange(query, events: 0) else { return [] }
        return try PersonPart.all(of: person, db).prefix(Self.maximumParts).compactMap { part in
            let events = UInt64(clamping: try part.events(db))
            return whole.part(part.times, isVisit: part.isVisit, events: events).map { (part.number, $0) }
        }
    }

    /// Returns the ranges for an index that keeps visitors and users separate.
    ///
    /// These are the person's own events and, for a user, also the events before the first sign-in on each
    /// installation.
    private func separateRanges(of person: Int64) throws -> [(number: Int64, range: TimelineRange)] {
        let events = try Int64.fetchOne(db, sql: "SELECT events FROM users WHERE number = ?", arguments: [person]) ?? 0
        guard let own = TimelineRange(query, events: UInt64(clamping: events)) else { return [] }
        guard case .user = query.person else { return [(person, own)] }
        return [(person, own)] + (try visits(of: person, own))
    }

    private func visits(
        of person: Int64,
        _ own: TimelineRange
    ) throws -> [(number: Int64, range: TimelineRange)] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT v.installation, min(v.first), u.number, u.events
                FROM visits v JOIN users u ON u.installation = v.installation AND u.id IS NULL
                JOIN installations i ON i.number = v.installation
                WHERE v.user = ? AND v.installation > 0 AND u.last IS NOT NULL
                GROUP BY v.installation ORDER BY max(v.last) DESC, i.id LIMIT ?
                """,
            arguments: [person, TimelineRange.maxVisits]
        )
        return try rows.compactMap { row in
            let (installation, first): (Int64, Int64) = (row[0], row[1])
            let others = try Int64.fetchOne(
                db,
                sql: """
                    SELECT max(v.last) FROM visits v JOIN users u ON u.number = v.user
                    WHERE v.installation = ? AND v.user != ? AND u.id IS NOT NULL AND v.first < ?
                    """,
                arguments: [installation, person, first]
            )
            let events = UInt64(clamping: row[3] as Int64)
            return own.visit(before: first, others: others, events: events).map { (row[2], $0) }
        }
    }

    // MARK: Searching

    private mutating func read(
        _ range: TimelineRange,
        of number: Int64,
        _ share: QueryBudget
    ) throws -> Part {
        var places = try PersonEventPositions(of: number, in: range.times, after: query.after, db)
        defer { places.end() }
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
        var part = Part()
        var meter = SearchMeter(share, clock: clock)
        while let place = try places.step() {
            searched += 1
            if try !query.isFiltered || matches(content, at: place) { part.places.append(place) }
            // One event beyond the limit means that there are more events.
            if part.places.count > query.limit || (query.isFiltered && meter.isOver()) {
                part.end = place
                break
            }
        }
        return part
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
        return try match.matches(row, context: 3, body: 4)
    }
}
