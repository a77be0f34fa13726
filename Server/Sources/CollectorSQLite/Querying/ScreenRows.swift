// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads screens, the order of screens, and clicks on screens.
enum ScreenRows {
    /// Returns the screens, the transitions between them, and their elements.
    ///
    /// Rows are ordered by installation, then session, then time, regardless of the order of the batches. Screens
    /// outside every session (number 0) form one path per installation. For all installations together, only the last
    /// views to arrive are read, up to the query's maximum, because there may be millions.
    ///
    /// - Complexity: O(screens in the time range), one pass; memory O(names and steps counted separately, and the
    ///   screens of one installation).
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

    /// Returns the rows of a table that match a query.
    ///
    /// For a query with an installation, these are the rows in that installation's runs; otherwise, they are the last
    /// rows.
    ///
    /// The first parameter is the installation's id, the second the start time.
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

    /// Returns whether the query's time range contains views that were not read.
    ///
    /// - Complexity: O(views that were read), in an index.
    private static func hasMore(than query: ScreenQuery, _ db: Database) throws -> Bool {
        let statement = try RawStatement(db, "SELECT 1 FROM screens WHERE time >= ?1 LIMIT 1 OFFSET ?2")
        statement.bind(1, query.from?.milliseconds ?? .min)
        statement.bind(2, Int64(query.maxViews))
        defer { statement.reset() }
        return try statement.step()
    }

    /// Returns the elements, ordered by clicks.
    ///
    /// - Complexity: O(clicks in the time range), one pass; memory O(elements counted separately).
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
