// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

// Blocks of weeks that went by age.
extension StreamForwarding {
    /// Writes a block's rows into some tables. Of a week that went by age nothing is written into those that are divided by weeks, also
    /// when it went while that was done.
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
        // Also what somebody left there who was killed in this place.
        try await ask { () throws(ColumnFailure) in try await store.drop(week: week) }
    }

    /// Whether a week went by age; nothing is gone of a block without events.
    func isGone(_ week: Int64?, from store: some ColumnStore) async throws(StepFailure) -> Bool {
        guard let week else { return false }
        let kept = try await ask { () throws(ColumnFailure) in try await store.firstWeek() }
        guard let kept, week < kept else { return false }
        try check(kept)
        return true
    }

    /// Sees that what is recorded of weeks that went can be true. By a record that is not, rows would be let go of that nobody has elsewhere.
    func checkRecord(of store: some ColumnStore) async throws(StepFailure) {
        guard let kept = try await ask({ () throws(ColumnFailure) in try await store.firstWeek() }) else { return }
        try check(kept)
    }

    private func check(_ kept: Int64) throws(StepFailure) {
        guard !TableExpiry.isPlausible(kept, at: clock.now().wall) else { return }
        throw StepFailure(reason: TableExpiry.Fault.early(kept).description)
    }
}

extension TableExpiry.Fault: CustomStringConvertible {
    /// A sentence with what is wrong, and what helps.
    package var description: String {
        switch self {
        case .clocks(let distance):
            return
                "The clock of ClickHouse is \(distance.components.seconds) s from this machine's, so it is not known how old anything is. Set "
                + "the clocks of both by NTP, and try again."
        case .early(let week):
            return
                "In the tables is recorded that only events are kept that arrived from "
                + "\(TableExpiry.beginning(of: week).iso8601) on, and by this machine's clock that is not two weeks ago: that clock is wrong, or the one "
                + "was by which weeks went. Set this clock by NTP; if it is right, ALTER TABLE \(ClickHouseStore.markTable) DELETE WHERE "
                + "name = '\(KeptWeeks.mark)' AND value = '\(week)' takes the record back, and `trackway-cluster engine audit` writes again "
                + "what the stream has still."
        }
    }
}
