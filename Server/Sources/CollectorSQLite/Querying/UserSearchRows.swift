// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Foundation
internal import GRDB
internal import TrackwayCore

/// Searches people.
enum UserSearchRows {
    /// Returns the people found before the first limit is reached.
    ///
    /// The limits are the query's limit, the response size, and the budget of one search.
    ///
    /// The search can be continued at `next`.
    ///
    /// - Complexity: O(people searched × their attributes).
    static func search(
        _ search: UserSearch,
        budget: QueryBudget,
        clock: any EventClock,
        cohorts: [String: Cohort] = [:],
        _ db: Database
    ) throws -> UserSearchResult {
        let filter = UserFilter(search.query)
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT u.number, u.last, CAST(u.id AS BLOB), CAST(u.unique_id AS BLOB), CAST(u.anonymous_id AS BLOB), u.installation,
                u.mark FROM users u
                WHERE \(filter.sql) ORDER BY u.last DESC, u.mark DESC
                """,
            arguments: filter.arguments(limit: nil)
        )
        let total =
            try Int64.fetchOne(
                db,
                sql: "SELECT count(*) FROM users u WHERE u.last IS NOT NULL AND \(JoinedVisitor.personCondition)"
            ) ?? 0
        var match = UserMatch(search, SearchMeter(budget, clock: clock))
        let lookup = try PersonLookup(db)
        let map = try PersonMap(db, cohorts: cohorts)
        let people = map.rows
        let fields = QueryFilter(conditions: search.conditions).fields
        let values = fields.contains(where: \.isOfPerson) ? try map.values(db) : nil
        var meter = QueryMeter(budget, clock: clock)
        try values?.prepare(fields, map, &meter, db)
        var result = UserSearchResult(users: [], searched: 0, total: UInt64(clamping: total), next: nil)
        var bytes = 0
        while let row = try rows.next() {
            result.searched += 1
            let number: Int64 = row[0]
            if try match.matches(PersonRow(row, people.wholeNumbers(of: number), lookup, values)),
                let user = try UserRows.at(number, includesAttributes: search.query.includesAttributes, db)
            {
                result.users.append(user)
                bytes += user.responseBytes
            }
            let isFull = bytes >= ResponseBudget.bytes || result.users.count >= search.query.limit
            if match.isOver() || isFull {
                result.next = TimeCursor(time: Timestamp(milliseconds: row[1]), number: row[6])
                break
            }
        }
        return result
    }
}

/// Looks up the values of a person that a search needs.
private struct PersonLookup {
    let findAttribute: RawStatement
    let listValues: RawStatement
    let findVisit: RawStatement
    let findID: RawStatement
    let findIDs: RawStatement

    init(_ db: Database) throws {
        findAttribute = try RawStatement(db, "SELECT value, set_at FROM user_attributes WHERE user = ? AND name = ?")
        listValues = try RawStatement(db, "SELECT value, name FROM user_attributes WHERE user = ? ORDER BY name")
        findVisit = try RawStatement(
            db,
            """
            SELECT 1 FROM visits WHERE user IN (SELECT ?1 UNION ALL
            SELECT number FROM users WHERE joined = ?1 AND id IS NOT NULL)
            AND installation = (SELECT number FROM installations WHERE id = ?2) LIMIT 1
            """
        )
        findIDs = try RawStatement(db, "SELECT unique_id, anonymous_id, id FROM users WHERE number = ?")
        findID = try RawStatement(db, "SELECT id FROM installations WHERE number = ?")
    }
}

/// A row with a person's number, time and ids, and the installation of a visitor.
private struct PersonRow: SearchedPerson {
    let row: Row
    let lookup: PersonLookup
    private var number: Int64 { row[0] }
    /// The numbers of the person and of visitors who signed in as the user.
    private let numbers: [Int64]
    /// The values of people; nil if the search has no conditions on them.
    private let values: PersonValues?

    init(_ row: Row, _ numbers: [Int64], _ lookup: PersonLookup, _ values: PersonValues?) {
        self.values = values
        self.row = row
        self.numbers = numbers
        self.lookup = lookup
    }

    func ids() throws -> [String?] {
        let id = UserRows.text(row[2])
        var ids = [id, UserRows.text(row[3]), UserRows.text(row[4])]
        for number in numbers.dropFirst() {
            lookup.findIDs.bind(1, number)
            defer { lookup.findIDs.reset() }
            if try lookup.findIDs.step() { ids += (0...2).map { lookup.findIDs.optionalText($0) } }
        }
        return id == nil ? ids + [try visitor(row[5])] : ids
    }

    /// Returns the id of a visitor's installation.
    private func visitor(_ installation: Int64?) throws -> String? {
        guard let installation else { return nil }
        lookup.findID.bind(1, installation)
        defer { lookup.findID.reset() }
        return try lookup.findID.step() ? lookup.findID.id(0, as: InstallationID.self)?.description : nil
    }

    func value(of field: QueryField) throws -> QueryValue? {
        try values.flatMap { try $0.value($0.slot(of: field), of: number) }
    }

    func value(of attribute: String) throws -> [UInt8]? {
        var found: (value: [UInt8], set: Int64)?
        for number in numbers {
            lookup.findAttribute.bind(1, number)
            lookup.findAttribute.bind(2, attribute)
            defer { lookup.findAttribute.reset() }
            guard try lookup.findAttribute.step() else { continue }
            let set = lookup.findAttribute.integer(1)
            // The value that was set later is used; of two values set at the same time, the user's own is used.
            if found.map({ $0.set < set }) ?? true { found = (lookup.findAttribute.bytes(0), set) }
        }
        return found?.value
    }

    func forEachValue(_ body: (UnsafeRawBufferPointer) -> Bool) throws {
        for number in numbers {
            lookup.listValues.bind(1, number)
            defer { lookup.listValues.reset() }
            while try lookup.listValues.step() {
                let value = lookup.listValues.bytes(0)
                // If several rows of a person have a value for the same name, only one of the values is used.
                if numbers.count > 1, try self.value(of: lookup.listValues.text(1)) != value { continue }
                if value.withUnsafeBytes(body) { return }
            }
        }
    }

    func hasUsed(_ installation: InstallationID) throws -> Bool {
        lookup.findVisit.bind(1, number)
        lookup.findVisit.bind(2, installation)
        defer { lookup.findVisit.reset() }
        return try lookup.findVisit.step()
    }
}
