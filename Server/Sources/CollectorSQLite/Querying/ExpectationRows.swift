// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Evaluates an expectation for the events that have arrived.
enum ExpectationRows {
    /// The maximum number of events per call.
    private static let atOnce = 1_000

    /// Evaluates the next events, at most a thousand.
    ///
    /// - Parameter end: The position before which to stop.
    /// - Returns: The updated tally, and whether there may be more events.
    /// - Complexity: O(bytes of the events).
    static func advance(
        _ tally: ExpectationTally,
        before end: EventPosition?,
        _ db: Database
    ) throws -> (tally: ExpectationTally, hasMore: Bool) {
        var tally = tally
        let filter = tally.expectation.filter
        let names = filter.names.map { Array($0.utf8) }
        let fields = filter.fields
        var reader = try QueryFieldReader(fields, db)
        let statement = try RawStatement(
            db,
            """
            SELECT e.position, e.id, e.name, u.id, i.id, e.context, e.body FROM events e
            LEFT JOIN installations i ON i.number = e.installation LEFT JOIN users u ON u.number = e.person
            WHERE e.position >= ? AND e.position < ? ORDER BY e.position LIMIT \(atOnce)
            """
        )
        statement.bind(1, tally.next.rawValue)
        statement.bind(2, end?.rawValue ?? .max)
        defer { statement.reset() }
        var rows = 0
        while try statement.step() {
            rows += 1
            let position = EventPosition(rawValue: statement.integer(0))
            let isMeant = statement.withBytes(2) { name in names.contains { $0.elementsEqual(name) } }
            guard isMeant, let id: EventID = statement.id(1) else {
                tally.countOther(statement.text(2), at: position)
                continue
            }
            let context = statement.optionalInteger(5)
            let values =
                try fields.isEmpty ? [] : statement.withBytes(6) { try reader.values(body: $0, context: context) }
            tally.add(
                ExpectationTally.Event(
                    position: position,
                    id: id,
                    user: statement.optionalText(3),
                    installation: statement.id(4),
                    values: values
                )
            )
        }
        return (tally, rows == atOnce)
    }
}
