// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What the collector knows of one writer: how many events it recorded, and what became of them.
package struct CollectedAccount: Sendable, Hashable {
    /// The writer.
    package var writer: String
    /// The highest number the writer told of.
    package var recorded: UInt64
    /// Events received, each counted once.
    package var received: UInt64
    /// Events refused one by one.
    package var rejected: UInt64
    /// Events received again.
    package var duplicates: UInt64
    /// Events the writer said it lost, by reason.
    package var dropped: [String: UInt64]
    /// Events for other destinations.
    package var skipped: UInt64
    /// Numbers nobody accounts for.
    package var missing: UInt64

    init(_ value: JSONValue) throws {
        func count(_ key: String) -> UInt64 { UInt64(value[key]?.integer ?? 0) }
        guard let writer = value["writer"]?.string, let gaps = value["gaps"]?.array else {
            throw StageError("not an account: \(String(decoding: value.json(), as: UTF8.self))")
        }
        self.writer = writer
        recorded = count("recorded")
        received = count("received")
        rejected = count("rejected")
        duplicates = count("duplicates")
        skipped = count("skipped")
        dropped = [:]
        for member in value["dropped"]?.object?.members ?? [] {
            dropped[member.key] = UInt64(member.value.integer ?? 0)
        }
        missing = gaps.reduce(0) { sum, gap in
            guard let ends = gap.array?.compactMap(\.integer), ends.count == 2 else { return sum }
            return sum + UInt64(ends[1] - ends[0] + 1)
        }
    }

    /// Events the writer said it lost, for whatever reason.
    package var droppedTotal: UInt64 { dropped.values.reduce(0, +) }

    /// Whether every event the writer recorded is accounted for.
    package var isBalanced: Bool {
        missing == 0 && recorded == received + rejected + droppedTotal + skipped
    }
}
