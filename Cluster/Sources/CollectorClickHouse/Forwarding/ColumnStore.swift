// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// The tables that blocks are written to.
///
/// ``ClickHouseStore`` is the only implementation in production; tests bring their own.
package protocol ColumnStore: Sendable {
    /// Returns the number of consecutive blocks, from the first one, that exist.
    ///
    /// - Throws: ``ColumnFailure``.
    func completed() async throws(ColumnFailure) -> UInt64

    /// Returns which of a block's ids and installations earlier blocks contain.
    ///
    /// - Throws: ``ColumnFailure``.
    func known(
        ids: [EventID],
        installations: [InstallationID],
        before block: UInt64
    ) async throws(ColumnFailure) -> KnownRows

    /// Returns the writers' sequence numbers that earlier blocks rejected.
    ///
    /// - Throws: ``ColumnFailure``.
    func refused(
        of accounts: [BlockBuilder.AccountKey],
        before block: UInt64
    ) async throws(ColumnFailure) -> [BlockBuilder.AccountKey: SequenceRanges]

    /// Writes rows atomically: all of them or none.
    ///
    /// If it throws, the rows may still exist, or appear later.
    ///
    /// - Parameter rows: The rows, in the format `RowBinary`.
    /// - Throws: ``ColumnFailure``.
    func insert(_ rows: [UInt8], into table: ColumnTable) async throws(ColumnFailure)

    /// Returns which of the installations were erased, by any block.
    ///
    /// - Throws: ``ColumnFailure``.
    func erased(among installations: [InstallationID]) async throws(ColumnFailure) -> [InstallationID]

    /// Removes all rows of the installations.
    ///
    /// The removal may continue after this returns. Until it is done, readers omit these rows.
    ///
    /// - Throws: ``ColumnFailure``.
    func remove(_ installations: [InstallationID]) async throws(ColumnFailure)

    /// Returns the first week of arrival whose events are kept; nil if none ever expired.
    ///
    /// - Throws: ``ColumnFailure``.
    func firstWeek() async throws(ColumnFailure) -> Int64?

    /// Drops a week from every table that is partitioned by week.
    ///
    /// Does nothing if the week does not exist.
    ///
    /// - Throws: ``ColumnFailure``.
    func drop(week: Int64) async throws(ColumnFailure)
}

/// Why a store cannot be used.
package struct ColumnFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The server does not respond, or not in time.
        case unreachable
        /// The server is not ClickHouse.
        case stranger
        /// The name or password is wrong, or the user lacks permission.
        case refused
        /// The server does not accept writes.
        case readOnly = "read_only"
        /// The server's disk is full.
        case full
        /// The server is overloaded.
        case busy
        /// The tables are missing, or do not have the required structure.
        case tables
        /// Any other error.
        case other
    }

    /// The kind of failure.
    package var kind: Kind
    /// A sentence with the server, the problem, and its fix.
    package var description: String
    /// The server's error code; nil if it is missing.
    package var number: Int?

    /// Creates a failure.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Whether the failure lasts until an operator fixes the cause.
    package var isLasting: Bool {
        switch kind {
        case .stranger, .refused, .tables: true
        case .unreachable, .readOnly, .full, .busy, .other: false
        }
    }
}
