// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// Counts equal records of a file, so that equal events without ids stay different.
///
/// Records are compared by 128 bits of their hash, so the memory for each does not depend on its size.
struct RecordOccurrences {
    private struct Digest: Hashable {
        let high: UInt64
        let low: UInt64
    }

    private var counts: [Digest: UInt32] = [:]

    /// Returns the number of equal records before this one, and counts it.
    mutating func next(_ record: [UInt8]) -> UInt32 {
        let hash = SHA256.hash(record)
        func word(_ start: Int) -> UInt64 { hash[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) } }
        let digest = Digest(high: word(0), low: word(8))
        let count = counts[digest, default: 0]
        counts[digest] = count + 1
        return count
    }
}
