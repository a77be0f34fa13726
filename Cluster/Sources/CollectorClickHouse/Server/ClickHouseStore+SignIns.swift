// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
package import TrackwayCore

/// Looks up the signed-in events of earlier blocks.
extension ClickHouseStore {
    package func signIns(
        since starts: [InstallationID: Int64],
        before block: UInt64
    ) async throws(ColumnFailure) -> [InstallationID: Set<SignIn>] {
        var given = RowBinary()
        for (installation, start) in starts {
            given.id(installation)
            given.integer(start)
        }
        let rows =
            "(SELECT installation, time, mark, user FROM sign_ins WHERE block < \(block) "
            + "AND time >= \(starts.values.min() ?? .max) AND installation IN (SELECT installation FROM given))"
        return try await signIns(
            "SELECT DISTINCT installation, user, time FROM \(rows) AS s ANY INNER JOIN (SELECT installation, start FROM given) AS g "
                + "USING (installation) WHERE time >= start",
            given.bytes,
            "installation FixedString(16), start Int64"
        )
    }

    package func signedInEvents(
        in conflicts: [InstallationID: BlockSignIns.Conflict],
        before block: UInt64
    ) async throws(ColumnFailure) -> [InstallationID: Set<SignIn>] {
        var given = RowBinary()
        for (installation, conflict) in conflicts {
            for user in conflict.users {
                given.id(installation)
                given.string(user.text)
                given.integer(conflict.times.lowerBound)
                given.integer(conflict.times.upperBound)
            }
        }
        let events =
            "(SELECT installation, user, time FROM timeline WHERE user IN (SELECT user FROM given) "
            + "AND visitor = \(SQLText.missingID) AND block < \(block) AND installation IN (SELECT installation FROM given)) AS t "
            + "ANY INNER JOIN (SELECT installation, user, start, last FROM given) AS g USING (installation, user)"
        return try await signIns(
            "SELECT DISTINCT installation, user, time AS t FROM \(events) WHERE time >= start AND time <= last "
                + "UNION ALL SELECT installation, user, max(time) AS t FROM \(events) WHERE time < start GROUP BY installation, user",
            given.bytes,
            "installation FixedString(16), user String, start Int64, last Int64"
        )
    }

    private func signIns(
        _ query: String,
        _ given: [UInt8],
        _ structure: String
    ) async throws(ColumnFailure) -> [InstallationID: Set<SignIn>] {
        let table = ClickHouseClient.ExternalTable(name: "given", structure: structure, rows: given)
        let answer = try await client.run(query + " FORMAT RowBinary", with: [table])
        var found: [InstallationID: Set<SignIn>] = [:]
        do throws(RowFault) {
            try RowCursor.forEachRow(of: answer) { row throws(RowFault) in
                let installation = try row.id(InstallationID.self)
                let (user, time) = (ByteText(try row.text()), try row.int64())
                found[installation, default: []].insert(user.text.isEmpty ? .separate : SignIn(time: time, user: user))
            }
        } catch {
            throw unreadable(query)
        }
        return found
    }
}
