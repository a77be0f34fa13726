// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Network
internal import Testing
internal import TrackwayDelivery
internal import TrackwayEvents
internal import TrackwayTesting

@testable import TrackwayPlatform

/// Tests with injected power and thermal states, which this Foundation does not have, and with the simulated network.
@Suite("Device conditions on Apple platforms", .serialized)
struct AppleConditionsTests {
    /// The reported conditions, in order.
    private final class Told: Sendable {
        private let conditions = Locked<[DeviceConditions]>([])

        var all: [DeviceConditions] { conditions.withLock { $0 } }

        func tell(_ told: DeviceConditions) { conditions.withLock { $0.append(told) } }

        /// Returns when the last reported conditions are these.
        func until(_ wanted: DeviceConditions) async throws {
            try await Deadline.wait(while: all.last != wanted)
        }
    }

    private static let powerChanged = NSNotification.Name("simulated.power")
    private static let heatChanged = NSNotification.Name("simulated.heat")

    @Test(
        "power, thermal state and network are reported together, initially and after each change",
        .timeLimit(.minutes(30))
    )
    func told() async throws {
        defer { SimulatedNetwork.current.simulate(.simulated(.wifi)) }
        SimulatedNetwork.current.simulate(.simulated(.wifi))
        let (savesPower, heat) = (Locked(false), Locked(DeviceConditions.ThermalState.nominal))
        let told = Told()
        var conditions: AppleConditions? = AppleConditions(
            of: AppleConditions.ProcessState(changes: [Self.powerChanged, Self.heatChanged]) {
                (savesPower.withLock { $0 }, heat.withLock { $0 })
            },
            report: { told.tell($0) }
        )
        var expected = DeviceConditions(
            savesPower: false,
            thermalState: .nominal,
            isConnected: true,
            isConstrained: false,
            isExpensive: false
        )
        try await told.until(expected)

        savesPower.withLock { $0 = true }
        NotificationCenter.default.post(name: Self.powerChanged, object: nil)
        expected.savesPower = true
        try await told.until(expected)

        heat.withLock { $0 = .critical }
        NotificationCenter.default.post(name: Self.heatChanged, object: nil)
        expected.thermalState = .critical
        try await told.until(expected)

        SimulatedNetwork.current.simulate(.simulated(.cellular, isConstrained: true))
        (expected.isConstrained, expected.isExpensive) = (true, true)
        try await told.until(expected)

        SimulatedNetwork.current.simulate(.simulated())
        (expected.isConnected, expected.isConstrained, expected.isExpensive) = (false, nil, nil)
        try await told.until(expected)
        #expect(zip(told.all, told.all.dropFirst()).allSatisfy { $0 != $1 }, "no conditions are repeated")

        let count = told.all.count
        #expect(conditions != nil)
        conditions = nil
        savesPower.withLock { $0 = false }
        NotificationCenter.default.post(name: Self.powerChanged, object: nil)
        #expect(told.all.count == count)
    }
}
