// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB

/// Writes the clicks of one transaction at its end: nothing is asked of them before.
final class ClickWriter {
    /// What was clicked.
    struct Click {
        /// The name it goes by.
        let element: String
        let type: String?
        /// Where; empty when it is not known.
        let screen: String
        let time: Int64
        let position: EventPosition
        let installation: Int64
    }

    private let insert: GroupedInsert
    private var clicks: [Click] = []

    /// No clicks yet.
    init(_ db: Database) throws {
        insert = try GroupedInsert(
            db,
            "INSERT OR IGNORE INTO clicks (position, installation, time, screen, element, type)",
            columns: 6
        )
    }

    /// An element was clicked.
    func add(_ click: Click) {
        clicks.append(click)
    }

    /// Writes the clicks, in the order in which they were added.
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
