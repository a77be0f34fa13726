// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Goes through events for those that hold what is searched for.
enum EventSearchRows {
    /// After so many events the clock is asked.
    private static let eventsBetweenLooks = 256

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
        var match = try EventMatch(search, db)
        let began = clock.now().monotonic
        var bytes = 0
        while let row = try walk.next() {
            answer.searched += 1
            let position = EventPosition(rawValue: row.integer(0))
            if try match.holds(row), let event = try EventRows.at(position, db) {
                answer.events.append(event)
                bytes += event.answerBytes
            }
            let isOver =
                answer.searched % eventsBetweenLooks == 0
                && began.duration(to: clock.now().monotonic) > budget.searchTime
            if isOver || answer.searched >= budget.searched || bytes >= AnswerBudget.bytes
                || answer.events.count >= search.query.limit
            {
                answer.next = position
                break
            }
        }
        return answer
    }
}

/// Whether an event holds what is searched for.
private struct EventMatch {
    private let conditions: [(condition: QuestionCondition, field: Int)]
    private let words: [[UInt8]]
    private var values: QuestionValues

    init(_ search: EventSearch, _ db: Database) throws {
        var fields: [QuestionField] = []
        conditions = search.conditions.map { condition in
            if let known = fields.firstIndex(of: condition.field) { return (condition, known) }
            fields.append(condition.field)
            return (condition, fields.count - 1)
        }
        words = search.words.map { $0.utf8.map(Self.folded) }
        values = try QuestionValues(fields, db)
    }

    /// Takes a row of context number, body and context.
    mutating func holds(_ row: RawStatement) throws -> Bool {
        guard
            words.allSatisfy({ word in
                row.withBytes(2) { Self.contains(word, $0) } || row.withBytes(3) { Self.contains(word, $0) }
            })
        else { return false }
        guard !conditions.isEmpty else { return true }
        let context = row.optionalInteger(1)
        let found = try row.withBytes(2) { try values.values(body: $0, context: context) }
        return conditions.allSatisfy { $0.condition.holds(of: found[$0.field]) }
    }

    /// A–Z as a–z, everything else as it is.
    private static func folded(_ byte: UInt8) -> UInt8 {
        byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") ? byte | 0x20 : byte
    }

    private static func contains(_ word: [UInt8], _ text: UnsafeRawBufferPointer) -> Bool {
        guard let first = word.first else { return true }
        guard text.count >= word.count else { return false }
        for start in 0...text.count - word.count where folded(text[start]) == first {
            var length = 1
            while length < word.count, folded(text[start + length]) == word[length] { length += 1 }
            if length == word.count { return true }
        }
        return false
    }
}
