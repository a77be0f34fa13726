// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Writes the erased users, and the numbers of events that incomplete erasures removed.
final class ErasedUserTable: IndexTable {
    private let add: RawStatement
    private let count: RawStatement
    private let countRemoved: RawStatement
    /// The erased users, including those of this transaction.
    private(set) var identities: Set<IdentityHash>
    private var counts: [IdentityHash: Int64] = [:]

    /// Creates the table for one transaction.
    ///
    /// - Parameter identities: The erased users so far.
    init(_ db: Database, identities: Set<IdentityHash>) throws {
        add = try RawStatement(
            db,
            "INSERT OR IGNORE INTO erased_users (identity, time, key) VALUES (?, ?, ?)"
        )
        count = try RawStatement(db, "UPDATE erased_users SET events = events + ? WHERE identity = ?")
        countRemoved = try RawStatement(
            db,
            """
            INSERT INTO erasure_counts (erasure, events) VALUES (?, ?)
            ON CONFLICT (erasure) DO UPDATE SET events = events + excluded.events
            """
        )
        self.identities = identities
    }

    /// Adds to the number of events that an erasure removed from the index.
    func count(removed events: Int64, by erasure: String) throws {
        countRemoved.bind(1, erasure)
        countRemoved.bind(2, events)
        try countRemoved.run()
    }

    /// Returns the number of events that an erasure removed from the index.
    static func removedEvents(by erasure: String, _ db: Database) throws -> Int64 {
        let sql = "SELECT events FROM erasure_counts WHERE erasure = ?"
        return try Int64.fetchOne(db, sql: sql, arguments: [erasure]) ?? 0
    }

    /// Returns all erased users.
    static func identities(_ db: Database) throws -> Set<IdentityHash> {
        let statement = try RawStatement(db, "SELECT identity FROM erased_users")
        var identities: Set<IdentityHash> = []
        while try statement.step() {
            if let identity = statement.withBytes(0, { IdentityHash(bytes: Array($0)) }) { identities.insert(identity) }
        }
        return identities
    }

    /// Deletes the event count of a complete erasure.
    static func removeCount(of erasure: String, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM erasure_counts WHERE erasure = ?", arguments: [erasure])
    }

    /// Marks a user as erased.
    func mark(_ record: UserErasureRecord) throws {
        guard identities.insert(record.identity).inserted else { return }
        try record.identity.bytes.withUnsafeBytes { bytes in
            add.bindBlob(1, bytes)
            add.bind(2, record.received.milliseconds)
            add.bind(3, record.key)
            try add.run()
        }
    }

    /// Adds to the number of a user's removed or refused events.
    func count(_ events: Int64, of identity: IdentityHash) { counts[identity, default: 0] += events }

    // MARK: IndexTable

    var tableNames: [String] { ["erased_users", "erasure_counts"] }

    func flush() throws {
        for (identity, events) in counts where events > 0 {
            try identity.bytes.withUnsafeBytes { bytes in
                count.bind(1, events)
                count.bindBlob(2, bytes)
                try count.run()
            }
        }
        counts = [:]
    }

    func erase(installation: Int64, from db: Database, _ removed: inout ErasedRows) throws {}

    func clear(_ db: Database) throws {
        // An erased user stays erased. The request in the log contains the number of events.
        try db.execute(sql: "UPDATE erased_users SET events = 0; DELETE FROM erasure_counts;")
    }

    /// Deletes all erased users.
    func forget(_ db: Database) throws {
        try db.execute(sql: "DELETE FROM erased_users; DELETE FROM erasure_counts;")
        identities = []
    }
}
