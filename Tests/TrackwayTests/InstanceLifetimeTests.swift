// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@Suite("Lifetime of an instance")
struct InstanceLifetimeTests {
    @Test
    func `shutdown sends pending events and can be repeated, and later events are kept and reported`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("waiting")
        await memory.analytics.shutdown()
        #expect(memory.transport.delivered.map(\.event.name) == ["waiting"])
        await memory.analytics.shutdown()
        let receipt = memory.analytics.record("late")
        #expect(receipt.durability == .kernel)
        #expect(memory.diagnostics.map(\.code) == [.recordedAfterShutdown])
        let report = await memory.analytics.flush()
        #expect(report.destinations["collector"]?.pending == 1)
        let next = try InMemoryAnalytics(storage: memory.storageAfterKill())
        let second = await next.analytics.flush()
        #expect(second.isComplete)
        #expect(next.transport.delivered.map(\.event.name) == ["late"])
    }

    @Test
    func `concurrent shutdowns act as one shutdown`() async throws {
        let memory = try InMemoryAnalytics()
        memory.analytics.record("waiting")
        let analytics = memory.analytics
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 { group.addTask { await analytics.shutdown() } }
        }
        #expect(memory.transport.delivered.count == 1)
    }

    @Test
    func `releasing an instance without a shutdown stops sending and lets the next instance deliver`() async throws {
        let clock = ManualClock()
        let disk = FaultyStorage(MemoryStorage(remembersRemoved: true))
        weak var releasedAnalytics: Analytics?
        do {
            let memory = try InMemoryAnalytics(storage: disk, clock: clock)
            memory.analytics.record("delivered")
            _ = await memory.analytics.flush()
            memory.analytics.record("waiting")
            releasedAnalytics = memory.analytics
        }
        #expect(releasedAnalytics == nil)
        let next = try InMemoryAnalytics(storage: disk, clock: clock)
        let flush = Task { await next.analytics.flush() }
        // The former instance releases its lock on its own task. The next one retries the election every two seconds.
        try await Deadline.wait(while: next.transport.delivered.isEmpty) { clock.advanceToNextSleeper() }
        _ = await flush.value
        #expect(next.transport.delivered.map(\.event.name) == ["waiting"])
        #expect(next.analytics.ledger().recorded == 2)
        #expect(next.analytics.ledger().isBalanced)
    }

    @Test
    func `instances with separate folders are independent`() async throws {
        let disk = FaultyStorage()
        let one = try InMemoryAnalytics(storage: disk, folder: "/one")
        let two = try InMemoryAnalytics(storage: disk, folder: "/two")
        one.analytics.identify("ann")
        one.analytics.record("in_one")
        two.analytics.record("in_two")
        _ = await one.analytics.flush()
        _ = await two.analytics.flush()
        #expect(one.transport.delivered.map(\.event.name) == ["_profile_set", "in_one"])
        #expect(two.transport.delivered.map(\.event.name) == ["in_two"])
        #expect(two.transport.delivered.map(\.user) == [nil])
        #expect(one.analytics.installationID != two.analytics.installationID)
    }

    @Test
    func `two instances with one folder are two writers of one installation, and one of them delivers for both`()
        async throws
    {
        let clock = ManualClock()
        let one = try InMemoryAnalytics(clock: clock)
        one.analytics.record("from_one")
        _ = await one.analytics.flush()
        let two = try InMemoryAnalytics(storage: one.storage, clock: clock)
        two.analytics.record("from_two")
        #expect(one.analytics.installationID == two.analytics.installationID)
        _ = await one.analytics.flush()
        #expect(one.transport.delivered.map(\.event.name) == ["from_one", "from_two"])
        let ledger = two.analytics.ledger()
        #expect(ledger.recorded == 2)
        #expect(ledger.destinations["collector"]?.delivered == 2)
    }

    @Test
    func `new credentials resume a parked destination`() async throws {
        let memory = try InMemoryAnalytics()
        memory.transport.always(.status(401, code: "unknown_key"))
        memory.analytics.record("waiting")
        let report = await memory.analytics.flush()
        #expect(report.destinations["collector"]?.lastVerdict?.label == "unauthorized")
        #expect(report.destinations["collector"]?.pending == 1)
        #expect(memory.diagnostics.map(\.code) == [.destinationParked])
        memory.transport.always(.accept)
        try memory.analytics.replaceDestination(
            DestinationConfiguration(CollectorDestination(url: "http://collector.test", writeKey: "new"))
        )
        let second = await memory.analytics.flush()
        #expect(second.isComplete)
        #expect(memory.transport.requests.last?.headers["authorization"] == "Bearer new")
        let error = #expect(throws: TrackwayError.self) {
            try memory.analytics.replaceDestination(
                DestinationConfiguration(CollectorDestination(id: "other", url: "http://other.test", writeKey: "x"))
            )
        }
        #expect(error?.code == .unknownDestination)
    }

    /// An invalid configuration.
    struct Mistake: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var code: TrackwayError.Code
        var change: @Sendable (inout Configuration) -> Void
    }

    static let mistakes: [Mistake] = [
        Mistake(testDescription: "no app id", code: .invalidAppID) { $0.appID = "" },
        Mistake(testDescription: "an app id that is too long", code: .invalidAppID) {
            $0.appID = String(repeating: "x", count: 300)
        },
        Mistake(testDescription: "no destination", code: .noDestinations) { $0.destinations = [] },
        Mistake(testDescription: "a duplicate id", code: .duplicateDestination) {
            $0.destinations.append(
                DestinationConfiguration(CollectorDestination(url: "http://second.test", writeKey: "x"))
            )
        },
        Mistake(testDescription: "too little storage space", code: .invalidLimit) { $0.storage.maximumBytes = 1_000 },
        Mistake(testDescription: "a maximum age of zero", code: .invalidLimit) { $0.storage.maximumAge = .zero },
    ]

    @Test(arguments: mistakes)
    func `an invalid configuration throws an error with a message and a suggestion`(_ mistake: Mistake) {
        var configuration = InMemoryAnalytics.usualConfiguration
        mistake.change(&configuration)
        let error = #expect(throws: TrackwayError.self) { try InMemoryAnalytics(configuration) }
        #expect(error?.code == mistake.code)
        #expect(error?.message.hasSuffix(".") == true && error?.recoverySuggestion?.hasSuffix(".") == true)
    }

    @Test
    func `events recorded on a real disk are found by the next instance`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "trackway-\(WriterID.fresh())")
        // If this fails, the system clears its temporary folder.
        defer { try? FileManager.default.removeItem(at: folder) }
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.storage.folder = folder
        configuration.delivery.transport = ScriptedTransport()
        configuration.privacy.consent = .pending
        configuration.lifecycle.isObserved = false
        let installation: InstallationID
        do {
            let analytics = try Analytics(configuration)
            installation = analytics.installationID
            analytics.identify("ann")
            #expect(analytics.record("kept").durability == .kernel)
        }
        let analytics = try Analytics(configuration)
        #expect(analytics.installationID == installation)
        #expect(analytics.ledger().destinations["collector"]?.pending == 2)
        analytics.record("second")
        let recorded = try RecordedEvents.read(in: folder.path)
        #expect(recorded.map(\.name) == ["_profile_set", "kept", "second"])
        #expect(recorded.allSatisfy { $0.user == "ann" })
        #expect(recorded.first?.context["device"]?["platform"] != nil)
        #expect(recorded.first?.context["app"]?["id"] == .string("test"))
    }

    @Test
    func `a storage folder below a file is rejected, and the error names the file`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "trackway-\(WriterID.fresh())")
        try Data("a file".utf8).write(to: file)
        // If this fails, the system clears its temporary folder.
        defer { try? FileManager.default.removeItem(at: file) }
        var configuration = InMemoryAnalytics.usualConfiguration
        configuration.storage.folder = file.appending(path: "below")
        let error = #expect(throws: TrackwayError.self) { try Analytics(configuration) }
        #expect(error?.code == .storageUnavailable)
        #expect(error?.message.contains("is a file") == true)
    }
}
