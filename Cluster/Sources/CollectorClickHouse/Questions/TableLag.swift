// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The tables' lag behind the stream, and whether to report it.
///
/// A value type: the caller passes in what was observed, and when.
struct TableLag: Sendable, Hashable {
    /// The maximum time without progress, although there are records to write, before it is reported.
    static let longestStandstill = Duration.seconds(30)

    /// The number of records that the tables lack.
    private(set) var behind: UInt64 = 0
    /// The end of the stream at the first observation; nil once the tables have reached it.
    private var target: UInt64?
    private var hasBegun = false
    private var last: UInt64 = 0
    /// The start of the current standstill, with records to write.
    private var still: MonotonicTime?
    private var isStuck = false

    /// Creates a lag without observations.
    init() {}

    /// Updates the lag, given the last record in the tables.
    ///
    /// - Parameter end: The last accepted record; nil while it is unknown.
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

    /// Returns a message about the tables at an address; nil if there is nothing to report.
    func sentence(_ address: String) -> String? {
        if isStuck {
            return
                "The tables in \(address) are \(behind) records behind, and stalled. Check `trackway-cluster forward`."
        }
        guard target != nil, behind > 0 else { return nil }
        return "The tables in \(address) are being filled from the engine's stream, and are \(behind) records behind."
    }
}
