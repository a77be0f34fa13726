// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayWire

extension Configuration {
    /// The category of each destination.
    var categories: [DestinationID: ConsentCategory] {
        // The configuration was checked: ids are unique.
        Dictionary(destinations.map { ($0.id, consentCategories[$0.id] ?? .analytics) }) { first, _ in first }
    }
}

extension ConsentRules {
    /// How the app wants consent handled.
    init(_ configuration: Configuration) {
        self.init(
            initial: configuration.consent,
            denial: configuration.consentOnDenial == .purge ? .purge : .keep,
            anonymous: configuration.anonymousData == .joinsUser ? .joinsUser : .staysApart
        )
    }
}
