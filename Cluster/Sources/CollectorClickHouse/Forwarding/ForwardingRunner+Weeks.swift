// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

// Blocks of weeks that expired by age.
extension ForwardingRunner {
    /// Writes a block's rows to some tables.
    ///
    /// Nothing is written to the tables partitioned by week if the block's week has expired. If the week expires during
    /// the write, it is dropped again.
    func write(
        _ rows: BlockRows,
        into store: some ColumnStore,
        _ isWanted: (ColumnTable) -> Bool
    ) async throws(StepFailure) {
        let wasGone = try await isGone(rows.week, from: store)
        for table in ColumnTable.allCases where isWanted(table) && !(wasGone && ColumnTable.byWeek.contains(table)) {
            guard let bytes = rows.bytes(table) else { continue }
            try await ask { () throws(ColumnFailure) in try await store.insert(bytes, into: table) }
        }
        guard let week = rows.week, try await isGone(week, from: store) else { return }
        // Also drops what another process left when it was killed at this point.
        try await ask { () throws(ColumnFailure) in try await store.drop(week: week) }
    }

    /// Whether a week expired by age; false for a block without events.
    func isGone(_ week: Int64?, from store: some ColumnStore) async throws(StepFailure) -> Bool {
        guard let week else { return false }
        let kept = try await ask { () throws(ColumnFailure) in try await store.firstWeek() }
        guard let kept, week < kept else { return false }
        try check(kept)
        return true
    }

    /// Checks that the recorded first week is plausible.
    ///
    /// An implausible record would drop rows that exist nowhere else.
    func checkRecord(of store: some ColumnStore) async throws(StepFailure) {
        guard let kept = try await ask({ () throws(ColumnFailure) in try await store.firstWeek() }) else { return }
        try check(kept)
    }

    private func check(_ kept: Int64) throws(StepFailure) {
        guard !ExpiryPlanner.isPlausible(kept, at: clock.now().wall) else { return }
        throw StepFailure(reason: ExpiryPlanner.Fault.early(kept).description)
    }
}

extension ExpiryPlanner.Fault: CustomStringConvertible {
    /// A sentence with the problem and its fix.
    package var description: String {
        switch self {
        case .clocks(let distance):
            return
                "ClickHouse's clock differs from this machine's by \(distance.components.seconds) s, so the age of "
                + "events is unknown. Synchronize both clocks with NTP, and try again."
        case .early(let week):
            return
                "According to the tables, only events that arrived since \(ExpiryPlanner.beginning(of: week).iso8601) "
                + "are kept. By this machine's clock, that is less than two weeks ago: either this clock is wrong, or "
                + "the one by which weeks expired was. Synchronize this clock with NTP. If it is right, ALTER TABLE "
                + "\(ClickHouseStore.markTable) DELETE WHERE name = '\(KeptWeeks.mark)' AND value = '\(week)' removes "
                + "the record, and `trackway-cluster engine audit` rewrites what is still in the stream."
        }
    }
}
