// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The tables with the rows that an erasure removes.
///
/// They exist while rows are removed. Statements that change tables are kept in files, so they read the user's id from
/// here instead of naming it. All changes are computed from these tables, so an interrupted removal can be repeated.
enum ErasingTable: String, CaseIterable {
    /// The erased users.
    case users = "erasing_users"
    /// The positions of the erased events.
    case events = "erasing_events"
    /// The rows of ``ColumnTable/failures`` to remove.
    case failures = "erasing_failures"
    /// The rows of ``ColumnTable/traits`` with an anonymous visitor's attributes to remove.
    case traits = "erasing_traits"
    /// The rows of ``ColumnTable/sessions`` that name an erased user, without that user.
    case sessions = "erasing_sessions"
    /// The rows of ``ColumnTable/devices`` that name an erased user, without that user.
    case devices = "erasing_devices"

    private var columns: String {
        switch self {
        case .users: "user String"
        case .events: "position Int64, block Int64, installation FixedString(16)"
        case .failures: "position Int64, number Int64, block Int64"
        case .traits: "installation FixedString(16), place Int64, part UInt32"
        case .sessions: Self.columns(of: .sessions)
        case .devices: Self.columns(of: .devices)
        }
    }

    private static func columns(of table: ColumnTable) -> String {
        table.columns.map { "\($0.name) \($0.type.rawValue)" }.joined(separator: ", ")
    }

    var createStatement: String {
        "CREATE TABLE IF NOT EXISTS \(rawValue) (\(columns)) ENGINE = MergeTree ORDER BY tuple()"
    }
}

/// The statements that remove a user's rows.
///
/// They work with ClickHouse 18.16 and later.
struct UserErasureSQL {
    /// The database, because statements that run in the background need it.
    let database: String

    private func helper(_ table: ErasingTable) -> String { "\(database).\(table.rawValue)" }
    private func qualified(_ table: ColumnTable) -> String { "\(database).\(table.rawValue)" }

    /// Rows of an erased user.
    var isErasedUser: String { "user IN (SELECT user FROM \(helper(.users)))" }
    /// Rows of an erased event.
    var isErasedPosition: String { "position IN (SELECT position FROM \(helper(.events)))" }
    /// Rows of an installation and a block with erased events.
    var isAffected: String { "(installation, block) IN (SELECT installation, block FROM \(helper(.events)))" }
    /// Rows of a block with erased events.
    var isAffectedBlock: String { "block IN (SELECT block FROM \(helper(.events)))" }
    /// Rows of blocks whose events are still kept.
    var isKept: String { "block NOT IN (\(RetainedWeekSQL.expiredBlocks(where: isAffectedBlock)))" }

    // MARK: Deleting rows

    /// The conditions of the rows to delete first, by table.
    var deletions: [(ColumnTable, String)] {
        let positions: [ColumnTable] = [.events, .ids, .timeline, .usage, .snapshots, .replays]
        let attributes =
            "user = '' AND (installation, place, part) IN (SELECT installation, place, part FROM \(helper(.traits)))"
        return positions.map { ($0, isErasedPosition) } + [
            (.visits, isErasedUser), (.signIns, isErasedUser), (.traits, "\(isErasedUser) OR (\(attributes))"),
            (
                .places,
                "kind = \(PlaceAggregates.OwnerKind.user.rawValue) AND whose IN (SELECT user FROM \(helper(.users)))"
            ),
            (
                .failures,
                "(position, number, block) IN (SELECT position, number, block FROM \(helper(.failures)))"
            ),
            (.contexts, isErasedContext), (.merges, isErasedMerge),
        ]
    }

    /// Rows of ``ColumnTable/merges`` that name an erased user.
    var isErasedMerge: String { "\(isErasedUser) OR target IN (SELECT user FROM \(helper(.users)))" }

    /// Rows of ``ColumnTable/contexts`` that name an erased user.
    var isErasedContext: String {
        let name = SQLText.literal(ColumnValues.name(of: ["user", "id"]))
        return "values[indexOf(names, \(name))] IN (SELECT concat('t', user) FROM \(helper(.users)))"
    }

    /// The conditions of contexts that no event uses anymore.
    var unusedContexts: [(ColumnTable, String)] {
        [
            (
                .contexts,
                "\(isAffected) AND (installation, context, block) NOT IN (SELECT installation, context, block FROM "
                    + "\(qualified(.events)) WHERE \(isAffectedBlock))"
            )
        ]
    }

    /// The conditions of rows that were read from contexts that no longer exist.
    var contextRows: [(ColumnTable, String)] {
        let contexts = qualified(.contexts)
        return [
            (
                .descriptions,
                "\(isAffected) AND (installation, context, block) NOT IN (SELECT installation, context, block "
                    + "FROM \(contexts))"
            ),
            (
                .traits,
                "kind = '\(UserTraitsRecord.kind)' AND user = '' AND \(isAffected) "
                    + "AND (installation, context) NOT IN (SELECT installation, context FROM \(contexts))"
            ),
        ]
    }

    // MARK: Filling the tables

    /// Returns the statements that collect the erased events and attributes of a plan.
    func collect(_ plan: ErasurePlan) -> [String] {
        let events = "INSERT INTO \(helper(.events)) SELECT DISTINCT position, block, installation FROM timeline WHERE "
        let traits = "INSERT INTO \(helper(.traits)) SELECT DISTINCT installation, place, part FROM traits WHERE "
        var statements = [
            events + isErasedUser,
            // The records of these events no longer have them.
            "INSERT INTO \(helper(.events)) SELECT DISTINCT position, block, installation FROM merges "
                + "WHERE installation != \(SQLText.missingID) AND (\(isErasedMerge))",
        ]
        for shared in plan.shared where !shared.times.isEmpty {
            statements.append(events + Self.anonymous(shared.installation, shared.times))
            let ranges = Self.condition(shared.times)
            statements.append(
                traits + "user = '' AND installation = \(SQLText.literal(shared.installation)) "
                    + "AND kind != '\(UserTraitsRecord.kind)' AND (\(ranges))"
            )
        }
        return statements
    }

    /// Returns the statement that collects rejections whose content has a text, which is the only row of `given`.
    var collectRejections: String {
        "INSERT INTO \(helper(.failures)) SELECT position, number, block FROM failures "
            + "WHERE position(content, (SELECT mark FROM given)) > 0 OR position(message, (SELECT mark FROM given)) > 0"
    }

    /// Returns the statement that collects rejections at positions.
    func collectRejections(at positions: some Collection<Int64>) -> String {
        "INSERT INTO \(helper(.failures)) SELECT position, number, block FROM failures "
            + "WHERE position IN (\(positions.map { "toInt64(\($0))" }.joined(separator: ", ")))"
    }

    /// Returns the condition of an installation's anonymous events in time ranges, for ``ColumnTable/timeline``.
    static func anonymous(_ id: InstallationID, _ times: [ClosedRange<Int64>]) -> String {
        "user = '' AND visitor = \(SQLText.literal(id)) AND (\(condition(times)))"
    }

    private static func condition(_ times: [ClosedRange<Int64>]) -> String {
        times.map { "(time >= toInt64(\($0.lowerBound)) AND time <= toInt64(\($0.upperBound)))" }
            .joined(separator: " OR ")
    }

    // MARK: Users of sessions and devices

    /// The statements that collect, delete, and write again the rows that name an erased user as their last one.
    var lastUsers: [(table: ColumnTable, collect: String, restore: String)] {
        let sessionKey = "session, installation, block"
        return [(ColumnTable.sessions, ErasingTable.sessions, sessionKey), (.devices, .devices, "installation, block")]
            .map {
                table,
                helper,
                key in
                let names = table.columns.map(\.name)
                let columns = names.map { $0 == "user" ? "other AS user" : $0 }.joined(separator: ", ")
                let rows = names.filter { $0 != "user" }.joined(separator: ", ")
                let list = names.joined(separator: ", ")
                let others =
                    "SELECT \(key), argMax(user, last) AS other FROM visits WHERE user != '' AND NOT (\(isErasedUser)) GROUP BY \(key)"
                return (
                    table,
                    "INSERT INTO \(self.helper(helper)) (\(list)) SELECT \(columns) FROM (SELECT \(rows) FROM \(table.rawValue) FINAL "
                        + "WHERE \(isErasedUser)) ANY LEFT JOIN (\(others)) USING (\(key))",
                    "INSERT INTO \(table.rawValue) (\(list)) SELECT \(list) FROM \(self.helper(helper))"
                )
            }
    }

    // MARK: Sums

    /// Sums that are computed again from the remaining rows.
    struct Correction {
        /// The table.
        let table: ColumnTable
        /// An expression of type `Int64` that identifies a row.
        let key: String
        /// The columns to set, with their types.
        let columns: [(name: String, type: ColumnTable.Kind)]
        /// A statement that returns the key of each row and its values.
        let values: String
        /// Whether rows whose first value is zero are deleted.
        var deletesEmpty = true
    }

    private static func hash(_ columns: String) -> String { "toInt64(cityHash64(\(columns)))" }

    /// The corrections of the sums of sessions, people, devices, and names, in order.
    var corrections: [Correction] {
        let kept = "\(isAffected) AND \(isKept)"
        let events =
            "(SELECT DISTINCT position, installation, session, user, block, time, name FROM events WHERE \(kept))"
        let times: [(name: String, type: ColumnTable.Kind)] = [
            ("events", .uint64), ("first", .int64), ("last", .int64),
        ]
        let sums = "toInt64(count()) AS e, min(time) AS f, max(time) AS l"
        func values(_ table: ColumnTable, _ key: String, _ condition: String, _ source: String) -> String {
            "SELECT h, e, f, l FROM (SELECT DISTINCT \(key) AS h FROM \(table.rawValue) WHERE \(condition)) "
                + "ANY LEFT JOIN (\(source)) USING (h)"
        }
        var all: [Correction] = [.visits, .people].map { (table: ColumnTable) in
            let key = Self.hash("installation, session, user, block")
            return Correction(
                table: table,
                key: key,
                columns: times,
                values: values(
                    table,
                    key,
                    "NOT (\(isErasedUser)) AND \(kept)",
                    "SELECT \(key) AS h, \(sums) FROM \(events) WHERE NOT (\(isErasedUser)) "
                        + "GROUP BY installation, session, user, block"
                )
            )
        }
        all.append(sessions(kept))
        let device = Self.hash("installation, block")
        all.append(
            Correction(
                table: .devices,
                key: device,
                columns: times,
                values: values(
                    .devices,
                    device,
                    kept,
                    "SELECT \(device) AS h, \(sums) FROM \(events) GROUP BY installation, block"
                )
            )
        )
        all.append(
            Correction(
                table: .devices,
                key: device,
                columns: [("states", .uint64)],
                values:
                    "SELECT h, n FROM (SELECT DISTINCT \(device) AS h FROM devices WHERE \(isAffected)) ANY LEFT JOIN "
                    + "(SELECT \(device) AS h, toInt64(uniqExact(position)) AS n FROM snapshots WHERE kind = 1 AND \(isAffected) "
                    + "GROUP BY installation, block) USING (h)",
                deletesEmpty: false
            )
        )
        return all + places(kept, events, sums) + [names, counts] + remains
    }

    /// The sums of sessions.
    ///
    /// A session starts when its contexts say so, or otherwise with its first event.
    private func sessions(_ kept: String) -> Correction {
        let key = Self.hash("session, installation, block")
        let start = SQLText.literal(ColumnValues.name(of: ["session", "start"]))
        let events =
            "SELECT DISTINCT position, installation, session, block, time, (installation, context, block) IN (SELECT installation, "
            + "context, block FROM contexts WHERE \(isAffected) AND has(names, \(start))) AS s FROM events WHERE \(kept)"
        return Correction(
            table: .sessions,
            key: key,
            columns: [("events", .uint64), ("first", .int64), ("last", .int64), ("start", .int64)],
            values:
                "SELECT h, e, f, l, if(c > 0, o, f) FROM (SELECT \(key) AS h, max(start) AS o FROM sessions WHERE \(kept) "
                + "GROUP BY session, installation, block) ANY LEFT JOIN (SELECT \(key) AS h, toInt64(count()) AS e, min(time) AS f, "
                + "max(time) AS l, sum(s) AS c FROM (\(events)) GROUP BY session, installation, block) USING (h)"
        )
    }

    private func places(_ kept: String, _ events: String, _ sums: String) -> [Correction] {
        let kinds = PlaceAggregates.OwnerKind.self
        let columns: [(name: String, type: ColumnTable.Kind)] = [
            ("events", .uint64), ("earliest", .int64), ("latest", .int64),
        ]
        func correction(_ kind: PlaceAggregates.OwnerKind, _ row: String, _ event: String, _ group: String)
            -> Correction
        {
            let (key, other) = (Self.hash(row), Self.hash(event))
            return Correction(
                table: .places,
                key: "if(kind = \(kind.rawValue), \(key), 0)",
                columns: columns,
                values:
                    "SELECT h, e, f, l FROM (SELECT DISTINCT \(key) AS h FROM places WHERE kind = \(kind.rawValue) AND \(kept)) "
                    + "ANY LEFT JOIN (SELECT \(other) AS h, \(sums) FROM \(events) GROUP BY \(group)) USING (h)"
            )
        }
        return [
            correction(kinds.installation, "installation, block", "installation, block", "installation, block"),
            correction(
                kinds.session,
                "whose, installation, block",
                "session, installation, block",
                "session, installation, block"
            ),
            correction(
                kinds.user,
                "whose, installation, block",
                "user, installation, block",
                "user, installation, block"
            ),
            Correction(
                table: .places,
                key: "if(kind = \(kinds.all.rawValue), block, 0)",
                columns: [("events", .uint64)],
                values: "SELECT h, n FROM (SELECT DISTINCT block AS h FROM places WHERE kind = \(kinds.all.rawValue) "
                    + "AND \(isAffectedBlock)) ANY LEFT JOIN (SELECT block AS h, toInt64(uniqExact(position)) AS n FROM ids "
                    + "WHERE \(isAffectedBlock) GROUP BY block) USING (h)",
                deletesEmpty: false
            ),
        ]
    }

    private var names: Correction {
        let quarter = "toInt64(\(QuarterSQL.ofTime))"
        let kept = "\(isAffectedBlock) AND \(isKept)"
        return Correction(
            table: .names,
            key: Self.hash("name, quarter, block"),
            columns: [("events", .uint64), ("first", .int64), ("last", .int64), ("place", .int64)],
            values:
                "SELECT h, e, f, l, p FROM (SELECT DISTINCT \(Self.hash("name, quarter, block")) AS h FROM names WHERE \(kept)) "
                + "ANY LEFT JOIN (SELECT \(Self.hash("name, q, block")) AS h, toInt64(count()) AS e, min(time) AS f, max(time) AS l, "
                + "min(position) AS p FROM (SELECT DISTINCT name, \(quarter) AS q, block, time, position FROM events WHERE \(kept) "
                + "AND installation NOT IN (SELECT installation FROM erasures)) GROUP BY name, q, block) USING (h)"
        )
    }

    /// The counts of arrivals; their sum stays.
    private var counts: Correction {
        let key = Self.hash("installation, block")
        let isKnown = "installation != \(SQLText.missingID)"
        let known =
            "SELECT installation, block, toInt64(uniqExact(position)) AS n FROM timeline WHERE \(isAffected) AND \(isKnown) "
            + "GROUP BY installation, block"
        return Correction(
            table: .counts,
            key: key,
            columns: [("events", .uint64), ("refused", .uint64)],
            values:
                "SELECT h, n, o - n FROM (SELECT \(key) AS h, toInt64(max(events + refused)) AS o FROM counts WHERE \(isAffected) "
                + "AND \(isKnown) GROUP BY installation, block) ANY LEFT JOIN (SELECT \(key) AS h, n FROM (\(known))) USING (h)",
            deletesEmpty: false
        )
    }

    /// The rows without any remaining event whose own events are no longer kept.
    private var remains: [Correction] {
        let isKnown = "installation != \(SQLText.missingID)"
        return [
            (ColumnTable.sessions, "session, installation, block"), (.devices, "installation, block"),
        ].map { table, key in
            let hash = Self.hash(key)
            return Correction(
                table: table,
                key: hash,
                columns: [],
                values:
                    "SELECT h, e FROM (SELECT DISTINCT \(hash) AS h FROM \(table.rawValue) WHERE \(isAffected) AND \(isKnown)) "
                    + "ANY LEFT JOIN (SELECT \(hash) AS h, toInt64(sum(events)) AS e FROM visits WHERE \(isAffected) "
                    + "GROUP BY \(key)) USING (h) WHERE e = 0"
            )
        }
    }
}
