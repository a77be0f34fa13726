// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A row of the table of statements about merged users.
struct MergeRow: Sendable, Hashable {
    /// The position of the event or record.
    let position: Int64
    /// The statement; its author is an operator if ``installation`` is nil.
    let statement: MergeStatement
    /// The installation of an app's event; nil for an operator's statement.
    let installation: InstallationID?
    /// The name of the key with which the statement arrived; empty if it is unknown.
    let key: String
    /// When the statement arrived, in milliseconds since 1970.
    let received: Int64

    /// Creates a row.
    ///
    /// IDs that are too long are shortened to a length that is still too long.
    init(
        _ statement: MergeStatement,
        at position: EventPosition,
        installation: InstallationID?,
        key: String,
        received: Timestamp
    ) {
        func bounded(_ id: String) -> String { id.truncated(toUTF8Count: MergeStatement.maximumIDBytes + 4) }
        var statement = statement
        statement.user = bounded(statement.user)
        statement.target = statement.target.map(bounded)
        self.position = position.rawValue
        self.statement = statement
        self.installation = installation
        self.key = key
        self.received = received.milliseconds
    }

    /// The columns that ``init(_:)`` reads.
    static let columns = "position, time, user, target, undoes, installation, key, received"

    /// Reads a row.
    init(_ row: inout RowCursor) throws(RowFault) {
        position = try row.int64()
        let time = try row.int64()
        let (user, target) = (try row.text(), try row.text())
        let undoes = try row.uint8() != 0
        installation = try row.installation()
        statement = MergeStatement(
            user,
            into: undoes ? nil : target,
            at: time,
            by: installation == nil ? .operator : .app
        )
        key = try row.text()
        received = try row.int64()
    }

    /// Appends the row.
    func write(to row: inout RowBinary, block: Int64) {
        row.integer(position)
        row.integer(block)
        row.integer(statement.time)
        row.string(statement.user)
        row.string(statement.target ?? "")
        row.byte(statement.target == nil ? 1 : 0)
        row.id(installation)
        row.string(key)
        row.integer(received)
    }
}

extension BlockRows {
    /// Writes the statement of an `_alias` event.
    ///
    /// Without an installation, an erasure could not find the event by the IDs in it, so it has no effect.
    mutating func writeMerge(of event: BlockBuilder.Candidate) {
        guard let statement = event.merge, let installation = event.installation else { return }
        write(
            MergeRow(
                statement,
                at: event.position,
                installation: installation,
                key: event.key,
                received: event.received
            )
        )
    }

    /// Writes a statement.
    mutating func write(_ merge: MergeRow) {
        let block = Int64(clamping: decision.block)
        add(.merges, merge.installation) { merge.write(to: &$0, block: block) }
    }
}
