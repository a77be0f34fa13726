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
            SELECT position, received, key, code, field, message, content FROM failed
            WHERE position < ? ORDER BY position DESC LIMIT ?
            """
        )
        statement.bind(1, position?.rawValue ?? Int64.max)
        statement.bind(2, Int64(max(0, limit)))
        var events: [FailedEvent] = []
        while try statement.step() {
            events.append(
                FailedEvent(
                    position: EventPosition(rawValue: statement.integer(0)),
                    received: Timestamp(milliseconds: statement.integer(1)),
                    key: statement.text(2),
                    code: statement.text(3),
                    field: statement.text(4),
                    message: statement.text(5),
                    content: statement.bytes(6)
                )
            )
        }
        return events
    }
}
