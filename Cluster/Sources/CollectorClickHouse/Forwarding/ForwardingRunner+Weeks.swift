// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

// Writes blocks whose weeks may have expired by age.
extension ForwardingRunner {
    /// Writes a block's rows to some tables.
    ///
    /// Nothing is written to the tables partitioned by week if the block's week has expired. If the week expires during
    /// the write, the week is dropped again.
    func write(
        _ rows: BlockRows,
        into store: some ColumnStore,
        _ includes: (ColumnTable) -> Bool
    ) async throws(StepFailure) {
        let wasExpired = try await isExpired(rows.week, from: store)
        for table in ColumnTable.allCases
        where includes(table) && !(wasExpired && ColumnTable.partitionedByWeek.contains(table)) {
            guard let bytes = rows.bytes(table) else { continue }
            try await query { () throws(ColumnFailure) in try await store.insert(bytes, into: table) }
        }
        guard let week = rows.week, try await isExpired(week, from: store) else { return }
        // This also drops rows left by another process that was killed at this point.
        try await query { () throws(ColumnFailure) in try await store.drop(week: week) }
    }

    /// Whether a week expired by age; false for a block without events.
    func isExpired(_ week: Int64?, from store: some ColumnStore) async throws(StepFailure) -> Bool {
        guard let week else { return false }
        let firstWeek = try await query { () throws(ColumnFailure) in try await store.firstWeek() }
        guard let firstWeek, week < firstWeek else { return false }
        try check(firstWeek)
        return true
    }

    /// Checks that the recorded first week is plausible.
    ///
    /// Relying on an implausible week would drop rows that exist nowhere else.
    func checkFirstWeek(of store: some ColumnStore) async throws(StepFailure) {
        guard let firstWeek = try await query({ () throws(ColumnFailure) in try await store.firstWeek() }) else {
            return
        }
        try check(firstWeek)
    }

    private func check(_ firstWeek: Int64) throws(StepFailure) {
        guard !ExpiryPlanner.isPlausible(firstWeek, at: clock.now().wall) else { return }
        throw StepFailure(reason: ExpiryPlanner.Fault.futureWeek(firstWeek).description)
    }
}

extension ExpiryPlanner.Fault: CustomStringConvertible {
    /// A sentence that describes the problem and the fix.
    package var description: String {
        switch self {
        case .clockDifference(let distance):
            return
                "ClickHouse's clock differs from this machine's by \(distance.components.seconds) s, so the age of "
                + "events is unknown. Synchronize both clocks with NTP, and try again."
        case .futureWeek(let week):
            return
                "According to the tables, only events that arrived since \(ExpiryPlanner.start(ofWeek: week).iso8601) "
                + "are kept. By this machine's clock, that is less than two weeks ago: either this clock is wrong, or "
                + "the clock that expired the weeks was. Synchronize this clock with NTP. If it is right, ALTER TABLE "
                + "\(ClickHouseStore.markTable) DELETE WHERE name = '\(RetainedWeekSQL.mark)' AND value = '\(week)' removes "
                + "the record, and `trackway-cluster cluster audit` rewrites what is still in the stream."
        }
    }
}
