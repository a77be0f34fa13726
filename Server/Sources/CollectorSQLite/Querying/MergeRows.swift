// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Reads statements about merged users.
enum MergeRows {
    /// Returns the statements that are connected with users through their IDs, earliest first.
    ///
    /// - Complexity: O(connected statements × log).
    static func connected(with users: [String], _ db: Database) throws -> [StoredMerge] {
        let find = try RawStatement(
            db,
            MergeRow.columns + " WHERE user = ?1 UNION " + MergeRow.columns + " WHERE target = ?1"
        )
        let findInstallation = try RawStatement(db, "SELECT id FROM installations WHERE number = ?")
        var ids = Set(users.map(ByteText.init))
        var next = Array(ids)
        var found: [Int64: StoredMerge] = [:]
        while let id = next.popLast() {
            find.bind(1, id.text)
            defer { find.reset() }
            while try find.step() {
                let row = MergeRow(find)
                guard found[row.position] == nil else { continue }
                var installation: InstallationID?
                if let number = row.installation {
                    findInstallation.bind(1, number)
                    if try findInstallation.step() { installation = findInstallation.id(0) }
                    findInstallation.reset()
                }
                found[row.position] = StoredMerge(
                    row.statement,
                    row.outcome ?? .invalid,
                    received: Timestamp(milliseconds: row.received),
                    key: row.key,
                    installation: installation
                )
                guard row.statement.isValid else { continue }
                for other in [row.statement.user, row.statement.target].compactMap(\.self).map(ByteText.init)
                where ids.insert(other).inserted {
                    next.append(other)
                }
            }
        }
        return found.sorted { ($0.value.statement.time, $0.key) < ($1.value.statement.time, $1.key) }.map { $0.value }
    }
}
