// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
internal import TrackwayCore

extension ClickHouseEventStore {
    package func funnel(_ query: FunnelQuery) async throws(StoreError) -> Funnel {
        try PeopleSupport.check(query.steps, query.unit)
        try PeopleSupport.check(query.grouping)
        var tally = FunnelTally(query, budget: budget)
        var meter = QueryMeter(budget, clock: clock)
        var people: [(user: [UInt8], installation: InstallationID)] = []
        var number: Int64 = 0
        var read = 0
        let statement = statement(query, try await completed())
        try await rows(statement, &meter) { row throws(RowFault) in
            (
                user: try row.string(), visitor: try row.idHalves(),
                times: try row.array { cell throws(RowFault) in try cell.int64() },
                positions: try row.array { cell throws(RowFault) in try cell.int64() },
                steps: try row.array { cell throws(RowFault) in try cell.uint16() },
                groups: try row.array { cell throws(RowFault) in try cell.string() }
            )
        } _: { row throws(StoreError) in
            if query.lastStep != nil {
                people.append((row.user, InstallationID(high: row.visitor.high, low: row.visitor.low)))
            }
            for (index, time) in row.times.enumerated() where index < row.groups.count {
                for step in query.steps.indices where row.steps[index] >> UInt16(step) & 1 != 0 {
                    read += 1
                    try tally.count(
                        step: step,
                        person: number,
                        at: Timestamp(milliseconds: time),
                        position: row.positions[index],
                        value: query.grouping.flatMap { $0.value { _ in QueryValue(columnBytes: row.groups[index]) } }
                    )
                }
            }
            number += 1
        }
        let (series, listed) = tally.result()
        try meter.checkTime()
        let named = listed.map { entry in
            let person = people[Int(entry.person)]
            let isUser = !person.user.isEmpty
            return Funnel.Person(
                user: isUser ? String(decoding: person.user, as: UTF8.self) : nil,
                installation: isUser ? nil : person.installation,
                at: Timestamp(milliseconds: entry.at)
            )
        }
        return Funnel(series: series, people: query.lastStep == nil ? nil : named, events: read)
    }

    /// Returns a statement for each person's events that belong to steps.
    ///
    /// It selects the events' times, their positions, the steps that each event belongs to, and their groups. Only the
    /// group of the first step is used.
    private func statement(_ query: FunnelQuery, _ block: UInt64) -> String {
        let selection = EventSelection(
            query.steps,
            from: query.from,
            to: query.to.advanced(by: .milliseconds(query.window)),
            fields: [query.grouping?.field].compactMap { $0 },
            columns: ["position"],
            people: true,
            block: block,
            retainedSince: retainedSince,
            merged: merged
        )
        let steps = query.steps.enumerated().map { number, filter in
            let isInTime = number == 0 ? "time < \(query.to.milliseconds) AND " : ""
            return "if(\(isInTime)\(selection.condition(for: filter)), \(1 << number), 0)"
        }
        let mask = "toUInt16(\(steps.joined(separator: " + ")))"
        return "SELECT user, visitor, groupArray(time), groupArray(position), groupArray(s), groupArray(g) FROM "
            + "(SELECT user, \(EventSelection.visitor), time, position, \(mask) AS s, "
            + "\(selection.column(query.grouping?.field)) AS g FROM \(selection.sql) "
            + "WHERE \(EventSelection.personCondition)) WHERE s != 0 GROUP BY user, visitor"
    }
}
