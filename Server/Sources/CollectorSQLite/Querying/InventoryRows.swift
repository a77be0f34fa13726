// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Counts what the index holds about people.
enum InventoryRows {
    /// Counts people, installations, attributes, and the personal data in the latest contexts.
    ///
    /// - Parameter totals: The numbers of events that the index keeps.
    /// - Complexity: O(people and their attributes), plus the searched contexts.
    static func inventory(events: Int64, rejected: Int64, _ db: Database) throws -> DataInventory {
        let people = try Row.fetchOne(
            db,
            sql: """
                SELECT count(u.id), count(*) - count(u.id), min(u.first), max(u.last) FROM users u
                WHERE u.last IS NOT NULL AND \(JoinedVisitor.personCondition)
                """
        )
        // Events of servers belong to no person.
        let times = try Row.fetchOne(db, sql: "SELECT min(earliest), max(latest) FROM runs")
        let attributes = try Row.fetchAll(
            db,
            sql: """
                SELECT CAST(name AS BLOB), count(DISTINCT user) FROM user_attributes GROUP BY name
                ORDER BY 2 DESC, name LIMIT \(DataInventory.maximumAttributes)
                """
        ).map { row in
            DataInventory.UserAttribute(
                name: UserRows.text(row[0]) ?? "",
                people: UInt64(clamping: row[1] as Int64)
            )
        }
        let (searched, members) = try contexts(db)
        return DataInventory(
            users: UInt64(clamping: (people?[0] as Int64?) ?? 0),
            visitors: UInt64(clamping: (people?[1] as Int64?) ?? 0),
            installations: UInt64(
                clamping: try Int64.fetchOne(db, sql: "SELECT count(*) FROM installations WHERE erased = 0") ?? 0
            ),
            events: UInt64(clamping: events),
            rejected: UInt64(clamping: rejected),
            first: (times?[0] as Int64?).map { Timestamp(milliseconds: $0) },
            last: (times?[1] as Int64?).map { Timestamp(milliseconds: $0) },
            attributes: attributes,
            contexts: searched,
            members: members
        )
    }

    private static func contexts(_ db: Database) throws -> (UInt64, [DataInventory.ContextMember: UInt64]) {
        let rows = try RawStatement(
            db,
            "SELECT content FROM contexts ORDER BY number DESC LIMIT \(DataInventory.maximumContexts)"
        )
        var searched: UInt64 = 0
        var members: [DataInventory.ContextMember: UInt64] = [:]
        while try rows.step() {
            searched += 1
            // The index has only JSON that admission checked; anything else has no members.
            guard let context = try? JSONValue.parse(rows.bytes(0)) else { continue }
            for member in DataInventory.ContextMember.allCases where contains(member, context) {
                members[member, default: 0] += 1
            }
        }
        return (searched, members)
    }

    private static func contains(_ member: DataInventory.ContextMember, _ context: JSONValue) -> Bool {
        var value: JSONValue? = context
        for part in member.rawValue.split(separator: ".") { value = value?[String(part)] }
        return switch value {
        case nil, .null?: false
        case .object(let object)?: !object.members.isEmpty
        default: true
        }
    }
}
