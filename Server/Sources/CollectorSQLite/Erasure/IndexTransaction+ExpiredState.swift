// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// What an index knows of an installation from expired records.
///
/// When one of an installation's users is erased, its rows are made again from the kept records. What is known of its
/// other users only from expired records would then be lost.
struct ExpiredState {
    /// An account's numbers.
    struct Account {
        struct Range {
            let numbers: ClosedRange<UInt64>
            let kind: RangeKind
            let reason: String
        }

        let writer: WriterID
        let recorded: UInt64
        let received: Int64
        let ranges: [Range]
    }

    /// A user other than the erased one.
    struct Person {
        let id: String
        let uniqueID: String?
        let anonymousID: String?
        let firstTouch: Int64?
        let first: Int64?
        let last: Int64?
    }

    /// A value of a user that the installation reported.
    struct Attribute {
        let user: String
        let name: String
        let value: [UInt8]
        let set: Int64
        let omitted: Int64
    }

    /// The sign-ins without those of the erased user; the number of a period is an index of ``people``.
    var signIns = SignInHistory()
    var accounts: [Account] = []
    var people: [Person] = []
    var attributes: [Attribute] = []
    var merges: [MergeRow] = []
}

extension IndexTransaction {
    /// Returns what is known of an installation from expired records, without an erased user.
    ///
    /// Nil if no record has expired.
    ///
    /// - Complexity: O(accounts, sign-ins, attributes and merges of the installation).
    func expiredState(of installation: Int64, without user: String) throws -> ExpiredState? {
        guard retention.first > .start else { return nil }
        var state = ExpiredState()
        state.accounts = try expiredAccounts(of: installation)
        state.merges = try tables.merges.expired(of: installation, before: retention.first)
        let erased = try Int64.fetchOne(db, sql: "SELECT number FROM users WHERE id = ?", arguments: [user]) ?? 0
        let attributes = try RawStatement(
            db,
            """
            SELECT u.id, a.name, a.value, a.set_at, a.omitted FROM user_attributes a JOIN users u ON u.number = a.user
            WHERE a.installation = ? AND u.number <> ? AND u.id IS NOT NULL ORDER BY u.id, a.name
            """
        )
        attributes.bind(1, installation)
        attributes.bind(2, erased)
        while try attributes.step() {
            state.attributes.append(
                ExpiredState.Attribute(
                    user: attributes.text(0),
                    name: attributes.text(1),
                    value: attributes.bytes(2),
                    set: attributes.integer(3),
                    omitted: attributes.integer(4)
                )
            )
        }
        let signIns = try tables.signIns.history(of: installation).removing(user: erased)
        var indexes: [Int64: Int64] = [:]
        let numbers = try Set(signIns.periods.map(\.user))
            .union(Int64.fetchAll(db, sql: "SELECT user FROM visits WHERE installation = ?", arguments: [installation]))
        for number in numbers.sorted() where number != erased {
            let row = try Row.fetchOne(
                db,
                sql: "SELECT id, unique_id, anonymous_id, first_touch, first, last FROM users WHERE number = ?",
                arguments: [number]
            )
            guard let row, let id: String = row[0] else { continue }
            indexes[number] = Int64(state.people.count)
            state.people.append(
                ExpiredState.Person(
                    id: id,
                    uniqueID: row[1],
                    anonymousID: row[2],
                    firstTouch: row[3],
                    first: row[4],
                    last: row[5]
                )
            )
        }
        state.signIns = signIns.renumbered { indexes[$0] }
        return state
    }

    /// Adds what is known of an installation from expired records to what was made from the kept ones.
    ///
    /// A user's first and last times are restored only for a user without other events.
    func restoreExpired(_ expired: ExpiredState?, of installation: Int64) throws {
        guard let expired else { return }
        try restoreAccounts(expired.accounts, of: installation)
        try tables.flush()
        var numbers: [Int64] = []
        for person in expired.people {
            let number = try tables.merges.people.user(person.id)
            numbers.append(number)
            try db.execute(
                sql: """
                    UPDATE users SET unique_id = coalesce(unique_id, ?), anonymous_id = coalesce(anonymous_id, ?),
                    first_touch = coalesce(min(?3, first_touch), ?3, first_touch),
                    first = coalesce(first, ?4), last = coalesce(last, ?5) WHERE number = ?6
                    """,
                arguments: [
                    person.uniqueID, person.anonymousID, person.firstTouch, person.first, person.last, number,
                ]
            )
        }
        for attribute in expired.attributes {
            try tables.merges.people.set(
                tables.merges.people.user(attribute.user),
                attribute.name,
                attribute.value,
                at: attribute.set,
                from: installation,
                omitted: attribute.omitted
            )
        }
        let signIns = expired.signIns.renumbered { numbers[Int($0)] }
        try tables.signIns.replace(signIns, of: installation)
        try tables.signIns.addVisits(signIns, of: installation)
        for row in expired.merges { try tables.merges.insert(row) }
    }

    /// Returns an installation's account numbers except those of kept events.
    private func expiredAccounts(of installation: Int64) throws -> [ExpiredState.Account] {
        let writers = try RawStatement(
            db,
            "SELECT number, id, recorded, received FROM writers WHERE installation = ? ORDER BY number"
        )
        let ranges = try RawStatement(db, "SELECT first, last, kind, reason FROM ranges WHERE writer = ? AND kind <> ?")
        writers.bind(1, installation)
        var found: [ExpiredState.Account] = []
        while try writers.step() {
            guard let writer = writers.id(1, as: WriterID.self) else { continue }
            ranges.bind(1, writers.integer(0))
            ranges.bind(2, RangeKind.received.rawValue)
            var numbers: [ExpiredState.Account.Range] = []
            while try ranges.step() {
                guard let kind = RangeKind(rawValue: ranges.integer(2)) else { continue }
                let first = UInt64(clamping: ranges.integer(0))
                let last = max(first, UInt64(clamping: ranges.integer(1)))
                numbers.append(ExpiredState.Account.Range(numbers: first...last, kind: kind, reason: ranges.text(3)))
            }
            found.append(
                ExpiredState.Account(
                    writer: writer,
                    recorded: UInt64(clamping: writers.integer(2)),
                    received: writers.integer(3),
                    ranges: numbers
                )
            )
        }
        return found
    }

    private func restoreAccounts(_ accounts: [ExpiredState.Account], of installation: Int64) throws {
        for account in accounts where !account.ranges.isEmpty {
            let writer = try tables.directory.writer(account.writer, of: installation)
            let received = Timestamp(milliseconds: account.received)
            try tables.directory.batchArrived(from: writer, recorded: account.recorded, at: received)
            for range in account.ranges {
                try tables.ranges.merge(range.numbers, writer: writer, kind: range.kind, reason: range.reason)
            }
        }
    }
}
