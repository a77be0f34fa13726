// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB

/// The `violations`, `violation_days` and `plan_days` tables.
///
/// They contain violations of the tracking plan in groups, and the number of events of each planned name.
///
/// A sender can send anything, so the number of groups is limited. The first ``PlanLimits/groups`` groups of planned
/// events, ``PlanLimits/groupsOfEvent`` of each event, and ``PlanLimits/unplannedGroups`` of other events are counted
/// separately. Further violations are counted in the event's catch-all group, or, for unplanned events, under the empty
/// name.
final class ViolationTable {
    /// Violations that are counted together.
    struct Group {
        var name: String
        var path: String
        var code: PlanCode
        var version: String

        /// The catch-all group for violations if this group is not counted separately.
        var others: Group {
            code == .unplanned
                ? Group(name: "", path: "", code: .unplanned, version: "")
                : Group(name: name, path: "", code: .others, version: "")
        }

        /// Whether this is a catch-all group.
        var isOthers: Bool { code == .others || name.isEmpty }
    }

    private let find: RawStatement
    private let insert: RawStatement
    private let update: RawStatement
    private let reduce: RawStatement
    private let countOfName: RawStatement
    private let countOfAll: RawStatement
    private let addDay: RawStatement
    private let addEvents: RawStatement
    private let db: Database
    /// The number of groups counted separately, cached after the first lookup.
    ///
    /// The key is true for groups of unplanned events.
    private var groupCounts: [Bool: Int64] = [:]
    private var groupCountsByName: [String: Int64] = [:]

    init(_ db: Database) throws {
        self.db = db
        find = try RawStatement(
            db,
            "SELECT number FROM violations WHERE name = ? AND path = ? AND code = ? AND version = ?"
        )
        insert = try RawStatement(
            db,
            "INSERT INTO violations (name, path, code, version, events, first, last, sample) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        )
        update = try RawStatement(
            db,
            """
            UPDATE violations SET events = events + ?, first = min(first, ?), last = max(last, ?),
            sample = max(coalesce(sample, 0), ?) WHERE number = ?
            """
        )
        reduce = try RawStatement(db, "UPDATE violations SET events = events - ? WHERE number = ?")
        countOfName = try RawStatement(db, "SELECT count(*) FROM violations WHERE name = ? AND code <> 'others'")
        countOfAll = try RawStatement(
            db,
            "SELECT count(*) FROM violations WHERE (code = 'unplanned') = ? AND code <> 'others' AND name <> ''"
        )
        addDay = try RawStatement(
            db,
            """
            INSERT INTO violation_days (violation, day, events) VALUES (?, ?, ?)
            ON CONFLICT (violation, day) DO UPDATE SET events = events + excluded.events
            """
        )
        addEvents = try RawStatement(
            db,
            """
            INSERT INTO plan_days (name, day, events, faulty) VALUES (?, ?, ?, ?)
            ON CONFLICT (name, day) DO UPDATE SET events = events + excluded.events, faulty = faulty + excluded.faulty
            """
        )
    }

    /// Adds events to a group, or to its catch-all group.
    ///
    /// The catch-all group is used if the group cannot be counted separately. Returns the row's number.
    func add(_ group: Group, _ events: Int64, _ first: Int64, _ last: Int64, _ sample: Int64) throws -> Int64? {
        if let row = try row(of: group) {
            update.bind(1, events)
            update.bind(2, first)
            update.bind(3, last)
            update.bind(4, sample)
            update.bind(5, row)
            try update.run()
            return row
        }
        guard try group.isOthers || reserveGroup(for: group) else {
            return try add(group.others, events, first, last, sample)
        }
        bind(insert, group)
        insert.bind(5, events)
        insert.bind(6, first)
        insert.bind(7, last)
        insert.bind(8, sample)
        try insert.run()
        return db.lastInsertedRowID
    }

    /// Subtracts events from a group, or from its catch-all group.
    ///
    /// The catch-all group is used if the group is not counted separately. Returns the row's number, or nil if neither
    /// group has a row.
    func take(_ events: Int64, from group: Group) throws -> Int64? {
        guard let row = try row(of: group) ?? row(of: group.others) else { return nil }
        reduce.bind(1, events)
        reduce.bind(2, row)
        try reduce.run()
        return row
    }

    /// Counts events of a group on a day; a negative number subtracts.
    func add(_ events: Int64, to row: Int64, on day: Int64) throws {
        addDay.bind(1, row)
        addDay.bind(2, day)
        addDay.bind(3, events)
        try addDay.run()
    }

    /// Counts events of a planned name on a day.
    func add(_ events: Int64, faulty: Int64, of name: String, on day: Int64) throws {
        addEvents.bind(1, name)
        addEvents.bind(2, day)
        addEvents.bind(3, events)
        addEvents.bind(4, faulty)
        try addEvents.run()
    }

    /// Removes groups and days whose count is zero.
    func removeEmpty() throws {
        try db.execute(
            sql: """
                DELETE FROM violations WHERE events <= 0;
                DELETE FROM violation_days WHERE events <= 0 OR violation NOT IN (SELECT number FROM violations);
                DELETE FROM plan_days WHERE events <= 0;
                """
        )
        groupCounts = [:]
        groupCountsByName = [:]
    }

    private func row(of group: Group) throws -> Int64? {
        bind(find, group)
        defer { find.reset() }
        return try find.step() ? find.integer(0) : nil
    }

    private func bind(_ statement: RawStatement, _ group: Group) {
        statement.bind(1, group.name)
        statement.bind(2, group.path)
        statement.bind(3, group.code.rawValue)
        statement.bind(4, group.version)
    }

    /// Reserves a row for counting a group separately.
    ///
    /// Returns false if the limit has been reached.
    private func reserveGroup(for group: Group) throws -> Bool {
        let isUnplanned = group.code == .unplanned
        let all = try groupCounts[isUnplanned] ?? count(countOfAll) { $0.bind(1, Int64(isUnplanned ? 1 : 0)) }
        groupCounts[isUnplanned] = all
        guard all < Int64(isUnplanned ? PlanLimits.unplannedGroups : PlanLimits.groups) else { return false }
        if !isUnplanned {
            let own = try groupCountsByName[group.name] ?? count(countOfName) { $0.bind(1, group.name) }
            groupCountsByName[group.name] = own
            guard own < Int64(PlanLimits.groupsOfEvent) else { return false }
            groupCountsByName[group.name] = own + 1
        }
        groupCounts[isUnplanned] = all + 1
        return true
    }

    private func count(_ statement: RawStatement, _ bind: (RawStatement) -> Void) throws -> Int64 {
        bind(statement)
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
