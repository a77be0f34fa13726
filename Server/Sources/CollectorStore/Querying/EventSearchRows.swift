// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Searches events.
enum EventSearchRows {
    /// Returns the events found before the first limit is reached.
    ///
    /// The limits are the query's limit, the response size, and the budget of one search.
    ///
    /// The search can be continued at `next`.
    ///
    /// - Complexity: O(events searched).
    static func found(
        _ search: EventSearch,
        of total: UInt64,
        budget: QueryBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> EventSearchResult {
        var answer = EventSearchResult(events: [], searched: 0, of: total, next: nil)
        let columns = """
            SELECT e.position, e.context, e.body, c.content FROM events e LEFT JOIN contexts c ON c.number = e.context
            """
        guard var walk = try EventIterator(search.query, columns, db) else { return answer }
        defer { walk.end() }
        var match = try EventMatch(conditions: search.conditions, words: search.words, db)
        var meter = SearchMeter(budget, clock: clock)
        var bytes = 0
        while let row = try walk.next() {
            answer.searched += 1
            let position = EventPosition(rawValue: row.integer(0))
            if try match.holds(row, context: 1, body: 2), let event = try EventRows.at(position, db) {
                answer.events.append(event)
                bytes += event.answerBytes
            }
            let isFull = bytes >= ResponseBudget.bytes || answer.events.count >= search.query.limit
            if meter.isOver() || isFull {
                answer.next = position
                break
            }
        }
        return answer
    }
}
