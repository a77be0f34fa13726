// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The SDK's account for a destination, as a recorder printed it.
package struct RecorderLedger: Sendable, Hashable {
    /// Events recorded by the installation, all destinations.
    package var total: UInt64
    /// Events addressed to the destination.
    package var recorded: UInt64
    /// Events it accepted.
    package var delivered: UInt64
    /// Events that wait.
    package var pending: UInt64
    /// Events given up, by reason.
    package var dropped: [String: UInt64]

    init(_ line: String, of destination: String = "collector") throws {
        let value = try JSONValue.parse(Array(line.utf8))
        guard let account = value["destinations"]?[destination] else {
            throw StageError("no account for \(destination): \(line)")
        }
        func count(_ value: JSONValue?) -> UInt64 { UInt64(value?.integer ?? 0) }
        total = count(value["recorded"])
        recorded = count(account["recorded"])
        delivered = count(account["delivered"])
        pending = count(account["pending"])
        dropped = [:]
        for member in account["dropped"]?.object?.members ?? [] { dropped[member.key] = count(member.value) }
    }

    /// Events given up, for whatever reason.
    package var droppedTotal: UInt64 { dropped.values.reduce(0, +) }

    /// recorded = delivered + pending + dropped.
    package var isBalanced: Bool { recorded == delivered + pending + droppedTotal }
}
