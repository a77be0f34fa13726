// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
internal import TrackwayEvents

extension ClickHouseEventStore {
    package func funnel(_ question: FunnelQuery) async throws(StoreError) -> Funnel {
        var tally = FunnelTally(question, budget: budget)
        var meter = QueryMeter(budget, clock: clock)
        var people: [(user: [UInt8], installation: InstallationID)] = []
        var number: Int64 = 0
        var read = 0
        let statement = statement(question, try await completed())
        try await rows(statement, &meter) { row throws(RowFault) in
            (
                user: try row.string(), visitor: try row.halves(),
                times: try row.array { cell throws(RowFault) in try cell.int64() },
                positions: try row.array { cell throws(RowFault) in try cell.int64() },
                steps: try row.array { cell throws(RowFault) in try cell.uint16() },
                groups: try row.array { cell throws(RowFault) in try cell.string() }
            )
        } _: { row throws(StoreError) in
            if question.lastStep != nil {
                people.append((row.user, InstallationID(high: row.visitor.high, low: row.visitor.low)))
            }
            for (index, time) in row.times.enumerated() where index < row.groups.count {
                for step in question.steps.indices where row.steps[index] >> UInt16(step) & 1 != 0 {
                    read += 1
                    try tally.count(
                        step: step,
                        person: number,
                        at: Timestamp(milliseconds: time),
                        position: row.positions[index],
                        value: question.grouping == nil ? nil : QueryValue(columnBytes: row.groups[index])
                    )
                }
            }
            number += 1
        }
        let (series, listed) = tally.answer()
        try meter.checkTime()
        let named = listed.map { place in
            let person = people[Int(place.person)]
            let isUser = !person.user.isEmpty
            return Funnel.Person(
                user: isUser ? String(decoding: person.user, as: UTF8.self) : nil,
                installation: isUser ? nil : person.installation,
                at: Timestamp(milliseconds: place.at)
            )
        }
        return Funnel(series: series, people: question.lastStep == nil ? nil : named, events: read)
    }

    /// Returns a statement for each person's events of the steps.
    ///
    /// It selects their times, their positions, the steps that each one belongs to, and their groups. Only the first
    /// step's group is used.
    private func statement(_ question: FunnelQuery, _ block: UInt64) -> String {
        let selection = EventSelection(
            question.steps,
            from: question.from,
            to: question.to.advanced(by: .milliseconds(question.window)),
            fields: [question.grouping?.field].compactMap { $0 },
            columns: ["position"],
            block: block,
            kept: keptFrom
        )
        let steps = question.steps.enumerated().map { number, filter in
            let isInTime = number == 0 ? "time < \(question.to.milliseconds) AND " : ""
            return "if(\(isInTime)\(selection.holds(filter)), \(1 << number), 0)"
        }
        let mask = "toUInt16(\(steps.joined(separator: " + ")))"
        return "SELECT user, visitor, groupArray(time), groupArray(position), groupArray(s), groupArray(g) FROM "
            + "(SELECT user, \(EventSelection.visitor), time, position, \(mask) AS s, "
            + "\(selection.column(question.grouping?.field)) AS g FROM \(selection.sql) "
            + "WHERE \(EventSelection.isSomebodys)) WHERE s != 0 GROUP BY user, visitor"
    }
}
