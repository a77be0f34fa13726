// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import Foundation
internal import Network
internal import Testing
internal import TrackwayCore
internal import TrackwayDelivery
internal import TrackwayTesting

@testable import TrackwayPlatform

/// Tests with injected power and thermal states, which this Foundation does not have, and with the simulated network.
@Suite("Device conditions on Apple platforms", .serialized)
struct AppleConditionsTests {
    /// The reported conditions, in order.
    private final class ReportedConditions: Sendable {
        private let conditions = Locked<[DeviceConditions]>([])

        var all: [DeviceConditions] { conditions.withLock { $0 } }

        func append(_ reported: DeviceConditions) { conditions.withLock { $0.append(reported) } }

        /// Returns when the last reported conditions are these.
        func wait(for wanted: DeviceConditions) async throws {
            try await Deadline.wait(while: all.last != wanted)
        }
    }

    private static let powerChanged = NSNotification.Name("simulated.power")
    private static let heatChanged = NSNotification.Name("simulated.heat")

    @Test(.timeLimit(.minutes(30)))
    func `power, thermal state and network are reported together, initially and after each change`() async throws {
        defer { SimulatedNetwork.current.simulate(.simulated(.wifi)) }
        SimulatedNetwork.current.simulate(.simulated(.wifi))
        let (isInLowPowerMode, heat) = (Locked(false), Locked(DeviceConditions.ThermalState.nominal))
        let reported = ReportedConditions()
        var conditions: AppleConditions? = AppleConditions(
            of: AppleConditions.ProcessState(changes: [Self.powerChanged, Self.heatChanged]) {
                (isInLowPowerMode.withLock { $0 }, heat.withLock { $0 })
            },
            report: { reported.append($0) }
        )
        var expected = DeviceConditions(
            isInLowPowerMode: false,
            thermalState: .nominal,
            isConnected: true,
            isConstrained: false,
            isExpensive: false
        )
        try await reported.wait(for: expected)

        isInLowPowerMode.withLock { $0 = true }
        NotificationCenter.default.post(name: Self.powerChanged, object: nil)
        expected.isInLowPowerMode = true
        try await reported.wait(for: expected)

        heat.withLock { $0 = .critical }
        NotificationCenter.default.post(name: Self.heatChanged, object: nil)
        expected.thermalState = .critical
        try await reported.wait(for: expected)

        SimulatedNetwork.current.simulate(.simulated(.cellular, isConstrained: true))
        (expected.isConstrained, expected.isExpensive) = (true, true)
        try await reported.wait(for: expected)

        SimulatedNetwork.current.simulate(.simulated())
        (expected.isConnected, expected.isConstrained, expected.isExpensive) = (false, nil, nil)
        try await reported.wait(for: expected)
        #expect(zip(reported.all, reported.all.dropFirst()).allSatisfy { $0 != $1 }, "no conditions are repeated")

        let count = reported.all.count
        #expect(conditions != nil)
        conditions = nil
        isInLowPowerMode.withLock { $0 = false }
        NotificationCenter.default.post(name: Self.powerChanged, object: nil)
        #expect(reported.all.count == count)
    }
}
