// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reading stored events.
enum EventRows {
    private static let columns = """
        SELECT e.position, e.id, e.name, e.time, e.received, i.id, w.id, e.sequence, e.user, e.session, e.body, c.content
        FROM events e
        LEFT JOIN installations i ON i.number = e.installation
        LEFT JOIN writers w ON w.number = e.writer
        LEFT JOIN contexts c ON c.number = e.context
        """

    static func matching(_ query: EventQuery, _ db: Database) throws -> [StoredEvent] {
        let filter = EventFilter(query, paging: true)
        let direction = query.order == .oldestFirst ? "ASC" : "DESC"
        let statement = try RawStatement(
            db,
            columns + filter.sql + " ORDER BY e.position \(direction) LIMIT ?"
        )
        let next = filter.bind(to: statement)
        statement.bind(next, Int64(max(0, query.limit)))
        defer { statement.reset() }
        var events: [StoredEvent] = []
        var bytes = 0
        while bytes < AnswerBudget.bytes, try statement.step() {
            guard let event = event(statement) else { continue }
            bytes += event.answerBytes
            events.append(event)
        }
        return events
    }

    static func withID(_ id: EventID, _ db: Database) throws -> StoredEvent? {
        let statement = try RawStatement(db, columns + " WHERE e.id = ?")
        statement.bind(1, id)
        defer { statement.reset() }
        return try statement.step() ? event(statement) : nil
    }

    static func count(_ query: EventQuery, _ db: Database) throws -> Int {
        let filter = EventFilter(query, paging: false)
        let statement = try RawStatement(db, "SELECT count(*) FROM events e" + filter.sql)
        _ = filter.bind(to: statement)
        defer { statement.reset() }
        return try statement.step() ? Int(statement.integer(0)) : 0
    }

    private static func event(_ row: RawStatement) -> StoredEvent? {
        guard let id = row.id(1, as: EventID.self) else { return nil }  // Written by hand: not one of ours.
        return StoredEvent(
            position: EventPosition(rawValue: row.integer(0)),
            id: id,
            name: row.text(2),
            time: Timestamp(milliseconds: row.integer(3)),
            received: Timestamp(milliseconds: row.integer(4)),
            installation: row.id(5),
            writer: row.id(6),
            sequence: row.optionalInteger(7).map { UInt64(clamping: $0) },
            user: row.optionalText(8),
            session: row.optionalText(9),
            json: row.bytes(10),
            context: row.bytes(11)
        )
    }
}
