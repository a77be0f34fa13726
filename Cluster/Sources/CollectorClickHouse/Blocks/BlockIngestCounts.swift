// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// A block's arrivals, as known while its records are read.
struct BlockIngestCounts {
    /// The installations that sent batches, including batches without events.
    var met: Set<InstallationID> = []
    /// The number of records that are foreign or damaged.
    var damaged: UInt64 = 0
    /// The number of dropped events of each erased installation.
    private(set) var refused: [InstallationID: UInt64] = [:]

    /// Counts dropped events of an erased installation.
    mutating func refuse(_ events: Int, of installation: InstallationID) {
        guard events > 0 else { return }
        let (sum, isOver) = refused[installation, default: 0].addingReportingOverflow(UInt64(events))
        // Whatever a record claims, the sum is capped at `Int64.max`, so that the sums of blocks can be added.
        refused[installation] = isOver ? .max : min(sum, UInt64(Int64.max))
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
    enum PlaceKind: UInt8 {
        /// All events of a block.
        case all = 0
        case installation = 1
        case user = 2
        case session = 3
    }

    /// The owner of a position range.
    struct PlaceKey: Hashable {
        let kind: PlaceKind
        let whose: [UInt8]
        let installation: InstallationID?
    }

    /// The position range and the time range of an owner's events.
    struct Place {
        var first: EventPosition
        var last: EventPosition
        var events: UInt64 = 0
        var earliest: Timestamp
        var latest: Timestamp
        var arrived: Timestamp
    }

    private(set) var counts: [InstallationID?: Count] = [:]
    private(set) var places: [PlaceKey: Place] = [:]

    /// Counts an event that had not arrived before.
    mutating func add(_ event: BlockBuilder.Candidate) {
        counts[event.installation, default: Count()].events += 1
        count(event, PlaceKey(kind: .all, whose: [], installation: nil))
        if let installation = event.installation {
            var key = RowBinary()
            key.id(installation)
            count(event, PlaceKey(kind: .installation, whose: key.bytes, installation: installation))
        }
        if !event.user.isEmpty {
            count(event, PlaceKey(kind: .user, whose: Array(event.user.utf8), installation: event.installation))
        }
        if !event.session.isEmpty {
            count(event, PlaceKey(kind: .session, whose: Array(event.session.utf8), installation: event.installation))
        }
    }

    /// Counts an event that had arrived before.
    mutating func addRepeat(_ event: BlockBuilder.Candidate) {
        counts[event.installation, default: Count()].repeats += 1
    }

    /// Counts an event of an installation that was erased before.
    mutating func addRefused(_ event: BlockBuilder.Candidate) {
        counts[event.installation, default: Count()].refused += 1
    }

    /// Adds the counts that were collected while records were read.
    mutating func add(_ arrivals: BlockIngestCounts) {
        for installation in arrivals.met where counts[installation] == nil { counts[installation] = Count() }
        for (installation, events) in arrivals.refused { counts[installation, default: Count()].refused += events }
        if arrivals.damaged > 0, counts[nil] == nil { counts[nil] = Count() }
    }

    private mutating func count(_ event: BlockBuilder.Candidate, _ key: PlaceKey) {
        let new = Place(
            first: event.position,
            last: event.position,
            earliest: event.time,
            latest: event.time,
            arrived: event.received
        )
        var place = places[key] ?? new
        place.first = min(place.first, event.position)
        place.last = max(place.last, event.position)
        place.events += 1
        place.earliest = min(place.earliest, event.time)
        place.latest = max(place.latest, event.time)
        place.arrived = max(place.arrived, event.received)
        places[key] = place
    }
}
