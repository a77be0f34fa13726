// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import GRDB

/// Stored events to be removed, as an SQL table expression named `events`.
struct EventSelection {
    /// The table expression.
    let table: String
    /// The arguments of ``table``.
    let arguments: StatementArguments

    /// Returns all events of an installation.
    static func installation(_ number: Int64) -> EventSelection {
        EventSelection(table: RunTable.eventsOfInstallation, arguments: [number])
    }

    /// Returns the events of a range of positions.
    static func positions(_ range: Range<Int64>) -> EventSelection {
        EventSelection(
            table: "(SELECT * FROM events WHERE position >= ? AND position < ?) AS events",
            arguments: [range.lowerBound, range.upperBound]
        )
    }
}
