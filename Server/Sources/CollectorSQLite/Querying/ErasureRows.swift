// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads the erased installations.
enum ErasureRows {
    /// Returns all erased installations.
    static func installations(_ db: Database) throws -> Set<InstallationID> {
        let statement = try RawStatement(db, "SELECT id FROM installations WHERE erased = 1")
        var installations: Set<InstallationID> = []
        while try statement.step() {
            if let id = statement.id(0, as: InstallationID.self) { installations.insert(id) }
        }
        return installations
    }

    static func latest(of installation: InstallationID?, limit: Int, _ db: Database) throws -> [StoredErasure] {
        let statement = try RawStatement(
            db,
            """
            SELECT i.id, e.time, e.key, e.operator, e.events FROM erasures e
            JOIN installations i ON i.number = e.installation\(installation == nil ? "" : " WHERE i.id = ?2")
            ORDER BY e.time DESC, i.id DESC LIMIT ?1
            """
        )
        statement.bind(1, Int64(max(0, limit)))
        if let installation { statement.bind(2, installation) }
        var erasures: [StoredErasure] = []
        while try statement.step() {
            guard let id = statement.id(0, as: InstallationID.self) else { continue }
            erasures.append(
                StoredErasure(
                    installation: id,
                    time: Timestamp(milliseconds: statement.integer(1)),
                    key: statement.text(2),
                    isByOperator: statement.integer(3) != 0,
                    events: UInt64(clamping: statement.integer(4))
                )
            )
        }
        return erasures
    }
}
