// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import Trackway
import TrackwayCore
import TrackwayDelivery
import TrackwayDestinationKit
import TrackwayTesting

@testable import Trackway

@Suite("Delivery under device conditions")
struct DeviceConditionsTests {
    /// Analytics on a device whose conditions the test sets.
    private final class Device: Sendable {
        let environment = InMemoryEnvironment()
        let analytics: Analytics
        private let report: @Sendable (DeviceConditions) -> Void

        init(_ adapt: (inout Configuration) -> Void = { _ in }) throws {
            var configuration = InMemoryAnalytics.usualConfiguration
            adapt(&configuration)
            var dependencies = try environment.dependencies(for: configuration)
            let listener = Locked<(@Sendable (DeviceConditions) -> Void)?>(nil)
            dependencies.observeConditions = { report in
                listener.withLock { $0 = report }
                return nil
            }
            analytics = try Analytics(configuration, in: dependencies)
            report = { conditions in listener.withLock { $0 }?(conditions) }
        }

        func update(_ conditions: DeviceConditions) { report(conditions) }

        func record(_ count: Int) {
            for _ in 0..<count { analytics.record("event") }
        }

        var part: FlushReport.Part? {
            get async { await analytics.flush().destinations["collector"] }
        }

        /// The result of the SDK's own flush, as when the user leaves the app.
        var own: FlushReport.Part? {
            get async {
                await analytics.delivery.control.waitUntilSettled()
                return await analytics.delivery.service.flush(timeout: .seconds(5), isRequestedByApp: false)
                    .destinations[
                        "collector"
                    ]
            }
        }

        /// Waits until `count` events have arrived, without a flush by the app.
        func waitUntilDelivered(_ count: Int) async throws {
            try await Deadline.wait(while: environment.transport.delivered.count < count) {
                environment.clock.advanceToNextSleeper()
            }
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `held events are sent once when the condition ends`() async throws {
        for conditions in [DeviceConditions(thermalState: .critical), DeviceConditions(isConnected: false)] {
            let device = try Device()
            device.update(conditions)
            device.record(100)
            let part = await device.own
            #expect(part?.pending == 100)
            #expect(part?.pendingReason?.hasPrefix("Events are pending because") == true)
            #expect(device.environment.transport.requests.isEmpty)
            device.update(DeviceConditions(thermalState: .nominal, isConnected: true))
            try await device.waitUntilDelivered(100)
            #expect(device.analytics.ledger().isBalanced)
            #expect(device.environment.transport.delivered.count == 100)
            await device.analytics.shutdown()
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a flush by the app sends even while the device is very hot or saves power`() async throws {
        for conditions in [DeviceConditions(thermalState: .critical), DeviceConditions(isInLowPowerMode: true)] {
            let device = try Device()
            device.update(conditions)
            device.record(100)
            #expect(await device.part?.pending == 0)
            #expect(device.environment.transport.delivered.count == 100)
            await device.analytics.shutdown()
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `in low-data mode, a flush returns the reason that events are pending, and they are sent afterward`()
        async throws
    {
        let device = try Device()
        device.update(DeviceConditions(isConnected: true, isConstrained: true))
        device.record(40)
        let part = await device.part
        #expect(part?.pending == 40)
        #expect(part?.pendingReason?.contains("low-data mode") == true)
        #expect(device.environment.transport.requests.isEmpty)
        device.update(DeviceConditions(isConnected: true, isConstrained: false))
        #expect(await device.part?.pending == 0)
        #expect(device.environment.transport.delivered.count == 40)
        await device.analytics.shutdown()
    }

    @Test
    func `low-data mode does not hold events if the app allows such networks or has its own transport`() async throws {
        let own = ScriptedTransport()
        let adaptations: [@Sendable (inout Configuration) -> Void] = [
            { $0.delivery.allowsConstrainedNetworks = true }, { $0.delivery.transport = own },
        ]
        for adapt in adaptations {
            let device = try Device(adapt)
            device.update(DeviceConditions(isConnected: true, isConstrained: true))
            device.record(5)
            #expect(await device.part?.pending == 0)
            await device.analytics.shutdown()
        }
    }

    @Test(.timeLimit(.minutes(30)))
    func `a suspension while the device is very hot sends nothing and still completes`() async throws {
        let device = try Device()
        device.update(DeviceConditions(thermalState: .critical))
        device.record(7)
        #expect(await device.own?.pending == 7)
        device.analytics.delivery.control.change { $0.suspend(within: .seconds(5)) }
        await device.analytics.delivery.control.waitUntilIdle()
        #expect(device.environment.transport.requests.isEmpty)
        device.analytics.delivery.control.change { $0.resume() }
        device.update(DeviceConditions(thermalState: .fair))
        try await device.waitUntilDelivered(7)
        await device.analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a shutdown by the app sends events even while uploads are held`() async throws {
        let device = try Device()
        device.update(DeviceConditions(thermalState: .critical))
        device.record(7)
        #expect(await device.own?.pending == 7)
        await device.analytics.shutdown()
        #expect(device.environment.transport.delivered.count == 7)
    }

    @Test(.timeLimit(.minutes(30)))
    func `if the SDK is paused while the device saves power, nothing is sent until both have ended`() async throws {
        let device = try Device()
        device.analytics.pause()
        device.update(DeviceConditions(isInLowPowerMode: true))
        device.record(40)
        #expect(await device.part?.pending == 40)
        device.update(DeviceConditions(isInLowPowerMode: false))
        #expect(await device.part?.pending == 40)
        device.analytics.resume()
        #expect(await device.part?.pending == 0)
        #expect(device.environment.transport.delivered.count == 40)
        await device.analytics.shutdown()
    }

    @Test(.timeLimit(.minutes(30)))
    func `a destination added while uploads are held is held too`() async throws {
        let device = try Device()
        device.update(DeviceConditions(isConstrained: true))
        try device.analytics.addDestination(
            DestinationConfiguration(CollectorDestination(id: "second", url: "https://second.example", writeKey: "key"))
        )
        device.record(3)
        let report = await device.analytics.flush()
        #expect(report.destinations["second"]?.pending == 3)
        #expect(report.destinations["second"]?.pendingReason?.contains("low-data mode") == true)
        device.update(DeviceConditions())
        #expect(await device.analytics.flush().isComplete)
        await device.analytics.shutdown()
    }
}
