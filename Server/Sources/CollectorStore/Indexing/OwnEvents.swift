// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB

/// The `own_events` table: what queries read of an app's own events.
///
/// It is ordered by name and time.
///
/// Their attributes are adjacent there. Among all events there is about one of them per page, so finding them takes
/// longer than reading them.
///
/// Events that the SDK captures (`_screen_view` and the like) are not in the table. They are the majority of all
/// events, and their attributes are rarely queried.
enum OwnEvents {
    /// The maximum bytes of attributes stored in the table.
    ///
    /// Longer ones are marked as present and read from the event.
    static let attributesBytes = 512
    private static let sign = UInt8(ascii: "_")

    /// Returns whether events with this name are in the table.
    static func contain(_ name: UnsafeRawBufferPointer) -> Bool { name.first != sign }

    /// Returns whether events with this name are in the table.
    static func contain(_ name: String) -> Bool { name.utf8.first != sign }

    /// Removes the rows of an installation, whose events still exist.
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
    func add(_ event: PendingEvent, _ whose: EventWriter.Whose) {
        guard OwnEvents.contain(event.name.bytes) else { return }
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
                person: whose.person,
                installation: whose.installation,
                context: whose.context,
                attributes: range
            )
        )
    }

    /// Writes the rows.
    ///
    /// - Complexity: O(rows × log).
    func flush() throws {
        // In the table's order, adjacent rows share a page.
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
