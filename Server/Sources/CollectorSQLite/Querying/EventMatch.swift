// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Checks whether an event matches a search.
struct EventMatch {
    private let conditions: [(condition: QueryCondition, field: Int)]
    private let words: [SearchWord]
    private var values: QueryFieldReader

    /// Creates a matcher; an event must meet all conditions and contain all words.
    init(conditions wanted: [QueryCondition], words: [String], _ db: Database) throws {
        var fields: [QueryField] = []
        conditions = wanted.map { condition in
            if let known = fields.firstIndex(of: condition.field) { return (condition, known) }
            fields.append(condition.field)
            return (condition, fields.count - 1)
        }
        self.words = words.map(SearchWord.init)
        values = try QueryFieldReader(fields, db)
    }

    /// Returns whether the event of a row matches.
    ///
    /// - Parameters:
    ///   - context: The column with the number of the event's context.
    ///   - body: The column with the event itself; the next column contains its context.
    mutating func matches(_ row: RawStatement, context: Int32, body: Int32) throws -> Bool {
        guard
            words.allSatisfy({ word in
                row.withBytes(body) { word.occurs(in: $0) } || row.withBytes(body + 1) { word.occurs(in: $0) }
            })
        else { return false }
        guard !conditions.isEmpty else { return true }
        let number = row.optionalInteger(context)
        let found = try row.withBytes(body) { try values.values(body: $0, context: number) }
        return conditions.allSatisfy { $0.condition.matches(found[$0.field]) }
    }
}
