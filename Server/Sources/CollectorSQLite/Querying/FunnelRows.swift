// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Computes funnel conversion.
enum FunnelRows {
    /// Computes the funnel.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(events of the steps × log); memory within the budget.
    static func funnel(
        _ query: FunnelQuery,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> Funnel {
        var meter = QueryMeter(budget, clock: clock)
        let counted = try count(query, cohorts: cohorts, &meter, db)
        var tally = counted.tally
        let (series, listed) = tally.result()
        try meter.checkTime()
        let stopped = try query.lastStep.map { _ -> [Funnel.Person] in
            // The numbers of groups are not those of people.
            guard counted.groups == nil else { return [] }
            return try listed.map { try person($0.person, at: Timestamp(milliseconds: $0.at), db) }
        }
        return Funnel(series: series, people: stopped, events: meter.events)
    }

    /// Counts the events of the steps.
    ///
    /// - Returns: The tally, and the numbers of the groups that the query counts, if it counts groups.
    static func count(
        _ query: FunnelQuery,
        cohorts: [String: Cohort],
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> (tally: FunnelTally, groups: GroupNumbers?) {
        var tally = FunnelTally(query, budget: meter.budget)
        let people = try PersonMap(db, cohorts: cohorts)
        let groups = query.unit.groupType.map { GroupNumbers($0, budget: meter.budget) }
        for (step, filter) in query.steps.enumerated() {
            let grouping = step == 0 ? query.grouping : nil
            var pass = try EventReader(filter, fields: grouping?.fields ?? [], people: people, groups: groups, db)
            let end = step == 0 ? query.to : query.to.advanced(by: .milliseconds(query.window))
            try pass.read(from: query.from, to: end, &meter, db) { event in
                // An event without a person, or a group if groups are counted, cannot be part of a funnel.
                guard let person = event.person else { return }
                try tally.count(
                    step: step,
                    person: person,
                    at: event.time,
                    position: event.position,
                    value: grouping.flatMap { grouping in grouping.value { event.value($0) } }
                )
            }
        }
        return (tally, groups)
    }

    private static func person(_ number: Int64, at time: Timestamp, _ db: Database) throws -> Funnel.Person {
        let statement = try RawStatement(
            db,
            """
            SELECT u.id, i.id FROM users u LEFT JOIN installations i ON i.number = u.installation AND u.id IS NULL
            WHERE u.number = ?
            """
        )
        statement.bind(1, number)
        defer { statement.reset() }
        guard try statement.step() else { return Funnel.Person(user: nil, installation: nil, at: time) }
        return Funnel.Person(user: statement.optionalText(0), installation: statement.id(1), at: time)
    }
}
