// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The SDK's ledger for one destination, as a recorder printed it.
package struct RecorderLedger: Sendable, Hashable {
    /// Events recorded by the installation, for all destinations.
    package var total: UInt64
    /// Events addressed to the destination.
    package var recorded: UInt64
    /// Events that the destination accepted.
    package var delivered: UInt64
    /// Pending events.
    package var pending: UInt64
    /// Dropped events, by reason.
    package var dropped: [String: UInt64]

    /// Parses the ledgers of all destinations from one line of a recorder.
    package static func all(_ line: String) throws -> [String: RecorderLedger] {
        let value = try JSONValue.parse(Array(line.utf8))
        var ledgers: [String: RecorderLedger] = [:]
        for member in value["destinations"]?.object?.members ?? [] {
            ledgers[member.key] = try RecorderLedger(value, of: member.key)
        }
        return ledgers
    }

    /// Parses the ledger of a destination from a line.
    package init(_ line: String, of destination: String = "collector") throws {
        try self.init(try JSONValue.parse(Array(line.utf8)), of: destination)
    }

    private init(_ value: JSONValue, of destination: String) throws {
        guard let account = value["destinations"]?[destination] else {
            throw TestSupportError("no ledger for \(destination): \(String(decoding: value.json(), as: UTF8.self))")
        }
        func count(_ value: JSONValue?) -> UInt64 { UInt64(value?.integer ?? 0) }
        total = count(value["recorded"])
        recorded = count(account["recorded"])
        delivered = count(account["delivered"])
        pending = count(account["pending"])
        dropped = [:]
        for member in account["dropped"]?.object?.members ?? [] { dropped[member.key] = count(member.value) }
    }

    /// Dropped events, for all reasons.
    package var droppedTotal: UInt64 { dropped.values.reduce(0, +) }

    /// Whether recorded = delivered + pending + dropped.
    package var isBalanced: Bool { recorded == delivered + pending + droppedTotal }
}
