// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// How far tables are behind what was taken, and whether that is worth a word. A value: it is told what was seen, and when.
struct TableLag: Sendable, Hashable {
    /// So long tables may stand still while there is something to write, before it is said.
    static let longestStandstill = Duration.seconds(30)

    /// How many records they are behind.
    private(set) var behind: UInt64 = 0
    /// Where the stream ended when it was looked first; nil once the tables have come there.
    private var target: UInt64?
    private var hasBegun = false
    private var last: UInt64 = 0
    /// Since when they stand still, with something to write.
    private var still: MonotonicTime?
    private var isStuck = false

    /// Nothing was seen yet.
    init() {}

    /// The tables have the stream up to a record.
    ///
    /// - Parameter end: The last record that was taken; nil while it is not known.
    mutating func see(last: UInt64, end: UInt64?, at now: MonotonicTime) {
        guard let end else { return }
        if !hasBegun {
            hasBegun = true
            target = end
        }
        if let wanted = target, last >= wanted { target = nil }
        behind = end - min(end, last)
        if behind == 0 || last != self.last { still = nil }
        self.last = last
        guard behind > 0 else {
            isStuck = false
            return
        }
        let since = still ?? now
        still = since
        isStuck = since.duration(to: now) > Self.longestStandstill
    }

    /// What a person should know, about tables at an address; nil while all is well.
    func sentence(_ address: String) -> String? {
        if isStuck {
            return
                "The tables in \(address) are \(behind) records behind what was taken, and do not come on. See that `trackway-cluster forward` runs."
        }
        guard target != nil, behind > 0 else { return nil }
        return "The tables in \(address) are being filled from the engine's stream, and are \(behind) records behind."
    }
}
