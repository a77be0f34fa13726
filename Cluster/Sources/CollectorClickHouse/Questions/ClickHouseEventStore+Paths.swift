// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

extension ClickHouseEventStore {
    package func paths(_ question: PathQuery) async throws(StoreError) -> Paths {
        var tally = PathTally(question, budget: budget)
        var meter = QueryMeter(budget, clock: clock)
        var session: Int32 = 0
        var read = 0
        let statement = statement(question, try await completed())
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
        let (steps, links, count) = try tally.answer()
        try meter.checkTime()
        return Paths(steps: steps, links: links, sessions: count, events: read)
    }

    /// Returns a statement for each session's names, their times, and their positions.
    private func statement(_ question: PathQuery, _ block: UInt64) -> String {
        var filter = QueryFilter(installation: question.installation)
        let (name, isMet): (String, String)
        switch question.kind {
        case .screens:
            filter.names = [CapturedName.screenView]
            // After the type mark of a string.
            (name, isMet) = ("substring(screen, 2)", "screen != ''")
        case .events: (name, isMet) = ("name", "substring(name, 1, 1) != '_'")
        }
        let selection = EventSelection(
            [filter],
            from: question.from,
            to: question.to,
            columns: ["position", "session", question.kind == .screens ? "screen" : "name"],
            block: block,
            kept: keptFrom
        )
        return "SELECT groupArray(\(name)), groupArray(time), groupArray(position) FROM \(selection.sql) "
            + "WHERE session != '' AND \(isMet) GROUP BY installation, session"
    }
}
