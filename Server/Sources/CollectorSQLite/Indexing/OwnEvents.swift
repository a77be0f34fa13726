// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// The `own_events` table: values of an app's own events that queries read.
///
/// The table is ordered by name and time.
///
/// The attributes of one name's events are therefore adjacent. In the `events` table, there is about one such event per
/// page, so finding the events takes longer than reading them.
///
/// Events that the SDK captures (such as `_screen_view`) are not in the table. Most events are captured events, and
/// their attributes are rarely queried.
enum OwnEvents {
    /// The maximum length, in bytes, of an event's attributes in the table.
    ///
    /// Longer attributes are stored as null and read from the event.
    static let attributesBytes = 512
    private static let sign = UInt8(ascii: "_")

    /// Returns whether events with this name are in the table.
    static func contains(_ name: UnsafeRawBufferPointer) -> Bool { name.first != sign }

    /// Returns whether events with this name are in the table.
    static func contains(_ name: String) -> Bool { name.utf8.first != sign }

    /// Removes the rows of an installation.
    ///
    /// Call this before the installation's events are deleted.
    static func remove(installation: StatementArguments, from db: Database) throws {
        try db.execute(
            sql: """
                DELETE FROM own_events WHERE (name, time, position) IN
                (SELECT events.name, events.time, events.position FROM \(RunTable.eventsOfInstallation))
                """,
            arguments: installation
        )
    }
}

/// Collects the rows of the `own_events` table of one transaction.
final class OwnEventWriter {
    private struct Row {
        let name: EventName
        let time: Int64
        let position: Int64
        let person: Int64?
        let installation: Int64?
        let context: Int64?
        /// The attributes' range in ``OwnEventWriter/attributes``; nil if they are too long.
        let attributes: Range<Int>?
    }

    private let insert: GroupedInsert
    private var rows: [Row] = []
    private var attributes: [UInt8] = []

    /// Creates a writer on a connection.
    init(_ db: Database) throws {
        insert = try GroupedInsert(
            db,
            "INSERT INTO own_events (name, time, position, person, installation, context, attributes)",
            columns: 7
        )
    }

    /// Adds a stored event.
    func add(_ event: PendingEvent, _ owner: EventWriter.EventOwner) {
        guard OwnEvents.contains(event.name.bytes) else { return }
        var range: Range<Int>?
        let found = event.received.attributes
        if found?.count ?? 0 <= OwnEvents.attributesBytes {
            let start = attributes.count
            if let found { attributes.append(contentsOf: found) }
            range = start..<attributes.count
        }
        rows.append(
            Row(
                name: event.name,
                time: event.time,
                position: event.position.rawValue,
                person: owner.person,
                installation: owner.installation,
                context: owner.context,
                attributes: range
            )
        )
    }

    /// Writes the rows.
    ///
    /// - Complexity: O(rows × log).
    func flush() throws {
        // Sort the rows in table order, so that adjacent rows are on the same page.
        rows.sort { ($0.name.number, $0.time, $0.position) < ($1.name.number, $1.time, $1.position) }
        try attributes.withUnsafeBytes { attributes in
            try insert.write(rows) { row, insert, place in
                insert.bindText(place + 1, row.name.bytes)
                insert.bind(place + 2, row.time)
                insert.bind(place + 3, row.position)
                insert.bind(place + 4, row.person)
                insert.bind(place + 5, row.installation)
                insert.bind(place + 6, row.context)
                if let range = row.attributes {
                    insert.bindBlob(place + 7, UnsafeRawBufferPointer(rebasing: attributes[range]))
                } else {
                    insert.bind(place + 7, Int64?.none)
                }
            }
        }
        rows.removeAll(keepingCapacity: true)
        attributes.removeAll(keepingCapacity: true)
    }
}
