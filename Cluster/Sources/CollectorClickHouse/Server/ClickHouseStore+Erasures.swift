// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// Finds the blocks in which data from erased installations arrived.
///
/// The table of counts has a row for each installation and block, including duplicates and events that were rejected or
/// not stored. These rows remain when the installation is erased.
extension ClickHouseStore: ErasureStore {
    package func erased() async throws(ColumnFailure) -> Set<InstallationID> {
        let query = "SELECT DISTINCT installation FROM erasures FORMAT RowBinary"
        guard let ids = RowBinary.ids(try await client.run(query, isLongRunning: true)) else { throw unreadable(query) }
        return Set(ids.map { InstallationID(high: $0.high, low: $0.low) })
    }

    package func erasedBlocks(
        after done: UInt64,
        upTo goal: UInt64,
        from first: UInt64
    ) async throws(ColumnFailure) -> [UInt64] {
        guard first <= goal else { return [] }
        let found = try await numbers(
            "SELECT block, toInt64(count()) FROM counts WHERE block >= \(first) AND block <= \(goal) "
                + "AND installation IN (SELECT installation FROM erasures WHERE block <= \(goal)) "
                + "AND (block > \(done) OR installation NOT IN (SELECT installation FROM erasures WHERE block <= \(done))) "
                + "GROUP BY block ORDER BY block",
            columns: 2
        )
        return stride(from: 0, to: found.count, by: 2).map { UInt64(clamping: found[$0]) }
    }
}
