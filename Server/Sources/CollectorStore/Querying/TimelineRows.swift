// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reads a person's events, across all devices and sessions, in order of time.
struct TimelineRows {
    /// The matching positions of a range, as far as it was searched.
    private struct Part {
        var places: [TimelineCursor] = []
        /// The last position that was read; nil at the end of the range.
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
    /// - Complexity: O(limit, and the events of a run) if only time narrows the query; else O(events searched), bounded
    ///   as in a search.
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
        let stretches = try stretches(of: person)
        var answer = Timeline(entries: [], searched: 0, of: 0, next: nil)
        var parts = TimelineParts()
        let share = TimelineRange.share(of: budget, among: stretches.count)
        for (number, stretch) in stretches {
            answer.of += stretch.events
            let part = try read(stretch, of: number, share)
            parts.add(part.places, isVisit: stretch.isVisit, end: part.end)
        }
        let (places, next) = parts.first(query.limit)
        answer.next = next
        answer.searched = searched
        var bytes = 0
        for (place, isVisit) in places {
            guard let event = try EventRows.at(place.position, db) else { continue }
            answer.entries.append(Timeline.Entry(event, isVisit: isVisit))
            bytes += event.answerBytes
            guard bytes < ResponseBudget.bytes else {
                if place != places.last?.place { answer.next = place }
                break
            }
        }
        return answer
    }

    // MARK: Parts of a person

    /// The maximum number of parts in one timeline.
    ///
    /// For a user with more, those of the installations used last are read.
    private static let maximumParts = 1_000

    /// Returns the ranges, each with its row number (`users.number`).
    private func stretches(of person: Int64) throws -> [(number: Int64, stretch: TimelineRange)] {
        guard joinsVisitors else { return try separateStretches(of: person) }
        guard let whole = TimelineRange(query, events: 0) else { return [] }
        return try PersonPart.all(of: person, db).prefix(Self.maximumParts).compactMap { part in
            let events = UInt64(clamping: try part.events(db))
            return whole.part(part.times, isVisit: part.isVisit, events: events).map { (part.number, $0) }
        }
    }

    /// Returns the ranges if visitors and users are different people.
    ///
    /// These are the person's own, and for a user also the events before the first sign-in on each installation.
    private func separateStretches(of person: Int64) throws -> [(number: Int64, stretch: TimelineRange)] {
        let events = try Int64.fetchOne(db, sql: "SELECT events FROM users WHERE number = ?", arguments: [person]) ?? 0
        guard let own = TimelineRange(query, events: UInt64(clamping: events)) else { return [] }
        guard case .user = query.person else { return [(person, own)] }
        return [(person, own)] + (try visits(of: person, own))
    }

    private func visits(
        of person: Int64,
        _ own: TimelineRange
    ) throws -> [(number: Int64, stretch: TimelineRange)] {
        let met = try Row.fetchAll(
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
        return try met.compactMap { row in
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
        _ stretch: TimelineRange,
        of number: Int64,
        _ share: QueryBudget
    ) throws -> Part {
        var places = try PersonEventPositions(of: number, in: stretch.times, after: query.after, db)
        defer { places.end() }
        // The other conditions need the event's content.
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
            if try !query.isFiltered || holds(content, at: place) { part.places.append(place) }
            // One more than the limit shows that there are more.
            if part.places.count > query.limit || (query.isFiltered && meter.isOver()) {
                part.end = place
                break
            }
        }
        return part
    }

    private mutating func holds(_ row: RawStatement, at place: TimelineCursor) throws -> Bool {
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
        return try match.holds(row, context: 3, body: 4)
    }
}
