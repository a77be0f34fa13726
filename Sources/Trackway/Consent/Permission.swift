// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents

/// What people's decisions and the collection policy mean now, for this installation's destinations.
struct Permission: Sendable, Hashable {
    /// What counts for the person here, at the destination where it agreed to most. Denied: nothing is recorded at all.
    let consent: Consent
    /// Whether anybody's events may leave for any destination, those of people who left before included.
    let maySend: Bool
    /// The destinations that events may be recorded for; nil when those are all.
    let destinations: [DestinationID]?
    /// What may be collected apart from that.
    let policy: CollectionPolicy

    init(_ settings: Settings, _ categories: [DestinationID: ConsentCategory]) {
        let decided = categories.values.map { settings.consent.consent(for: $0) }
        consent = decided.contains(.granted) ? .granted : decided.contains(.pending) ? .pending : .denied
        maySend = Set(categories.values).contains { settings.consent.maySend($0) }
        let permitted = categories.filter { settings.consent.mayRecord($0.value) }
        destinations = permitted.count == categories.count ? nil : permitted.keys.sorted()
        policy = settings.policy
    }

    /// The bits of the gate that make recording ask.
    var bits: RecordingGate.State {
        var bits: RecordingGate.State = []
        if destinations != nil { bits.insert(.leavesOut) }
        if policy.blocksAnything { bits.insert(.blocksEvents) }
        return bits
    }

    /// Whom an event may be recorded for; nil when there is nobody left.
    ///
    /// - Parameter route: whom it is meant for; everybody when empty.
    func narrowed(_ route: [DestinationID]) -> [DestinationID]? {
        guard let destinations else { return route }
        let narrowed = route.isEmpty ? destinations : route.filter { destinations.contains($0) }
        return narrowed.isEmpty ? nil : narrowed
    }
}
