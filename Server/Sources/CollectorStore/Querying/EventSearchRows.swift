// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Goes through events for those that hold what is searched for.
enum EventSearchRows {
    /// The events found before one of three is reached: the query's limit, an answer's size, or what one search may cost. Who
    /// wants more goes on at `next`.
    ///
    /// - Complexity: O(events gone through).
    static func found(
        _ search: EventSearch,
        of total: UInt64,
        budget: QuestionBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> FoundEvents {
        var answer = FoundEvents(events: [], searched: 0, of: total, next: nil)
        let columns = """
            SELECT e.position, e.context, e.body, c.content FROM events e LEFT JOIN contexts c ON c.number = e.context
            """
        guard var walk = try EventWalk(search.query, columns, db) else { return answer }
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
            let isFull = bytes >= AnswerBudget.bytes || answer.events.count >= search.query.limit
            if meter.isOver() || isFull {
                answer.next = position
                break
            }
        }
        return answer
    }
}
