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

    /// Starts the app on a new phone, with storage of its own.
    private func start(_ environment: [String: String]) throws -> (analytics: Analytics, folder: URL) {
        SimulatedPhone.new().launch()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("first-hour-\(UUID())")
        setenv("XDG_STATE_HOME", folder.path, 1)
        defer { unsetenv("XDG_STATE_HOME") }
        let analytics = FirstHourApp.start(environment)
        #expect(FileManager.default.fileExists(atPath: folder.path))
        return (analytics, folder)
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

    @Test func aTestRunSendsTaggedEventsOnlyToItsCollector() async throws {
        // No server listens on this port.
        let (analytics, folder) = try start(["TRACKWAY_URL": "http://127.0.0.1:1", "TRACKWAY_RUN": "run-1"])
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(analytics.consent == .granted)
        #expect(Set(analytics.ledger().destinations.keys) == ["collector"])
        #expect(analytics.globalAttributes["_run"] == "run-1")
        let recorded = analytics.ledger().recorded
        let screen = SimulatedScreen(FirstPage().analytics(analytics))
        screen.appear()
        #expect(!screen.tap("Allow"))
        #expect(screen.tap("Buy"))
        #expect(analytics.ledger().recorded > recorded)
        // A request was sent, so address and write key are valid.
        let part = await analytics.flush(timeout: .seconds(2)).destinations["collector"]
        #expect(part?.pendingReason?.contains("refused") == true, "\(String(describing: part))")
        await analytics.shutdown(timeout: .zero)
    }

    @Test(arguments: [[:], ["TRACKWAY_URL": ""], ["TRACKWAY_RUN": "run-1"]])
    func anAppOfTheStoreAsksAndSendsNothingBefore(_ environment: [String: String]) async throws {
        let (analytics, folder) = try start(environment)
        defer { try? FileManager.default.removeItem(at: folder) }
        #expect(analytics.consent == .pending)
        #expect(Set(analytics.ledger().destinations.keys) == ["collector", "clickstream"])
        #expect(analytics.globalAttributes["_run"]?.string == environment["TRACKWAY_RUN"])
        let screen = SimulatedScreen(FirstPage().analytics(analytics))
        screen.appear()
        #expect(screen.tap("Buy"))
        let report = await analytics.flush(timeout: .seconds(1))
        #expect(report.destinations.values.allSatisfy { $0.delivered == 0 && $0.pending > 0 && $0.lastVerdict == nil })
        #expect(screen.tap("Don't allow"))
        #expect(analytics.consent == .denied)
        await analytics.shutdown(timeout: .zero)
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
