// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import SwiftUI
import Testing
import Trackway
import TrackwayCore
import TrackwaySwiftUI
import TrackwayTesting
import UIKit

@testable import FirstHour

/// The sample app of Documentation/AppleApps.md in the simulated iPhone.
@MainActor
@Suite(.serialized)
struct FirstHourTests {
    private func memory(_ consent: Consent) throws -> InMemoryAnalytics {
        SimulatedPhone.new().launch()
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.capture = [.screens]
        configuration.privacy.consent = consent
        return try InMemoryAnalytics(configuration)
    }

    private func screens(_ memory: InMemoryAnalytics) -> [String] {
        memory.events(named: CapturedName.screenView).compactMap { $0.event.attributes[CapturedKey.screenName]?.string }
    }

    @Test(arguments: [("Allow", Consent.granted), ("Don't allow", .denied)])
    func consentIsRequestedOnce(answer: String, decision: Consent) throws {
        let memory = try memory(.pending)
        let screen = SimulatedScreen(FirstPage().analytics(memory.analytics))
        screen.appear()
        #expect(screen.tap(answer))
        #expect(memory.analytics.consent == decision)
        #expect(!screen.texts.contains("May we collect data about how you use the shop?"))
        screen.disappear()
        screen.appear()
        #expect(!screen.tap(answer))
    }

    @Test func itRecordsScreensAndAPurchase() throws {
        let memory = try memory(.granted)
        let screen = SimulatedScreen(FirstPage().analytics(memory.analytics))
        screen.appear()
        #expect(screen.tap("Buy"))
        #expect(screen.tap("Shoes"))
        #expect(screens(memory) == ["Products", "Product"])
        #expect(memory.events(named: "purchase").map { $0.context["screen"]?["name"]?.string } == ["Products"])
    }
}
