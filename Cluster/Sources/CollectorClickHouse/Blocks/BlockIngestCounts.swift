// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A block's arrival counts, collected while its records are read.
struct BlockIngestCounts {
    /// The installations that sent batches, including batches without events.
    var installations: Set<InstallationID> = []
    /// The number of records that are foreign or damaged.
    var damaged: UInt64 = 0
    /// The number of events dropped for each erased installation.
    private(set) var dropped: [InstallationID: UInt64] = [:]

    /// Counts dropped events from an erased installation.
    mutating func addDropped(_ events: Int, of installation: InstallationID) {
        guard events > 0 else { return }
        let (sum, isOver) = dropped[installation, default: 0].addingReportingOverflow(UInt64(events))
        // The sum is capped at `Int64.max`, regardless of what a record claims, so that the sums of blocks can be
        // added.
        dropped[installation] = min(isOver ? .max : sum, UInt64(Int64.max))
    }
}

/// Sums of a block's events: counts per installation, and position ranges per owner.
struct PlaceAggregates {
    /// The counts of one installation.
    struct Count {
        var events: UInt64 = 0
        var repeats: UInt64 = 0
        var refused: UInt64 = 0
    }

    /// The kind of owner that a position range belongs to.
    ///
    /// The raw value is the number in the table.
    enum OwnerKind: UInt8 {
        /// All events of a block.
        case all = 0
        case installation = 1
        case user = 2
        case session = 3
    }

    /// The owner of a position range.
    struct OwnerKey: Hashable {
        let kind: OwnerKind
        let owner: [UInt8]
        let installation: InstallationID?
    }

    /// The position range and the time range of an owner's events.
    struct Extent {
        var first: EventPosition
        var last: EventPosition
        var events: UInt64 = 0
        var earliest: Timestamp
        var latest: Timestamp
        var arrived: Timestamp
    }

    private(set) var counts: [InstallationID?: Count] = [:]
    private(set) var extents: [OwnerKey: Extent] = [:]

    /// Counts an event that had not arrived before.
    mutating func add(_ event: BlockBuilder.Candidate) {
        counts[event.installation, default: Count()].events += 1
        count(event, OwnerKey(kind: .all, owner: [], installation: nil))
        if let installation = event.installation {
            var key = RowBinary()
            key.id(installation)
            count(event, OwnerKey(kind: .installation, owner: key.bytes, installation: installation))
        }
        if !event.user.isEmpty {
            count(event, OwnerKey(kind: .user, owner: Array(event.user.utf8), installation: event.installation))
        }
        if !event.session.isEmpty {
            count(event, OwnerKey(kind: .session, owner: Array(event.session.utf8), installation: event.installation))
        }
    }

    /// Counts an event that had arrived before.
    mutating func addDuplicate(_ event: BlockBuilder.Candidate) {
        counts[event.installation, default: Count()].repeats += 1
    }

    /// Counts an event from an installation that was erased earlier.
    mutating func addErased(_ event: BlockBuilder.Candidate) {
        counts[event.installation, default: Count()].refused += 1
    }

    /// Adds the counts that were collected while records were read.
    mutating func add(_ arrivals: BlockIngestCounts) {
        for installation in arrivals.installations where counts[installation] == nil { counts[installation] = Count() }
        for (installation, events) in arrivals.dropped { counts[installation, default: Count()].refused += events }
        if arrivals.damaged > 0, counts[nil] == nil { counts[nil] = Count() }
    }

    private mutating func count(_ event: BlockBuilder.Candidate, _ key: OwnerKey) {
        let new = Extent(
            first: event.position,
            last: event.position,
            earliest: event.time,
            latest: event.time,
            arrived: event.received
        )
        var extent = extents[key] ?? new
        extent.first = min(extent.first, event.position)
        extent.last = max(extent.last, event.position)
        extent.events += 1
        extent.earliest = min(extent.earliest, event.time)
        extent.latest = max(extent.latest, event.time)
        extent.arrived = max(extent.arrived, event.received)
        extents[key] = extent
    }
}
