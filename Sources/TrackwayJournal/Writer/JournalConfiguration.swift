// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The configuration of one installation's journal.
package struct JournalConfiguration: Sendable, Equatable {
    /// The absolute path of the installation's folder.
    package var folder: String
    /// The destinations for which events are stored from the start.
    ///
    /// Each gets a cursor before the first event is recorded. See ``Journal/addDestination(_:isAppManaged:)`` for
    /// destinations added later.
    package var destinations: [DestinationID]
    /// Destinations that an earlier run added at run time.
    ///
    /// These destinations receive all events that this process records and the events left for them, but no other
    /// backlog.
    package var expected: [DestinationID]
    /// The destinations whose events the app itself reads and removes.
    ///
    /// They are also in ``destinations`` or ``expected``. See ``Journal/snapshot(for:admitting:filtering:)``.
    package var appManaged: Set<DestinationID>
    /// The maximum total size of the installation's segments, in bytes.
    ///
    /// Beyond this limit, the oldest undelivered events are dropped first and counted. Segments needed only by
    /// ``appManaged`` destinations do not count toward the limit.
    package var maximumBytes: Int
    /// The additional bytes allowed for segments of ``appManaged`` destinations.
    package var maximumAppManagedBytes: Int
    /// The maximum age of an undelivered event.
    ///
    /// The age is the time that actually passed; clock jumps do not cause events to expire.
    package var maximumAge: Duration
    /// The number of bytes reserved per segment.
    package var segmentBytes: Int
    /// The maximum bytes of events held while the storage rejects writes.
    ///
    /// Beyond this limit, events are dropped and counted.
    package var heldBytes: Int

    /// Creates a configuration.
    package init(
        folder: String,
        destinations: [DestinationID],
        expected: [DestinationID] = [],
        appManaged: Set<DestinationID> = [],
        maximumBytes: Int = 50 << 20,
        maximumAppManagedBytes: Int = 50 << 20,
        maximumAge: Duration = .seconds(30 * 24 * 3600),
        segmentBytes: Int = 1 << 20,
        heldBytes: Int = 1 << 20
    ) {
        self.folder = folder
        self.destinations = destinations
        self.expected = expected
        self.appManaged = appManaged
        self.maximumBytes = max(0, maximumBytes)
        self.maximumAppManagedBytes = max(0, maximumAppManagedBytes)
        self.maximumAge = maximumAge
        self.segmentBytes = min(max(segmentBytes, 4096), 1 << 30)
        self.heldBytes = max(0, heldBytes)
    }

    /// The maximum total size of all segments, in bytes.
    var maximumTotalBytes: Int {
        let (sum, isTooMuch) = maximumBytes.addingReportingOverflow(maximumAppManagedBytes)
        return isTooMuch ? .max : sum
    }

    /// Returns the maximum number of its own segments that a process keeps.
    ///
    /// This limit applies whether or not any process trims. It is 25% higher than the limit for all processes, so
    /// that the delivering process, which knows the segments that each destination still needs, trims first.
    ///
    /// - Parameter hasAppManaged: whether there are app-managed destinations.
    func maxSegmentsOfWriter(hasAppManaged: Bool) -> Int {
        let whole = (hasAppManaged ? maximumTotalBytes : maximumBytes) / segmentBytes
        return max(4, whole + whole / 4 + 1)
    }
}
