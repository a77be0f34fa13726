// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Writes people, their attributes, and their visits.
struct PeopleTable {
    /// The maximum number of visits from which an erasure recomputes a person's times.
    static let maxVisits = 1_000

    private let db: Database
    private let findUser: RawStatement
    private let addUser: RawStatement
    private let findVisitor: RawStatement
    private let addVisitor: RawStatement
    private let describeUser: RawStatement
    private let setAttribute: RawStatement
    private let getAttribute: RawStatement
    private let removeAttribute: RawStatement
    private let removeAttributes: RawStatement
    private let addVisits: GroupedInsert
    private let sumUser: RawStatement

    init(_ db: Database) throws {
        self.db = db
        findUser = try RawStatement(db, "SELECT number FROM users WHERE id = ?")
        addUser = try RawStatement(db, "INSERT INTO users (id, mark) VALUES (?, ?)")
        findVisitor = try RawStatement(db, "SELECT number FROM users WHERE installation = ? AND id IS NULL")
        addVisitor = try RawStatement(db, "INSERT INTO users (installation, mark) VALUES (?, ?)")
        describeUser = try RawStatement(
            db,
            """
            UPDATE users SET unique_id = coalesce(?, unique_id), anonymous_id = coalesce(?, anonymous_id),
            first_touch = coalesce(min(?3, first_touch), ?3, first_touch) WHERE number = ?4
            """
        )
        setAttribute = try RawStatement(
            db,
            """
            INSERT INTO user_attributes (user, name, value, set_at, installation, omitted) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (user, name) DO UPDATE SET value = excluded.value, set_at = excluded.set_at,
            installation = excluded.installation, omitted = excluded.omitted WHERE excluded.set_at >= set_at
            """
        )
        getAttribute = try RawStatement(db, "SELECT value, omitted FROM user_attributes WHERE user = ? AND name = ?")
        removeAttribute = try RawStatement(
            db,
            "DELETE FROM user_attributes WHERE user = ? AND name = ? AND set_at <= ?"
        )
        removeAttributes = try RawStatement(db, "DELETE FROM user_attributes WHERE user = ? AND set_at <= ?")
        addVisits = try GroupedInsert(
            db,
            "INSERT INTO visits (user, installation, session, first, last, events)",
            tail: """
                ON CONFLICT (user, installation, session) DO UPDATE SET first = min(first, excluded.first),
                last = max(last, excluded.last), events = events + excluded.events
                """,
            columns: 6
        )
        sumUser = try RawStatement(
            db,
            """
            UPDATE users SET first = min(coalesce(first, ?1), ?1), last = max(coalesce(last, ?2), ?2),
            events = events + ?3 WHERE number = ?4
            """
        )
    }

    /// Returns the number of a signed-in user.
    func user(_ id: String) throws -> Int64 { try lookUp(user: id).number }

    /// Returns the number of a signed-in user, and whether the user is new to the index.
    func lookUp(user id: String) throws -> (number: Int64, isNew: Bool) {
        findUser.bind(1, id)
        if try findUser.step() {
            defer { findUser.reset() }
            return (findUser.integer(0), false)
        }
        addUser.bind(1, id)
        addUser.bind(2, TimeCursor.number(of: .user(id)))
        try addUser.run()
        return (db.lastInsertedRowID, true)
    }

    /// Returns the number of an installation's visitor who did not sign in.
    func visitor(of installation: Int64, _ id: InstallationID) throws -> Int64 {
        findVisitor.bind(1, installation)
        if try findVisitor.step() {
            defer { findVisitor.reset() }
            return findVisitor.integer(0)
        }
        addVisitor.bind(1, installation)
        addVisitor.bind(2, TimeCursor.number(of: .visitor(id)))
        try addVisitor.run()
        return db.lastInsertedRowID
    }

    /// Applies the ids in a context.
    func describe(_ user: Int64, _ facts: ContextFacts) throws {
        guard facts.uniqueID != nil || facts.anonymousID != nil || facts.firstTouch != nil else { return }
        describeUser.bind(1, facts.uniqueID)
        describeUser.bind(2, facts.anonymousID)
        describeUser.bind(3, facts.firstTouch?.milliseconds)
        describeUser.bind(4, user)
        try describeUser.run()
    }

    /// Sets an attribute, unless it already has a later value.
    ///
    /// - Parameter omitted: The number of list elements that did not fit into the value.
    func set(
        _ user: Int64,
        _ name: String,
        _ value: [UInt8],
        at time: Int64,
        from installation: Int64,
        omitted: Int64 = 0
    ) throws {
        setAttribute.bind(1, user)
        setAttribute.bind(2, name)
        setAttribute.bind(3, value)
        setAttribute.bind(4, time)
        setAttribute.bind(5, installation)
        setAttribute.bind(6, omitted)
        try setAttribute.run()
    }

    /// Returns a person's attributes, for changes by an event of an installation.
    func attributes(of user: Int64, from installation: Int64) -> some PersonAttributeTable {
        Attributes(people: self, user: user, installation: installation)
    }

    private struct Attributes: PersonAttributeTable {
        let people: PeopleTable
        let user: Int64
        let installation: Int64

        func known(_ name: String) throws -> PersonAttribute.Outcome? { try people.attribute(user, name) }

        func set(_ name: String, _ outcome: PersonAttribute.Outcome, at time: Int64) throws {
            let value = outcome.value.json()
            try people.set(user, name, value, at: time, from: installation, omitted: outcome.omitted)
        }

        func remove(_ name: String?, upTo time: Int64) throws { try people.remove(user, name, upTo: time) }
    }

    private func remove(_ user: Int64, _ name: String?, upTo time: Int64) throws {
        guard let name else {
            removeAttributes.bind(1, user)
            removeAttributes.bind(2, time)
            return try removeAttributes.run()
        }
        removeAttribute.bind(1, user)
        removeAttribute.bind(2, name)
        removeAttribute.bind(3, time)
        try removeAttribute.run()
    }

    private func attribute(_ user: Int64, _ name: String) throws -> PersonAttribute.Outcome? {
        getAttribute.bind(1, user)
        getAttribute.bind(2, name)
        guard try getAttribute.step() else { return nil }
        defer { getAttribute.reset() }
        // This index wrote the value; an unreadable value is treated as missing.
        guard let value = try? JSONValue.parse(getAttribute.bytes(0)) else { return nil }
        return PersonAttribute.Outcome(value: value, omitted: getAttribute.integer(1))
    }

    /// A transaction's sums for a person, an installation and a session.
    struct Visit {
        let user: Int64
        let installation: Int64
        let session: Int64
        let first: Int64
        let last: Int64
        let events: Int64
    }

    /// Adds a transaction's sums to people and their visits.
    func visited(_ visits: some Sequence<Visit>) throws {
        let visits = Array(visits)
        try addVisits.write(visits) { visit, insert, place in
            insert.bind(place + 1, visit.user)
            insert.bind(place + 2, visit.installation)
            insert.bind(place + 3, visit.session)
            insert.bind(place + 4, visit.first)
            insert.bind(place + 5, visit.last)
            insert.bind(place + 6, visit.events)
        }
        for visit in visits { try sum(visit) }
    }

    private func sum(_ visit: Visit) throws {
        sumUser.bind(1, visit.first)
        sumUser.bind(2, visit.last)
        sumUser.bind(3, visit.events)
        sumUser.bind(4, visit.user)
        try sumUser.run()
    }
}
