// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import BackgroundTasks
import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayTesting
import UIKit

/// An app that registers background tasks to send pending events.
///
/// The tasks belong to the app; the SDK only acts on the app's calls in them.
@MainActor
@Suite(.serialized)
struct HostTaskTests {
    private static let identifier = "com.example.shop.refresh"
    private let scheduler = BGTaskScheduler.shared
    private let phone = SimulatedPhone.new()

    init() {
        scheduler.simulateProcess(permitting: [Self.identifier])
        phone.launch(.background)
    }

    /// The launch handler from the documentation of `Analytics.flushInBackground(timeout:)`.
    private func register(_ analytics: Analytics) {
        scheduler.register(forTaskWithIdentifier: Self.identifier, using: nil) { task in
            let work = Task {
                let report = await analytics.flushInBackground(timeout: .seconds(20))
                task.setTaskCompleted(success: report.isComplete)
            }
            task.expirationHandler = { work.cancel() }
        }
    }

    /// Puts the app in the background with pending events.
    private func suspended(_ memory: InMemoryAnalytics) async {
        memory.analytics.lifecycleChanged(to: .willResignActive)
        memory.analytics.lifecycleChanged(to: .didEnterBackground)
        await memory.analytics.lifecycle.dispatcher.waitUntilSettled()
    }

    @Test func theSDKRegistersAndSubmitsNothing() throws {
        scheduler.simulateProcess(permitting: [Self.identifier, "trackway", "trackway.flush"])
        let memory = try InMemoryAnalytics()
        memory.analytics.record("a")
        #expect(scheduler.simulatedRegistrations.isEmpty)
        #expect(scheduler.simulatedRequests.isEmpty)
    }

    @Test(arguments: [false, true])
    func pendingEventsAreSentAndTheTaskCompletesOnce(isProcessing: Bool) async throws {
        let memory = try InMemoryAnalytics()
        register(memory.analytics)
        memory.transport.always(.status(503))
        memory.analytics.record("a")
        memory.analytics.record("b")
        await suspended(memory)
        memory.transport.always(.accept)
        memory.clock.advance(by: .seconds(3600))
        try scheduler.submit(
            isProcessing
                ? BGProcessingTaskRequest(identifier: Self.identifier)
                : BGAppRefreshTaskRequest(identifier: Self.identifier)
        )
        let task = try #require(scheduler.simulateLaunch(Self.identifier))
        #expect((task is BGProcessingTask) == isProcessing)
        await task.simulatedCompletion()
        #expect(task.simulatedCompletions == [true])
        #expect(memory.transport.delivered.map(\.event.name) == ["a", "b"])
        // An expiration after the completion changes nothing.
        task.simulateExpiration()
        #expect(task.simulatedCompletions == [true])
        #expect(scheduler.simulatedRequests.isEmpty)
        #expect(scheduler.simulateLaunch(Self.identifier) == nil)
    }

    @Test func anExpiredTaskStopsKeepsItsEventsAndCompletesOnce() async throws {
        let memory = try InMemoryAnalytics()
        register(memory.analytics)
        memory.analytics.record("a")
        memory.transport.hold()
        try scheduler.submit(BGAppRefreshTaskRequest(identifier: Self.identifier))
        let task = try #require(scheduler.simulateLaunch(Self.identifier))
        await memory.transport.untilRequested(1)
        task.simulateExpiration()
        await task.simulatedCompletion()
        #expect(task.simulatedCompletions == [false])
        #expect(task.expirationHandler == nil)
        #expect(memory.analytics.ledger().destinations.values.map(\.pending) == [1])

        // The next task delivers the event, once.
        memory.transport.release()
        memory.clock.advance(by: .seconds(3600))
        try scheduler.submit(BGAppRefreshTaskRequest(identifier: Self.identifier))
        let next = try #require(scheduler.simulateLaunch(Self.identifier))
        await next.simulatedCompletion()
        #expect(next.simulatedCompletions == [true])
        #expect(memory.transport.delivered.map(\.event.name) == ["a"])
        #expect(memory.analytics.ledger().destinations.values.map(\.pending) == [0])
    }

    @Test func aTaskWithoutAHandlerIsCompletedByTheSystem() throws {
        scheduler.register(forTaskWithIdentifier: Self.identifier, using: nil) { _ in }
        try scheduler.submit(BGProcessingTaskRequest(identifier: Self.identifier))
        let task = try #require(scheduler.simulateLaunch(Self.identifier))
        task.simulateExpiration()
        #expect(task.simulatedCompletions == [false])
    }

    @Test func identifiersMissingFromThePropertyListAreRejected() {
        #expect(!scheduler.register(forTaskWithIdentifier: "other", using: nil) { _ in })
        #expect(throws: BGTaskScheduler.Error(.notPermitted)) {
            try scheduler.submit(BGAppRefreshTaskRequest(identifier: "other"))
        }
    }
}
