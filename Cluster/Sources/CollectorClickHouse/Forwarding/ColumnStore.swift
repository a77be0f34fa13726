// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// Where blocks are written. ``ClickHouseStore`` is the one there is; tests bring theirs.
package protocol ColumnStore: Sendable {
    /// How many blocks are there from the first one on, without a gap.
    ///
    /// - Throws: ``ColumnFailure``.
    func completed() async throws(ColumnFailure) -> UInt64

    /// Which of a block's ids and installations are known from blocks before it.
    ///
    /// - Throws: ``ColumnFailure``.
    func known(
        ids: [EventID],
        installations: [InstallationID],
        before block: UInt64
    ) async throws(ColumnFailure) -> KnownRows

    /// The numbers of some writers that were refused in blocks before one.
    ///
    /// - Throws: ``ColumnFailure``.
    func refused(
        of accounts: [BlockBuilder.AccountKey],
        before block: UInt64
    ) async throws(ColumnFailure) -> [BlockBuilder.AccountKey: SequenceRanges]

    /// Writes rows; all of them or none. When it throws they may be there nevertheless, or come to be there later.
    ///
    /// - Parameter rows: In the format `RowBinary`.
    /// - Throws: ``ColumnFailure``.
    func insert(_ rows: [UInt8], into table: ColumnTable) async throws(ColumnFailure)

    /// Which of some installations were erased, in whatever block.
    ///
    /// - Throws: ``ColumnFailure``.
    func erased(among installations: [InstallationID]) async throws(ColumnFailure) -> [InstallationID]

    /// Removes all rows of some installations. It may take its time after this has returned; until then readers leave them out.
    ///
    /// - Throws: ``ColumnFailure``.
    func remove(_ installations: [InstallationID]) async throws(ColumnFailure)

    /// The week from which on events are kept, by when they arrived; nil when nothing ever went by age.
    ///
    /// - Throws: ``ColumnFailure``.
    func firstWeek() async throws(ColumnFailure) -> Int64?

    /// Drops a week of every table that is divided by weeks. Nothing happens where there is none.
    ///
    /// - Throws: ``ColumnFailure``.
    func drop(week: Int64) async throws(ColumnFailure)
}

/// Why a store cannot be used.
package struct ColumnFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of failure it is.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// Nobody answers, or not in time.
        case unreachable
        /// Who answers is not ClickHouse.
        case stranger
        /// Name or password are wrong, or the user may not do this.
        case refused
        /// It takes no writes.
        case readOnly = "read_only"
        /// There is no room.
        case full
        /// It has too much to do.
        case busy
        /// The tables are not there, or not as they have to be.
        case tables
        /// It says something else.
        case other
    }

    /// What kind of failure it is.
    package var kind: Kind
    /// A sentence with the server, what is wrong there, and what helps.
    package var description: String
    /// The server's number of its error; nil when it gave none.
    package var number: Int?

    /// A failure.
    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }

    /// Whether it stays so until somebody does something about it.
    package var isLasting: Bool {
        switch kind {
        case .stranger, .refused, .tables: true
        case .unreachable, .readOnly, .full, .busy, .other: false
        }
    }
}
