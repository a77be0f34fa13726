// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// An event waiting to be indexed, with the values that are counted once it is stored.
///
/// Valid only while its bytes stay at their address.
struct PendingEvent {
    let position: EventPosition
    let id: EventID
    let name: EventName
    let time: Int64
    let sequence: UInt64?
    /// The event as received.
    let line: UnsafeRawBufferPointer
    /// The event as stored; nil if equal to ``line``.
    let completed: [UInt8]?
    let received: ReceivedEvent
    /// The values of a captured event; empty for all other events.
    let captured: JSONValue.Object
}

/// Writes rows of the `events` and `own_events` tables.
final class EventWriter: IndexTable {
    /// The values shared by pending events that are written together.
    struct EventOwner {
        let received: Int64
        let writer: Int64?
        let installation: Int64?
        let person: Int64?
        let session: Int64?
        let context: Int64?
    }

    private let db: Database
    private let insert: GroupedInsert
    private let present: RawStatement
    private let own: OwnEventWriter

    /// Creates a writer on a connection.
    init(_ db: Database) throws {
        self.db = db
        insert = try GroupedInsert(
            db,
            """
            INSERT OR IGNORE INTO events
            (position, id, name, time, sequence, body, received, writer, installation, person, session, context)
            """,
            columns: 6,
            shared: 6
        )
        present = try RawStatement(db, "SELECT 1 FROM events WHERE position = ?")
        own = try OwnEventWriter(db)
    }

    /// Writes events and reports whether each was stored or already present.
    ///
    /// - Parameters:
    ///   - events: The events, in the order of their positions.
    ///   - stored: Called for each event, in the same order, with false if the event's id was already present.
    /// - Complexity: O(events × log), plus a lookup for each event that is written in a group with a duplicate.
    func write(_ events: [PendingEvent], _ owner: EventOwner, stored: (PendingEvent, Bool) throws -> Void) throws {
        try insert.write(
            events,
            share: { insert in
                insert.bind(1, owner.received)
                insert.bind(2, owner.writer)
                insert.bind(3, owner.installation)
                insert.bind(4, owner.person)
                insert.bind(5, owner.session)
                insert.bind(6, owner.context)
            },
            bind: bind,
            written: { rows in
                let count = db.changesCount
                for event in rows {
                    let isNew = try count == rows.count || (count > 0 && isPresent(event))
                    if isNew { own.add(event, owner) }
                    try stored(event, isNew)
                }
            }
        )
    }

    /// Writes the pending rows of the `own_events` table.
    func flush() throws {
        try own.flush()
    }

    var tableNames: [String] { ["events", "own_events"] }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {
        try OwnEvents.remove(installation: [installation], from: db)
        try db.execute(
            sql: "DELETE FROM events WHERE position IN (\(RunTable.positions(in: "events")))",
            arguments: [installation]
        )
        removed.events = Int64(db.changesCount)
    }

    private func isPresent(_ event: PendingEvent) throws -> Bool {
        present.bind(1, event.position.rawValue)
        defer { present.reset() }
        return try present.step()
    }

    private func bind(_ event: PendingEvent, _ insert: RawStatement, after place: Int32) {
        insert.bind(place + 1, event.position.rawValue)
        insert.bind(place + 2, event.id)
        insert.bindText(place + 3, event.name.bytes)
        insert.bind(place + 4, event.time)
        insert.bind(place + 5, event.sequence)
        if let completed = event.completed {
            insert.bind(place + 6, completed)
        } else {
            insert.bindBlob(place + 6, event.line)
        }
    }
}
