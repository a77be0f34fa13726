// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Computes trends.
enum TrendRows {
    /// Computes the trend.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(events of the name, the user or the installation, or the time range); memory within the budget.
    static func trend(
        _ query: TrendQuery,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> Trend {
        var meter = QueryMeter(budget, clock: clock)
        if let trend = try byQuarters(query, &meter, db) { return trend }
        let counted = try count(query, from: query.time.start, to: query.time.end, cohorts: cohorts, &meter, db)
        return Trend(series: counted.tally.series(), events: meter.events)
    }

    /// Counts the events of a query in a time range.
    ///
    /// - Parameter point: the point whose people the tally lists; nil for none.
    /// - Returns: The tally, and the numbers of the groups that the query counts, if it counts groups.
    static func count(
        _ query: TrendQuery,
        listing point: TrendPoint? = nil,
        from: Timestamp,
        to: Timestamp,
        cohorts: [String: Cohort],
        _ meter: inout QueryMeter,
        _ db: Database
    ) throws -> (tally: TrendTally, groups: GroupNumbers?) {
        var fields: [QueryField] = []
        let places = (query.grouping?.fields ?? []).map { place(of: $0, &fields) }
        let measured = query.measure.field.map { place(of: $0, &fields) }
        let readsPeople =
            query.measure == .users || point != nil || query.filter.readsPeople || fields.contains(where: \.isOfPerson)
        let people = readsPeople ? try PersonMap(db, cohorts: cohorts) : nil
        var groups: GroupNumbers?
        if case .groups(let type) = query.measure { groups = GroupNumbers(type, budget: meter.budget) }
        var pass = try EventReader(query.filter, fields: fields, people: people, groups: groups, db)
        var tally = TrendTally(query, budget: meter.budget, listing: point)
        try pass.read(from: from, to: to, &meter, db) { event in
            let person: Int64? =
                switch query.measure {
                case .users, .groups: event.person
                case .installations: event.installation
                case .events, .sum, .average, .p95: point == nil ? nil : event.person
                }
            try tally.count(
                at: event.time,
                value: query.grouping.flatMap { grouping in grouping.value { event.value(places[$0]) } },
                person: person,
                measured: measured.flatMap { event.value($0) }
            )
        }
        return (tally, groups)
    }

    /// Computes the trend from counts per quarter of an hour.
    ///
    /// Returns nil if those counts are insufficient.
    private static func byQuarters(_ query: TrendQuery, _ meter: inout QueryMeter, _ db: Database) throws -> Trend? {
        let countsPeople = query.measure == .users
        guard query.grouping == nil, countsPeople || query.measure == .events else { return nil }
        let periods = [query.time.edgesBefore, query.time.edges].filter { !$0.isEmpty }
        let within = periods.flatMap { $0.dropFirst().dropLast() }
        let counted = try QuarterReader(
            query.filter,
            edges: within,
            people: countsPeople ? PersonMap(db) : nil,
            events: !countsPeople,
            db
        )
        guard let pass = counted else { return nil }
        func read(
            _ meter: inout QueryMeter,
            quarter: (QuarterReader.Activity) throws -> Void,
            event: (EventReader.Event) throws -> Void
        ) throws {
            for period in periods {
                try pass.read(from: period[0], to: period[period.count - 1], &meter, db, quarter: quarter, event: event)
            }
        }
        if countsPeople, let highest = try highestPerson(db), highest <= meter.budget.people {
            var tally = PeopleTally(query.time, highest: highest)
            try read(&meter) { quarter in
                if let person = quarter.person { tally.count(person, at: quarter.time) }
            } event: { event in
                if let person = event.person { tally.count(person, at: event.time) }
            }
            return Trend(series: [tally.series()], events: meter.events)
        }
        var tally = TrendTally(query, budget: meter.budget)
        try read(&meter) { quarter in
            let person = countsPeople ? quarter.person : nil
            try tally.count(quarter.events, at: quarter.time, value: nil, person: person)
        } event: { event in
            try tally.count(at: event.time, value: nil, person: countsPeople ? event.person : nil)
        }
        return Trend(series: tally.series(), events: meter.events)
    }

    /// Returns the highest person number; 0 without people.
    private static func highestPerson(_ db: Database) throws -> Int? {
        let statement = try RawStatement(db, "SELECT coalesce(max(number), 0) FROM users")
        defer { statement.reset() }
        return try statement.step() ? Int(exactly: statement.integer(0)) : nil
    }

    /// Returns the index of a field in the list; appends a missing field.
    private static func place(of field: QueryField, _ fields: inout [QueryField]) -> Int {
        if let place = fields.firstIndex(of: field) { return place }
        fields.append(field)
        return fields.count - 1
    }
}
