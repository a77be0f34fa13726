// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    package func screens(matching query: ScreenQuery) async throws(StoreError) -> ScreenFlow {
        let block = try await completed()
        let since = try await firstPosition(query, .screen, block)
        var tally = ScreenTally()
        var collector = ScreenViewCollector(query, since: since)
        var meter = QueryMeter(budget, clock: clock)
        try await rows(try await statement(query, since: since, block), &meter) { row throws(RowFault) in
            (installation: try row.installation(), session: try row.string(), usage: try SessionUsage.Event(&row))
        } _: { row throws(StoreError) in
            collector.add(row.usage, row.installation, row.session, to: &tally)
        }
        collector.end(&tally)
        var flow = tally.flow(limit: max(0, query.limit))
        flow.elements = try await elements(query, block)
        if query.installation == nil, try await hasMore(query, block) { flow.latest = query.maxViews }
        return flow
    }

    /// Returns the position from which to read rows of a kind.
    ///
    /// For a single installation, all rows are read.
    private func firstPosition(
        _ query: ScreenQuery,
        _ kind: UsageRow.Kind,
        _ block: UInt64
    ) async throws(StoreError) -> Int64 {
        guard query.installation == nil else { return .min }
        let positions = try await latestPositions(query.maxViews, where: "kind = \(kind.rawValue)", block)
        return positions.count < query.maxViews ? .min : positions.last ?? .min
    }

    /// Returns the latest positions of rows, latest first.
    private func latestPositions(
        _ limit: Int,
        where condition: String,
        _ block: UInt64
    ) async throws(StoreError) -> [Int64] {
        try await latest(limit, by: "position", of: .usage, where: condition, upTo: .max, block) {
            since throws(StoreError) in
            // Use GROUP BY, because DISTINCT in old versions of ClickHouse returns duplicates if several threads find
            // the same value.
            try await self.list(
                "SELECT position FROM usage WHERE \(KeySQL.visibleRows(upTo: block)) AND \(condition) "
                    + "AND position >= \(since ?? .min) GROUP BY position ORDER BY position DESC LIMIT \(limit)"
            ) { row throws(RowFault) in try row.int64() }
        }
    }

    /// Returns a statement for the screens to read, and for later reports about them.
    ///
    /// The statement includes other screens of the same sessions that such a report may refer to instead. Rows are
    /// ordered by session, and within each session by arrival.
    private func statement(
        _ query: ScreenQuery,
        since: Int64,
        _ block: UInt64
    ) async throws(StoreError) -> String {
        let screen = UsageRow.Kind.screen.rawValue
        var conditions = [
            KeySQL.visibleRows(upTo: block), "kind IN (\(screen), \(UsageRow.Kind.engagement.rawValue))",
        ]
        if let installation = query.installation {
            conditions.append("installation = \(SQLText.literal(installation))")
        } else if since > .min {
            let source = "FROM usage WHERE block <= \(block) AND kind = \(screen) AND position >= \(since)"
            let times = try await list("SELECT min(time) \(source)") { row throws(RowFault) in try row.int64() }
            conditions.append("(position >= \(since) OR (kind = \(screen) AND time >= \(times.first ?? .min)))")
            conditions.append("(installation, session) IN (SELECT installation, session \(source))")
        }
        return "SELECT installation, session, \(SessionUsage.columns) FROM usage "
            + "WHERE \(conditions.joined(separator: " AND ")) "
            + "ORDER BY installation, session, position"
    }

    /// Whether the query's time range contains more views than are read.
    private func hasMore(_ query: ScreenQuery, _ block: UInt64) async throws(StoreError) -> Bool {
        let since = query.from?.milliseconds ?? .min
        let condition = "kind = \(UsageRow.Kind.screen.rawValue) AND time >= \(since)"
        return try await latestPositions(query.maxViews + 1, where: condition, block).count > query.maxViews
    }

    private func elements(_ query: ScreenQuery, _ block: UInt64) async throws(StoreError) -> [ScreenFlow.Element] {
        let since = try await firstPosition(query, .click, block)
        var conditions = [
            KeySQL.visibleRows(upTo: block), "kind = \(UsageRow.Kind.click.rawValue)", "position >= \(since)",
            "time >= \(query.from?.milliseconds ?? .min)",
        ]
        if let installation = query.installation {
            conditions.append("installation = \(SQLText.literal(installation))")
        }
        var tally = ClickTally()
        var meter = QueryMeter(budget, clock: clock)
        var last: (installation: InstallationID?, position: Int64, number: Int64)?
        try await rows(
            "SELECT installation, \(SessionUsage.columns) FROM usage WHERE \(conditions.joined(separator: " AND ")) "
                + "ORDER BY installation, position",
            &meter
        ) { row throws(RowFault) in
            (installation: try row.installation(), usage: try SessionUsage.Event(&row))
        } _: { row throws(StoreError) in
            // A block may have been written twice.
            guard last?.position != row.usage.position, case .click(let element, let type, let screen)? = row.usage.fact
            else {
                return
            }
            let isSame = last.map { $0.installation == row.installation } ?? false
            let number = (last?.number ?? 0) + (isSame ? 0 : 1)
            last = (row.installation, row.usage.position, number)
            tally.add(element, type: type, on: screen, installation: number)
        }
        return tally.elements(limit: max(0, query.limit))
    }
}

/// Combines the screens of sessions, and reports the included ones.
///
/// Rows are passed in session by session.
private struct ScreenViewCollector {
    private let query: ScreenQuery
    private let since: Int64
    private var path: (installation: InstallationID?, session: [UInt8])?
    private var numbers: (installation: Int64, session: Int64) = (0, 0)
    private var usage = SessionUsage()
    private var last: Int64?

    /// Creates a collector in its initial state.
    ///
    /// - Parameter since: The position of the first screen to include.
    init(_ query: ScreenQuery, since: Int64) {
        self.query = query
        self.since = since
    }

    mutating func add(
        _ event: SessionUsage.Event,
        _ installation: InstallationID?,
        _ session: [UInt8],
        to tally: inout ScreenTally
    ) {
        if path.map({ $0.installation != installation || $0.session != session }) ?? true {
            end(&tally)
            numbers.session += 1
            if path == nil || path?.installation != installation { numbers.installation += 1 }
            path = (installation, session)
        }
        // A block may have been written twice.
        guard last != event.position else { return }
        last = event.position
        usage.add(event)
    }

    /// Ends the session.
    mutating func end(_ tally: inout ScreenTally) {
        for view in usage.views.views where view.position >= since {
            guard query.from.map({ view.screen.time >= $0 }) ?? true else { continue }
            tally.add(
                view.screen.name,
                installation: numbers.installation,
                session: numbers.session,
                engagement: view.screen.engagement
            )
        }
        (usage, last) = (SessionUsage(), nil)
    }
}
