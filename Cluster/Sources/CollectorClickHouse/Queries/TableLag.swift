// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The tables' lag behind the stream, with a message if it must be reported.
///
/// A value type: the caller passes in observations and their times.
struct TableLag: Sendable, Hashable {
    /// The time without progress after which a standstill is reported.
    ///
    /// Time during which there are no records to write does not count.
    static let maxStandstill = Duration.seconds(30)

    /// The number of records that the tables lack.
    private(set) var behind: UInt64 = 0
    /// The end of the stream at the first observation; nil once the tables have reached it.
    private var target: UInt64?
    private var hasStarted = false
    private var last: UInt64 = 0
    /// The start of the current standstill while there are records to write.
    private var standstillStart: MonotonicTime?
    private var isStalled = false

    /// Creates the lag before the first observation.
    init() {}

    /// Updates the lag, given the last record in the tables.
    ///
    /// - Parameter end: The last accepted record; nil while it is unknown.
    mutating func update(last: UInt64, end: UInt64?, at now: MonotonicTime) {
        guard let end else { return }
        if !hasStarted {
            hasStarted = true
            target = end
        }
        if let end = target, last >= end { target = nil }
        behind = end - min(end, last)
        if behind == 0 || last != self.last { standstillStart = nil }
        self.last = last
        guard behind > 0 else {
            isStalled = false
            return
        }
        let since = standstillStart ?? now
        standstillStart = since
        isStalled = since.duration(to: now) > Self.maxStandstill
    }

    /// Returns a message about the tables at an address; nil if there is nothing to report.
    func message(for address: String) -> String? {
        if isStalled {
            return
                "The tables in \(address) are \(behind) records behind, and filling them has stalled. "
                + "Check `trackway-cluster cluster forward`."
        }
        guard target != nil, behind > 0 else { return nil }
        return "The tables in \(address) are being filled from the engine's stream, and are \(behind) records behind."
    }
}
