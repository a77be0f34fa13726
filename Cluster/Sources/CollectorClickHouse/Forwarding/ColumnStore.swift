// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// The tables that blocks are written to.
///
/// ``ClickHouseStore`` is the only implementation in production; tests provide their own.
package protocol ColumnStore: Sendable {
    /// Returns the number of consecutive existing blocks, starting with the first.
    ///
    /// - Throws: ``ColumnFailure``.
    func completed() async throws(ColumnFailure) -> UInt64

    /// Returns which ids earlier blocks contain, and which installations they erased.
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
    func rejected(
        of accounts: [BlockBuilder.AccountKey],
        before block: UInt64
    ) async throws(ColumnFailure) -> [BlockBuilder.AccountKey: SequenceRanges]

    /// Returns the rows of earlier blocks in the table of sign-ins.
    ///
    /// - Parameter starts: The time of the first row to return, by installation.
    /// - Throws: ``ColumnFailure``.
    func signIns(
        since starts: [InstallationID: Int64],
        before block: UInt64
    ) async throws(ColumnFailure) -> [InstallationID: Set<SignIn>]

    /// Returns signed-in events of earlier blocks.
    ///
    /// These are the users' events in the time ranges, and the last event of each user before the time range.
    ///
    /// - Throws: ``ColumnFailure``.
    func signedInEvents(
        in conflicts: [InstallationID: BlockSignIns.Conflict],
        before block: UInt64
    ) async throws(ColumnFailure) -> [InstallationID: Set<SignIn>]

    /// Writes rows atomically: all of them or none.
    ///
    /// If this function throws, the rows may still exist, or appear later.
    ///
    /// - Parameter rows: The rows, in `RowBinary` format.
    /// - Throws: ``ColumnFailure``.
    func insert(_ rows: [UInt8], into table: ColumnTable) async throws(ColumnFailure)

    /// Returns which of the installations were erased, by any block.
    ///
    /// - Throws: ``ColumnFailure``.
    func erased(among installations: [InstallationID]) async throws(ColumnFailure) -> [InstallationID]

    /// Removes all rows of the installations.
    ///
    /// The removal may continue after this function returns. Until it is complete, readers omit these rows.
    ///
    /// - Throws: ``ColumnFailure``.
    func remove(_ installations: [InstallationID]) async throws(ColumnFailure)

    /// Returns the first week of arrival whose events are kept; nil if no week has ever expired.
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
        /// The server does not respond, or does not respond in time.
        case unreachable
        /// The server is not ClickHouse.
        case notClickHouse
        /// The name or password is wrong, or the user lacks permission.
        case denied
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
    /// A sentence that names the server, the problem, and the fix.
    package var description: String
    /// The error code that the server returned; nil for none.
    package var number: Int?

    /// Creates a failure.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Whether the failure lasts until an operator fixes the cause.
    package var isPermanent: Bool {
        switch kind {
        case .notClickHouse, .denied, .tables: true
        case .unreachable, .readOnly, .full, .busy, .other: false
        }
    }
}
