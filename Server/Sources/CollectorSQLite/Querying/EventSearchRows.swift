// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Searches events.
enum EventSearchRows {
    /// Returns the events found before the first limit is reached.
    ///
    /// The limits are the query's limit, the response size, and the budget of one search.
    ///
    /// The search can be continued at `next`.
    ///
    /// - Complexity: O(events searched).
    static func search(
        _ search: EventSearch,
        of total: UInt64,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> EventSearchResult {
        var result = EventSearchResult(events: [], searched: 0, total: total, next: nil)
        let columns = """
            SELECT e.position, e.context, e.body, c.content, e.person, e.time FROM events e
            LEFT JOIN contexts c ON c.number = e.context
            """
        guard var walk = try EventIterator(search.query, columns, db) else { return result }
        defer { walk.end() }
        var match = try EventMatch(
            conditions: search.conditions,
            words: search.words,
            cohorts: cohorts,
            QueryMeter(budget, clock: clock),
            db
        )
        var meter = SearchMeter(budget, clock: clock)
        var bytes = 0
        while let row = try walk.next() {
            result.searched += 1
            let position = EventPosition(rawValue: row.integer(0))
            let person = match.person(row.optionalInteger(4), at: Timestamp(milliseconds: row.integer(5)))
            if try match.matches(row, context: 1, body: 2, person: person), let event = try EventRows.at(position, db) {
                result.events.append(event)
                bytes += event.responseBytes
            }
            let isFull = bytes >= ResponseBudget.bytes || result.events.count >= search.query.limit
            if meter.isOver() || isFull {
                result.next = position
                break
            }
        }
        return result
    }
}
