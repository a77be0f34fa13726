// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The configuration of one installation's journal.
package struct JournalConfiguration: Sendable, Hashable {
    /// The installation's folder, an absolute path.
    package var folder: String
    /// The destinations that events are stored for from the start.
    ///
    /// Each gets a cursor before the first event is recorded. See ``Journal/addDestination(_:isKept:)`` for
    /// destinations added later.
    package var destinations: [DestinationID]
    /// Destinations that an earlier run added at run time.
    ///
    /// They get the events that this process records from the start and the events left for them, but no other backlog.
    package var expected: [DestinationID]
    /// The app-managed ones among both: the app reads and removes their events itself.
    ///
    /// See ``Journal/snapshot(for:admitting:filtering:)``.
    package var kept: Set<DestinationID>
    /// The maximum bytes of the installation's segments.
    ///
    /// Beyond it, the oldest undelivered events are dropped first and counted. Segments that only ``kept`` destinations
    /// still need do not count.
    package var maximumBytes: Int
    /// Additional bytes for the segments of ``kept`` destinations.
    package var maximumKeptBytes: Int
    /// The maximum age of an undelivered event.
    ///
    /// It counts time that really passed; clock jumps do not expire events.
    package var maximumAge: Duration
    /// The number of bytes reserved per segment.
    package var segmentBytes: Int
    /// The maximum bytes of events held in memory while the storage refuses them.
    ///
    /// Beyond it, events are dropped and counted.
    package var heldBytes: Int

    /// Creates a configuration.
    package init(
        folder: String,
        destinations: [DestinationID],
        expected: [DestinationID] = [],
        kept: Set<DestinationID> = [],
        maximumBytes: Int = 50 << 20,
        maximumKeptBytes: Int = 50 << 20,
        maximumAge: Duration = .seconds(30 * 24 * 3600),
        segmentBytes: Int = 1 << 20,
        heldBytes: Int = 1 << 20
    ) {
        self.folder = folder
        self.destinations = destinations
        self.expected = expected
        self.kept = kept
        self.maximumBytes = max(0, maximumBytes)
        self.maximumKeptBytes = max(0, maximumKeptBytes)
        self.maximumAge = maximumAge
        self.segmentBytes = min(max(segmentBytes, 4096), 1 << 30)
        self.heldBytes = max(0, heldBytes)
    }

    /// The maximum bytes of all segments together.
    var maximumTotalBytes: Int {
        let (sum, isTooMuch) = maximumBytes.addingReportingOverflow(maximumKeptBytes)
        return isTooMuch ? .max : sum
    }

    /// The maximum number of its own segments that one process keeps.
    ///
    /// It applies whether or not any process trims. It is a quarter more than the limit for all processes, so that the
    /// delivering process, which knows what every destination still needs, trims first.
    ///
    /// - Parameter keeps: whether there are app-managed destinations.
    func maxSegmentsOfWriter(keeps: Bool) -> Int {
        let whole = (keeps ? maximumTotalBytes : maximumBytes) / segmentBytes
        return max(4, whole + whole / 4 + 1)
    }
}
