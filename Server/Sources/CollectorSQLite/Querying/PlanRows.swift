// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore

/// Reads the counts of tracking plans.
enum PlanRows {
    /// Returns the counts of each name.
    ///
    /// - Parameter day: The first UTC day to include, counted from 1970; nil for all.
    /// - Complexity: O(groups and names, and their days if a day is given).
    static func counts(since day: Int64?, _ db: Database) throws -> PlanCounts {
        var eras = try self.eras(db)
        guard !eras.isEmpty else { return PlanCounts() }
        var counts = PlanCounts(era: eras.removeFirst(), previous: eras)
        let events = try RawStatement(
            db,
            "SELECT name, sum(events), sum(faulty) FROM plan_days WHERE day >= ? GROUP BY name"
        )
        events.bind(1, day ?? Int64.min)
        while try events.step() {
            counts.planned[events.text(0)] = PlanNameCount(events: events.integer(1), faulty: events.integer(2))
        }
        let groups = try RawStatement(
            db,
            """
            SELECT g.name, g.unplanned, g.events, e.id FROM (
                SELECT name, code = 'unplanned' AS unplanned, sum(v.events) AS events, max(sample) AS sample
                FROM (\(Self.groups(since: day))) AS v GROUP BY 1, 2
            ) AS g LEFT JOIN events AS e ON e.position = g.sample
            """
        )
        while try groups.step() {
            let (name, number) = (groups.text(0), groups.integer(2))
            let sample = groups.id(3, as: EventID.self)
            if groups.integer(1) == 0 {
                counts.planned[name, default: PlanNameCount()].violations = number
                counts.planned[name]?.sample = sample
            } else if name.isEmpty {
                counts.others = number
            } else {
                counts.unplanned[name] = PlanNameCount(
                    events: number,
                    faulty: number,
                    violations: number,
                    sample: sample
                )
            }
        }
        return counts
    }

    /// Returns groups of violations, the groups with the most events first.
    static func violations(_ query: ViolationQuery, _ db: Database) throws -> Violations {
        guard let era = try eras(db).first else { return Violations() }
        var conditions = ["v.events > 0"]
        var values: [String: (any DatabaseValueConvertible)?] = ["limit": max(0, query.limit)]
        if let name = query.name {
            conditions.append("v.name = :name")
            values["name"] = name
        }
        if let code = query.code {
            conditions.append("v.code = :code")
            values["code"] = code.rawValue
        }
        let wanted = "FROM (\(groups(since: query.since))) AS v WHERE \(conditions.joined(separator: " AND "))"
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT v.number, v.name, v.path, v.code, v.version, v.events, v.first, v.last, e.id
                \(wanted.replacing("AS v WHERE", with: "AS v LEFT JOIN events AS e ON e.position = v.sample WHERE"))
                ORDER BY v.events DESC, v.name, v.path, v.code, v.version LIMIT :limit
                """,
            arguments: StatementArguments(values)
        )
        let days = try RawStatement(
            db,
            "SELECT day, events FROM violation_days WHERE violation = ? AND day >= ? ORDER BY day"
        )
        var result = Violations(era: era)
        for row in rows {
            days.bind(1, row[0] as Int64)
            days.bind(2, query.since ?? Int64.min)
            var group = ViolationGroup(
                name: row[1],
                path: row[2],
                code: row[3],
                version: row[4],
                events: row[5],
                first: Timestamp(milliseconds: row[6]),
                last: Timestamp(milliseconds: row[7]),
                sample: EventID(blob: row[8])
            )
            while try days.step() { group.days.append((days.integer(0), days.integer(1))) }
            result.groups.append(group)
        }
        values["limit"] = nil
        let all = try Row.fetchOne(
            db,
            sql: "SELECT count(*), coalesce(sum(v.events), 0) \(wanted)",
            arguments: StatementArguments(values)
        )
        result.moreGroups = (all?[0] ?? 0) - Int64(result.groups.count)
        result.moreEvents = (all?[1] ?? 0) - result.groups.reduce(0) { $0 + $1.events }
        return result
    }

    /// Returns an SQL query for groups with their event counts since a day.
    private static func groups(since day: Int64?) -> String {
        guard let day else { return "SELECT * FROM violations" }
        return """
            SELECT number, name, path, code, version, d.events, first, last, sample FROM violations JOIN (
                SELECT violation, sum(events) AS events FROM violation_days WHERE day >= \(day) GROUP BY violation
            ) AS d ON d.violation = number
            """
    }

    /// Returns all known eras, latest first.
    private static func eras(_ db: Database) throws -> [PlanEra] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT digest, title, first, last, events, faulty, violations, unplanned FROM plans ORDER BY number DESC
                """
        ).map { row in
            PlanEra(
                digest: row[0],
                title: row[1],
                since: (row[2] as Int64?).map { Timestamp(milliseconds: $0) },
                until: (row[3] as Int64?).map { Timestamp(milliseconds: $0) },
                events: row[4],
                faulty: row[5],
                violations: row[6],
                unplanned: row[7]
            )
        }
    }
}

extension SQLiteEventStore {
    public func planCounts(since day: Int64?) async throws(StoreError) -> PlanCounts {
        try await read { try PlanRows.counts(since: day, $0) }
    }

    public func violations(matching query: ViolationQuery) async throws(StoreError) -> Violations {
        try await read { try PlanRows.violations(query, $0) }
    }
}
