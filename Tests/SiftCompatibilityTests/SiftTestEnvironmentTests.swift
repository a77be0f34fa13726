// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import SiftCompatibility
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

// Uses only the imports of an app's own tests.
@Suite("Testing an app that uses the Sift module")
struct SiftTestEnvironmentTests {
    @Test
    func `a test provides the clock, network and disk, and events use its clock`() async throws {
        let environment = InMemoryEnvironment()
        let sift = Sift(rootDirPath: nil) { $0.run(in: environment) }
        sift.accountId = "acct_1"
        sift.beaconKey = "beacon123"
        environment.clock.advance(by: .seconds(5))
        let event = SiftEvent(type: "checkout")
        #expect(sift.append(event))
        #expect(event.time == UInt64(environment.clock.now().wall.milliseconds))
        let earlierEvent = SiftEvent(type: "earlier")
        earlierEvent.time = 7
        #expect(sift.append(earlierEvent))
        await environment.transport.untilRequested(1)
        #expect(environment.recorded.map(\.event.name).contains("checkout"))
        #expect(environment.recorded.contains { $0.event.time.milliseconds == 7 })
        #expect(!sift.append(SiftEvent(type: "x"), toQueue: "unknown"))
        #expect(environment.diagnostics.contains { $0.field == "queue" })
        // The next process reads this one's state.
        let next = Sift(rootDirPath: nil) { $0.run(in: environment.nextProcess()) }
        #expect(next.accountId == "acct_1")
    }

    @Test
    func `a simulated device runs the app's lifecycle`() async throws {
        // Where the app stores its instance.
        let launchedSift = Locked<Sift?>(nil)
        let device = SimulatedDevice { onDevice in
            let sift = Sift(rootDirPath: nil) { onDevice(&$0) }
            launchedSift.withLock { $0 = sift }
            return sift.analytics
        }
        device.sensors.appState.batteryLevel = 0.5
        try await device.launch()
        let sift = try #require(launchedSift.withLock { $0 })
        sift.accountId = "acct_1"
        sift.beaconKey = "beacon123"
        #expect(sift.append(SiftEvent(type: "checkout")))
        try await device.goHome()
        try await device.open()
        device.wait(.seconds(121))
        #expect(device.events(named: "_app_state").count >= 2)
        #expect(device.events(named: "checkout").count == 1)
        try device.kill()
        try await device.launch()
        let next = try #require(launchedSift.withLock { $0 })
        #expect(next !== sift)
        #expect(next.accountId == "acct_1")
    }
}
