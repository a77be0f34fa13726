// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// How one installation's journal is kept.
package struct JournalConfiguration: Sendable, Hashable {
    /// The installation's folder, an absolute path.
    package var folder: String
    /// The destinations events are kept for from the start; see ``Journal/addDestination(_:)`` for later ones. Each gets a
    /// cursor before the first event is recorded.
    package var destinations: [DestinationID]
    /// Destinations of run time that an earlier run added: they get what this process records from the start, too, and what
    /// was left for them, but nothing else of what is left.
    package var expected: [DestinationID]
    /// Those among both whose events wait for the app itself; see ``Journal/snapshot(for:admitting:)``.
    package var kept: Set<DestinationID>
    /// Bytes the installation's segments may take. Beyond, the oldest undelivered events go first, counted. Segments in which
    /// only ``kept`` destinations have something do not count.
    package var maximumBytes: Int
    /// Bytes that the segments of ``kept`` destinations may take beyond that.
    package var maximumKeptBytes: Int
    /// How long an undelivered event is kept, in time that really passed (a clock that jumps expires nothing).
    package var maximumAge: Duration
    /// Bytes reserved per segment.
    package var segmentBytes: Int
    /// Bytes of events held in memory while the storage refuses them. Beyond, events are dropped and counted.
    package var heldBytes: Int

    /// Makes a configuration.
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

    /// Bytes that all segments may take together.
    var maximumTotalBytes: Int {
        let (sum, isTooMuch) = maximumBytes.addingReportingOverflow(maximumKeptBytes)
        return isTooMuch ? .max : sum
    }

    /// Segments that one process keeps of its own at most, whoever trims or does not: a quarter more than the limit of all,
    /// so that whoever delivers, who knows what everybody has, is asked first.
    ///
    /// - Parameter keeps: whether there are destinations whose events wait for the app itself.
    func maxSegmentsOfWriter(keeps: Bool) -> Int {
        let whole = (keeps ? maximumTotalBytes : maximumBytes) / segmentBytes
        return max(4, whole + whole / 4 + 1)
    }
}
