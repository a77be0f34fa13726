// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import TrackwayCore

/// Groups rejected events and adds up the events that devices lost.
enum FailedGroupRows {
    /// Computes the groups.
    ///
    /// - Throws: ``StoreError`` if the query exceeds its budget; SQLite errors.
    /// - Complexity: O(rejected events of the time range + ranges of the ledger); memory: ``FailedGroups/maxGroups`` ·
    ///   intervals.
    static func groups(
        in time: QueryTimeRange,
        budget: QueryBudget,
        clock: any EventClock,
        _ db: Database
    ) throws -> FailedGroups {
        var tally = FailedGroupTally(in: time, budget: budget, clock: clock)
        try addGroups(to: &tally, in: time, db)
        try addLosses(to: &tally, db)
        try addReports(to: &tally, in: time, db)
        return tally.result()
    }

    private static func addGroups(to tally: inout FailedGroupTally, in time: QueryTimeRange, _ db: Database) throws {
        let statement = try RawStatement(
            db,
            """
            SELECT received, code, field, name, version, position FROM failed INDEXED BY failed_by_group
            WHERE received >= ? AND received < ?
            """
        )
        statement.bind(1, time.start.milliseconds)
        statement.bind(2, time.end.milliseconds)
        defer { statement.reset() }
        // The rows are in order of arrival.
        while try statement.step() {
            try tally.addRejection(
                code: statement.text(1),
                field: statement.text(2),
                name: statement.optionalText(3),
                version: statement.optionalText(4),
                received: Timestamp(milliseconds: statement.integer(0)),
                at: EventPosition(rawValue: statement.integer(5))
            )
        }
    }

    /// Adds the events that devices dropped, by reason.
    private static func addLosses(to tally: inout FailedGroupTally, _ db: Database) throws {
        let statement = try RawStatement(db, "SELECT reason, first, last FROM ranges WHERE kind = ?")
        statement.bind(1, RangeKind.dropped.rawValue)
        defer { statement.reset() }
        while try statement.step() {
            try tally.addLoss(statement.integer(2) &- statement.integer(1) &+ 1, reason: statement.text(0))
        }
    }

    /// Adds the errors that clients reported, by code.
    ///
    /// Of several reports with the same time, the last to arrive is considered the latest.
    private static func addReports(to tally: inout FailedGroupTally, in time: QueryTimeRange, _ db: Database) throws {
        let statement = try RawStatement(
            db,
            """
            SELECT id, time, body FROM events WHERE name = ? AND time >= ? AND time < ?
            ORDER BY time DESC, position DESC LIMIT ?
            """
        )
        statement.bind(1, CapturedName.clickstreamError)
        statement.bind(2, time.start.milliseconds)
        statement.bind(3, time.end.milliseconds)
        statement.bind(4, Int64(FailedGroups.maxErrors))
        defer { statement.reset() }
        while try statement.step() {
            guard let id = statement.id(0, as: EventID.self) else { continue }  // This index did not write the row.
            let moment = Timestamp(milliseconds: statement.integer(1))
            statement.withBytes(2) { tally.addReport(id, at: moment, body: $0) }
        }
    }
}
