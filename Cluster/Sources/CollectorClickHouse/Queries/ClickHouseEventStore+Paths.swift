// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    package func people(_ query: PointPeopleQuery) async throws(StoreError) -> PointPeople {
        throw .unsupported(
            "point",
            "ClickHouse counts people, but cannot list those behind a point: query the numbers, or a collector that "
                + "runs on one machine."
        )
    }

    package func paths(_ query: PathQuery) async throws(StoreError) -> Paths {
        var tally = PathTally(query, budget: budget)
        var meter = QueryMeter(budget, clock: clock)
        var session: Int32 = 0
        var read = 0
        let statement = statement(query, try await completed())
        try await rows(statement, &meter) { row throws(RowFault) in
            (
                names: try row.array { cell throws(RowFault) in try cell.string() },
                times: try row.array { cell throws(RowFault) in try cell.int64() },
                positions: try row.array { cell throws(RowFault) in try cell.int64() }
            )
        } _: { row throws(StoreError) in
            for (index, name) in row.names.enumerated() where index < row.positions.count {
                read += 1
                try tally.count(session: session, name: name, at: row.times[index], position: row.positions[index])
            }
            session += 1
        }
        let (steps, links, count) = try tally.result()
        try meter.checkTime()
        return Paths(steps: steps, links: links, sessions: count, events: read)
    }

    /// Returns a statement for each session's names, their times, and their positions.
    private func statement(_ query: PathQuery, _ block: UInt64) -> String {
        var filter = QueryFilter(installation: query.installation)
        let (name, condition): (String, String)
        switch query.kind {
        case .screens:
            filter.names = [CapturedName.screenView]
            // The name follows the type mark of a string.
            (name, condition) = ("substring(screen, 2)", "screen != ''")
        case .events: (name, condition) = ("name", "substring(name, 1, 1) != '_'")
        }
        let selection = EventSelection(
            [filter],
            from: query.from,
            to: query.to,
            columns: ["position", "session", query.kind == .screens ? "screen" : "name"],
            block: block,
            retainedSince: retainedSince,
            merged: merged
        )
        return "SELECT groupArray(\(name)), groupArray(time), groupArray(position) FROM \(selection.sql) "
            + "WHERE session != '' AND \(condition) GROUP BY installation, session"
    }
}
