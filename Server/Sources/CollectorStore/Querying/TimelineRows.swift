// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reads what one person did, over all devices and sessions, in the order of time.
struct TimelineRows {
    /// A stretch of somebody's events: the person's own, or what was recorded on an installation before they signed in.
    private struct Stretch {
        /// Whose events (`users.number`).
        let person: Int64
        let isVisit: Bool
        /// How many events that person has.
        let events: Int64
        /// The earliest time, inclusive, and the latest, inclusive.
        var times: ClosedRange<Int64>
    }

    /// What a stretch holds behind a place, as far as it was gone through.
    private struct Part {
        var places: [(place: TimelinePlace, isVisit: Bool)] = []
        /// The last place that was looked at; nil when there is nothing behind it.
        var end: TimelinePlace?
    }

    /// The most installations whose visits are looked for.
    private static let maxVisits = 20

    private let query: TimelineQuery
    private let installation: Int64?
    private let db: Database
    private let budget: QuestionBudget
    private let clock: any EventClock
    private var match: EventMatch
    private var searched = 0

    /// The next events of a person; nil when nobody of the kind sent one.
    ///
    /// - Complexity: O(limit, and the events of a run) where nothing but time narrows it; else O(events gone through), bounded as a search is.
    static func timeline(
        _ query: TimelineQuery,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> Timeline? {
        guard let person = try UserRows.number(query.person, db) else { return nil }
        var rows = try TimelineRows(query, budget: budget, clock: clock, db)
        return try rows.read(person)
    }

    private init(_ query: TimelineQuery, budget: QuestionBudget, clock: any EventClock, _ db: Database) throws {
        self.query = query
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
        var places: [(place: TimelinePlace, isVisit: Bool)] = []
        var horizon: TimelinePlace?
        // Each has its share, so that the one that was left first gets on with every answer.
        var share = budget
        share.searched = max(1, budget.searched / max(1, stretches.count))
        share.searchTime = budget.searchTime / max(1, stretches.count)
        for stretch in stretches {
            answer.of += UInt64(clamping: stretch.events)
            let part = try read(stretch, share)
            places += part.places
            // Behind the place where one of them was left, the others' events are not the next ones.
            if let end = part.end { horizon = max(horizon ?? end, end) }
        }
        if let horizon { places.removeAll { $0.place < horizon } }
        places.sort { $0.place > $1.place }
        answer.next = horizon
        if places.count > query.limit {
            places.removeSubrange(query.limit...)
            answer.next = places.last?.place
        }
        answer.searched = searched
        var bytes = 0
        for (place, isVisit) in places {
            guard let event = try EventRows.at(place.position, db) else { continue }
            answer.entries.append(Timeline.Entry(event, isVisit: isVisit))
            bytes += event.answerBytes
            guard bytes < AnswerBudget.bytes else {
                if place != places.last?.place { answer.next = place }
                break
            }
        }
        return answer
    }

    // MARK: Whose events, and from when until when

    private func stretches(of person: Int64) throws -> [Stretch] {
        let from = query.from?.milliseconds ?? .min
        let to = query.to.map { $0.milliseconds == .min ? .min : $0.milliseconds - 1 } ?? .max
        guard from <= to, query.to?.milliseconds != .min else { return [] }
        let events = try Int64.fetchOne(db, sql: "SELECT events FROM users WHERE number = ?", arguments: [person]) ?? 0
        var stretches = [Stretch(person: person, isVisit: false, events: events, times: from...to)]
        guard query.withVisits, case .user = query.person else { return stretches }
        for visit in try visits(before: person) {
            let times = (max(from, visit.times.lowerBound), min(to, visit.times.upperBound))
            guard times.0 <= times.1 else { continue }
            var visit = visit
            visit.times = times.0...times.1
            stretches.append(visit)
        }
        return stretches
    }

    /// What was recorded on the person's installations before they first signed in there, by nobody who had signed in: since the
    /// last time that somebody else was signed in, as far as anybody was.
    private func visits(before person: Int64) throws -> [Stretch] {
        let met = try Row.fetchAll(
            db,
            sql: """
                SELECT v.installation, min(v.first), u.number, u.events
                FROM visits v JOIN users u ON u.installation = v.installation AND u.id IS NULL
                WHERE v.user = ? AND v.installation > 0 AND u.last IS NOT NULL
                GROUP BY v.installation ORDER BY max(v.last) DESC LIMIT ?
                """,
            arguments: [person, Self.maxVisits]
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
            guard first > .min, others ?? .min < first - 1 else { return nil }
            let since = others.map { $0 + 1 } ?? .min
            return Stretch(person: row[2], isVisit: true, events: row[3], times: since...first - 1)
        }
    }

    // MARK: Going through them

    private mutating func read(_ stretch: Stretch, _ share: QuestionBudget) throws -> Part {
        var places = try PersonPlaces(of: stretch.person, in: stretch.times, after: query.after, db)
        defer { places.end() }
        // What else narrows them is seen in the events.
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
            if try !query.isFiltered || holds(content, at: place) { part.places.append((place, stretch.isVisit)) }
            // One more than wanted says that there is more.
            if part.places.count > query.limit || (query.isFiltered && meter.isOver()) {
                part.end = place
                break
            }
        }
        return part
    }

    private mutating func holds(_ row: RawStatement, at place: TimelinePlace) throws -> Bool {
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
