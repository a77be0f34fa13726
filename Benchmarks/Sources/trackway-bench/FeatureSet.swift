// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Trackway
import TrackwayCore
import TrackwayDestinations

/// The features that are enabled during recording.
enum FeatureSet: String, CaseIterable {
    /// None: only the events that the app records itself.
    case off
    /// The same with encryption at rest.
    case encrypted
    /// Standard capture only.
    case capture
    /// Everything: capture with crashes, a session, a screen, a signed-in user with attributes, consent categories
    /// and timers.
    case on
    /// The same with a closure that adds two attributes to every event.
    case dynamic
    /// Snapshots, with every event going into a named queue that has rules for count and age.
    case queue
    /// The same with a queue that drops repeats, so that each event is compared with the previous one.
    case deduplicated

    /// The route of events; all destinations if empty.
    var route: Route { isQueued ? [Self.queueID] : .all }

    private static let queueID: DestinationID = "queue"
    private var isQueued: Bool { self == .queue || self == .deduplicated }

    /// Parses a name; any other name means off.
    init(_ name: String?) {
        self = name.flatMap(FeatureSet.init(rawValue:)) ?? .off
    }

    /// Applies the features that are set in the configuration.
    func apply(to configuration: inout Configuration) throws {
        if self == .capture {
            configuration.capture = .standard
            return
        }
        guard self != .off, self != .encrypted else {
            configuration.capture = []
            if self == .encrypted { configuration.storage.encryption = .key(EncryptionKey(0..<32)) }
            return
        }
        guard !isQueued else {
            configuration.capture = []
            configuration.snapshots = SnapshotOptions()
            var policy = DeliveryPolicy()
            policy.queue = QueuePolicy(
                acceptSameEventAfter: self == .deduplicated ? .seconds(3600) : .zero,
                uploadWhenMoreThan: 32,
                uploadWhenOlderThan: .seconds(60)
            )
            configuration.destinations.append(
                .sift(accountID: nil, beaconKey: nil, id: Self.queueID).configured(delivery: policy)
            )
            return
        }
        configuration.capture = [.standard, .crashes]
        configuration.destinations[0].consentCategory = .marketing
    }

    /// Applies the features that are set by calls after the start.
    func apply(to analytics: Analytics) {
        guard self != .off, self != .capture, self != .encrypted, !isQueued else { return }
        analytics.identify("user-42")
        analytics.setUserAttributes(["_user_age": 21, "name": "carl", "plan": "gold", "city": "Berlin", "visits": 17])
        analytics.setGlobalAttributes(["channel": "App Store"])
        analytics.setConsent(.pending, category: .marketing, scope: .device)
        analytics.screen("Home", path: "home-1")
        for number in 0..<5 { _ = analytics.startTimer("timer-\(number)") }
        guard self == .dynamic else { return }
        analytics.setGlobalAttributesProvider { ["theme": "dark", "battery_low": false] }
    }
}
