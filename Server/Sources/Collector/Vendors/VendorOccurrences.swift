// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Counts how often the same record stands in one body. Clients that number nothing can say the same thing twice within a
/// millisecond and mean it; sent again, the body has the same records in the same order.
struct VendorOccurrences: Sendable {
    private var seen: [[UInt8]: Int] = [:]

    /// How often a record stood there before.
    mutating func next(_ record: [UInt8]) -> Int {
        defer { seen[record, default: 0] += 1 }
        return seen[record] ?? 0
    }
}
