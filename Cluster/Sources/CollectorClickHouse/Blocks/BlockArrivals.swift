// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// How much of whom came in a block, as far as that is known while its records are read.
struct BlockArrivals {
    /// Those that a batch came of, were it without an event.
    var met: Set<InstallationID> = []
    /// Records that are none.
    var damaged: UInt64 = 0
    /// Events of installations that were erased, which were not kept.
    private(set) var refused: [InstallationID: UInt64] = [:]

    /// Events of an erased installation came and were not kept.
    mutating func refuse(_ events: Int, of installation: InstallationID) {
        guard events > 0 else { return }
        let (sum, isOver) = refused[installation, default: 0].addingReportingOverflow(UInt64(events))
        // Whatever a record claims, the sum of a block stays a number that sums of blocks can be made of.
        refused[installation] = isOver ? .max : min(sum, UInt64(Int64.max))
    }
}

/// Sums of a block's events: how much of whom came, and between which places whose events lie.
struct ArrivalSums {
    /// What came of an installation.
    struct Count {
        var events: UInt64 = 0
        var repeats: UInt64 = 0
        var refused: UInt64 = 0
    }

    /// By what places are looked up, by the number that it has in a table.
    enum PlaceKind: UInt8 {
        /// All events of a block.
        case all = 0
        case installation = 1
        case user = 2
        case session = 3
    }

    /// Whose places they are.
    struct PlaceKey: Hashable {
        let kind: PlaceKind
        let whose: [UInt8]
        let installation: InstallationID?
    }

    /// Between which places, and from when to when.
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

    /// An event that had not arrived before.
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

    /// An event that had.
    mutating func addRepeat(_ event: BlockBuilder.Candidate) {
        counts[event.installation, default: Count()].repeats += 1
    }

    /// An event of an installation that was erased before.
    mutating func addRefused(_ event: BlockBuilder.Candidate) {
        counts[event.installation, default: Count()].refused += 1
    }

    /// What else came.
    mutating func add(_ arrivals: BlockArrivals) {
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
