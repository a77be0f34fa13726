// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reading refused events.
enum FailedRows {
    static func before(_ position: EventPosition?, limit: Int, _ db: Database) throws -> [FailedEvent] {
        let statement = try RawStatement(
            db,
            """
            SELECT position, received, key, code, field, message, substr(content, 1, \(FailedEvent.excerptBytes)),
            length(content) FROM failed WHERE position < ? ORDER BY position DESC LIMIT ?
            """
        )
        statement.bind(1, position?.rawValue ?? Int64.max)
        statement.bind(2, Int64(max(0, limit)))
        return try statement.withinBudget { event($0) }
    }

    static func at(_ position: EventPosition, _ db: Database) throws -> FailedEvent? {
        let statement = try RawStatement(
            db,
            """
            SELECT position, received, key, code, field, message, content, length(content) FROM failed WHERE position = ?
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
            bytes: Int(clamping: row.integer(7))
        )
    }
}
