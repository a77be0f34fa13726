// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads rejected events.
enum FailedRows {
    static func matching(_ query: FailedQuery, _ db: Database) throws -> [FailedEvent] {
        let conditions = (query.code == nil ? "" : " AND code = ?") + (query.name == nil ? "" : " AND name = ?")
        let statement = try RawStatement(
            db,
            """
            SELECT position, received, key, code, field, message, substr(content, 1, \(FailedEvent.excerptBytes)),
            length(content), bytes, name, version FROM failed WHERE position < ?\(conditions)
            ORDER BY position DESC LIMIT ?
            """
        )
        statement.bind(1, query.before?.rawValue ?? Int64.max)
        var next: Int32 = 2
        for text in [query.code, query.name] {
            guard let text else { continue }
            statement.bind(next, text)
            next += 1
        }
        statement.bind(next, Int64(max(0, query.limit)))
        return try statement.collectWithinBudget { event($0) }
    }

    static func at(_ position: EventPosition, _ db: Database) throws -> FailedEvent? {
        let statement = try RawStatement(
            db,
            """
            SELECT position, received, key, code, field, message, content, length(content), bytes, name, version
            FROM failed WHERE position = ?
            """
        )
        statement.bind(1, position.rawValue)
        defer { statement.reset() }
        return try statement.step() ? event(statement) : nil
    }

    private static func event(_ row: RawStatement) -> FailedEvent {
        FailedEvent(
            position: EventPosition(rawValue: row.integer(0)),
            received: Timestamp(milliseconds: row.integer(1)),
            key: row.text(2),
            code: row.text(3),
            field: row.text(4),
            message: row.text(5),
            content: row.bytes(6),
            bytes: Int(clamping: row.integer(7)),
            totalBytes: Int(clamping: row.integer(8)),
            name: row.optionalText(9),
            version: row.optionalText(10)
        )
    }
}
