// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// Collects the clicks of one transaction and writes them at its end.
///
/// No click is read before the end of the transaction.
final class ClickWriter {
    /// A clicked element.
    struct Click {
        /// The element's name.
        let element: String
        let type: String?
        /// The screen; empty if unknown.
        let screen: String
        let time: Int64
        let position: EventPosition
        let installation: Int64
    }

    private let insert: GroupedInsert
    private var clicks: [Click] = []

    /// Creates an empty writer.
    init(_ db: Database) throws {
        insert = try GroupedInsert(
            db,
            "INSERT OR IGNORE INTO clicks (position, installation, time, screen, element, type)",
            columns: 6
        )
    }

    /// Adds a click.
    func add(_ click: Click) {
        clicks.append(click)
    }

    /// Writes the clicks, in the order they were added.
    func flush() throws {
        try insert.write(clicks) { click, insert, place in
            insert.bind(place + 1, click.position.rawValue)
            insert.bind(place + 2, click.installation)
            insert.bind(place + 3, click.time)
            insert.bind(place + 4, click.screen)
            insert.bind(place + 5, click.element)
            insert.bind(place + 6, click.type)
        }
        clicks.removeAll(keepingCapacity: true)
    }
}
