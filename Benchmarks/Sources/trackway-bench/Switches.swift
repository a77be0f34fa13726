// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Trackway
import TrackwayEvents

/// What runs beside recording.
enum Switches: String, CaseIterable {
    /// Nothing: only what the app records itself.
    case off
    /// Everything: capture with crashes, a session, a screen, a signed-in user with attributes, categories of consent, timers.
    case on
    /// The same, and a closure that gives every event two attributes more.
    case dynamic

    /// Reads a word; anything else is off.
    init(_ word: String?) {
        self = word.flatMap(Switches.init(rawValue:)) ?? .off
    }

    /// What is chosen before.
    func prepare(_ configuration: inout Configuration) throws {
        guard self != .off else {
            configuration.capture = .none
            return
        }
        configuration.capture = [.standard, .crashes]
        configuration.consentCategories = ["collector": .marketing]
    }

    /// What the app does once.
    func switchOn(_ analytics: Analytics) {
        guard self != .off else { return }
        analytics.identify("user-42")
        analytics.setUserAttributes(["_user_age": 21, "name": "carl", "plan": "gold", "city": "Berlin", "visits": 17])
        analytics.setGlobalAttributes(["channel": "App Store"])
        analytics.setConsent(.pending, for: .marketing, by: .device)
        analytics.screen("Home", id: "home-1")
        for number in 0..<5 { _ = analytics.startTimer("timer-\(number)") }
        guard self == .dynamic else { return }
        analytics.setDynamicGlobalAttributes { ["theme": "dark", "battery_low": false] }
    }
}
