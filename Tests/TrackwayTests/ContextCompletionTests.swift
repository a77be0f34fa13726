// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Dispatch
import Testing
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@testable import Trackway

/// Device facts are read while the app starts, and every event contains them.
@Suite("Slow device facts")
struct ContextCompletionTests {
    private let environment = InMemoryEnvironment(device: [:])
    private let readings = Locked(0)

    /// Analytics that read the device facts once `gate` opens, or immediately if it is nil.
    private func make(behind gate: DispatchSemaphore? = nil, capture: CaptureOptions = []) throws -> Analytics {
        var configuration = Configuration(
            appID: "test",
            destinations: [
                DestinationConfiguration(
                    CollectorDestination(id: "collector", url: "https://collector.example", writeKey: "key")
                )
            ],
            consent: .granted
        )
        configuration.capture = capture
        configuration.run(in: environment)
        var dependencies = try environment.dependencies(for: configuration)
        dependencies.readDeviceFacts = { [readings] in
            gate?.wait()
            gate?.signal()
            readings.withLock { $0 += 1 }
            return ["platform": "Slow"]
        }
        return try Analytics(configuration, in: dependencies)
    }

    private var platforms: [String?] { Self.platforms(environment) }

    private static func platforms(_ environment: InMemoryEnvironment) -> [String?] {
        environment.recorded.map { $0.context["device"]?["platform"]?.string }
    }

    @Test
    func `the initializer does not wait for device facts, but the first event does`() async throws {
        let gate = DispatchSemaphore(value: 0)
        let analytics = try make(behind: gate)
        #expect(readings.withLock { $0 } == 0)
        #expect(analytics.delivery.control.gate.state.contains(.contextIncomplete))
        gate.signal()
        #expect(analytics.record("first").durability == .kernel)
        #expect(readings.withLock { $0 } == 1)
        #expect(analytics.delivery.control.gate.state == .isOpen)
        analytics.record("second")
        // The state that the next process would find if this one were killed now.
        let next = environment.nextProcess()
        _ = try next.dependencies(for: Configuration(appID: "test", destinations: [], consent: .granted))
        #expect(next.recorded.map(\.event.name) == ["first", "second"])
        #expect(Self.platforms(next) == ["Slow", "Slow"])
    }

    @Test
    func `device facts are read once, no matter how many threads record at the start`() throws {
        let gate = DispatchSemaphore(value: 0)
        let analytics = try make(behind: gate)
        let begun = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            begun.wait()
            gate.signal()
        }
        DispatchQueue.concurrentPerform(iterations: 8) { number in
            if number == 0 { begun.signal() }
            for _ in 0..<20 { analytics.record("event") }
        }
        #expect(readings.withLock { $0 } == 1)
        #expect(platforms == Array(repeating: "Slow", count: 160))
    }

    @Test
    func `device facts are read even without an event, and captured events contain them`() async throws {
        let analytics = try make(capture: .standard)
        try await Deadline.wait(while: analytics.delivery.control.gate.state.contains(.contextIncomplete))
        #expect(readings.withLock { $0 } == 1)
        analytics.record("event")
        #expect(environment.recorded.count > 1)
        #expect(platforms.allSatisfy { $0 == "Slow" })
        #expect(analytics.recordedContext.device["platform"]?.string == "Slow")
    }

    @Test
    func `a context change made before the device facts are read is kept, and so are the facts`() throws {
        let analytics = try make()
        analytics.setGlobalAttributes(["channel": "shop"])
        analytics.record("event")
        #expect(platforms == ["Slow"])
        #expect(environment.recorded.map { $0.context["global"]?["channel"]?.string } == ["shop"])
    }
}
