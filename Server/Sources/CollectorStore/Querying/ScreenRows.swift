// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import GRDB
internal import TrackwayEvents

/// Reading which screens were shown and in which order, and what was clicked there.
enum ScreenRows {
    /// The screens, the steps between them, and their elements.
    ///
    /// The rows come installation by installation, and within one session by session in the order of time, whatever order
    /// the batches came in. What is outside every session (number 0) is one path of its installation. Of everybody's so many
    /// are looked at as the query says, those that arrived last: there may be millions.
    ///
    /// - Complexity: O(screens shown in the time), one walk; memory O(names and steps counted separately, and the screens of
    ///   one installation).
    static func flow(_ query: ScreenQuery, _ db: Database) throws -> ScreenFlow {
        let statement = try RawStatement(
            db,
            """
            SELECT installation, session, name, engagement FROM \(rows("screens", of: query))
            ORDER BY installation, session, time, position
            """
        )
        if let installation = query.installation { statement.bind(1, installation) }
        if let from = query.from { statement.bind(2, from.milliseconds) }
        defer { statement.reset() }
        var tally = ScreenTally()
        while try statement.step() {
            tally.add(
                statement.text(2),
                installation: statement.integer(0),
                session: statement.integer(1),
                engagement: statement.integer(3)
            )
        }
        var flow = tally.flow(limit: max(0, query.limit))
        flow.elements = try elements(query, db)
        if query.installation == nil, try hasMore(than: query, db) { flow.latest = query.maxViews }
        return flow
    }

    /// The rows of a table that a query means: those of an installation lie in its runs, of all the last ones are meant. Its first
    /// parameter is the installation's id, its second the time from which on.
    private static func rows(_ table: String, of query: ScreenQuery) -> String {
        let rows =
            if query.installation != nil {
                """
                (SELECT \(table).* FROM runs CROSS JOIN \(table) ON \(table).position BETWEEN runs.first AND runs.last
                WHERE runs.installation = (SELECT number FROM installations WHERE id = ?1))
                """
            } else {
                "(SELECT * FROM \(table) ORDER BY position DESC LIMIT \(query.maxViews))"
            }
        return query.from == nil ? rows : rows + " WHERE time >= ?2"
    }

    /// Whether there are views in the query's time beyond those that are looked at.
    ///
    /// - Complexity: O(views that are looked at), in an index.
    private static func hasMore(than query: ScreenQuery, _ db: Database) throws -> Bool {
        let statement = try RawStatement(db, "SELECT 1 FROM screens WHERE time >= ?1 LIMIT 1 OFFSET ?2")
        statement.bind(1, query.from?.milliseconds ?? .min)
        statement.bind(2, Int64(query.maxViews))
        defer { statement.reset() }
        return try statement.step()
    }

    /// The elements by clicks.
    ///
    /// - Complexity: O(clicks in the time), one walk; memory O(elements counted separately).
    private static func elements(_ query: ScreenQuery, _ db: Database) throws -> [ScreenFlow.Element] {
        let statement = try RawStatement(
            db,
            """
            SELECT installation, screen, element, type FROM \(rows("clicks", of: query))
            ORDER BY installation, position
            """
        )
        if let installation = query.installation { statement.bind(1, installation) }
        if let from = query.from { statement.bind(2, from.milliseconds) }
        defer { statement.reset() }
        var tally = ClickTally()
        while try statement.step() {
            tally.add(
                statement.text(2),
                type: statement.optionalText(3),
                on: statement.text(1),
                installation: statement.integer(0)
            )
        }
        return tally.elements(limit: max(0, query.limit))
    }
}
