// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Trackway
import TrackwayEvents

/// What runs beside recording.
enum Switches: String, CaseIterable {
    /// Nothing: only what the app records itself.
    case off
    /// The same, and everything in the folder encrypted.
    case encrypted
    /// Standard capture, and nothing else.
    case capture
    /// Everything: capture with crashes, a session, a screen, a signed-in user with attributes, categories of consent, timers.
    case on
    /// The same, and a closure that gives every event two attributes more.
    case dynamic
    /// Snapshots, and every event into a named queue with a rule about its number and its age.
    case queue
    /// The same, and the queue does not take repeats, so that each event is compared with the one before it.
    case unrepeated

    /// Where events go; everywhere when empty.
    var route: Route { isQueued ? [Self.queueID] : .all }

    private static let queueID: DestinationID = "queue"
    private var isQueued: Bool { self == .queue || self == .unrepeated }

    /// Reads a word; anything else is off.
    init(_ word: String?) {
        self = word.flatMap(Switches.init(rawValue:)) ?? .off
    }

    /// What is chosen before.
    func prepare(_ configuration: inout Configuration) throws {
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
                acceptSameEventAfter: self == .unrepeated ? .seconds(3600) : .zero,
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

    /// What the app does once.
    func switchOn(_ analytics: Analytics) {
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
