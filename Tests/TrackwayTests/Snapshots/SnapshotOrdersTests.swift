// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@testable import Trackway

@Suite("Orders of snapshots")
struct SnapshotOrdersTests {
    private static let time = DeviceTime(
        wall: Timestamp(milliseconds: 1),
        monotonic: MonotonicTime(milliseconds: 1),
        boot: "a"
    )

    private static func taken(_ orders: SnapshotOrders) -> [SnapshotMachine.Action] {
        var orders = orders
        var taken: [SnapshotMachine.Action] = []
        while let order = orders.take() { taken.append(order) }
        #expect(orders.isEmpty)
        return taken
    }

    @Test("They are taken in their order, those that come meanwhile behind them")
    func order() {
        var orders = SnapshotOrders()
        orders.append([.ask(.appState), .stopMotion])
        #expect(orders.take() == .ask(.appState))
        orders.append([.stopHeading])
        #expect(!orders.isEmpty)
        #expect(Self.taken(orders) == [.stopMotion, .stopHeading])
    }

    @Test("Of several orders to save the last is carried out, and one alone is")
    func saves() {
        var orders = SnapshotOrders()
        orders.append([.save, .ask(.appState), .save])
        orders.append([.ask(.location), .save, .stopMotion])
        #expect(Self.taken(orders) == [.ask(.appState), .ask(.location), .save, .stopMotion])
        orders = SnapshotOrders()
        orders.append([.save])
        #expect(orders.take() == .save)
        orders.append([.save])
        #expect(Self.taken(orders) == [.save])
    }

    @Test("Forgetting gives up what would be recorded or kept; who was to be asked or stopped, is")
    func forgetting() {
        var orders = SnapshotOrders()
        orders.append([
            .stopHeading, .recordProperties(["device_model": "phone"], at: Self.time), .save,
            .recordState(AppStateSnapshot(), at: Self.time, .request), .ask(.appState), .stopMotion,
        ])
        #expect(orders.take() == .stopHeading)
        orders.forget()
        #expect(Self.taken(orders) == [.ask(.appState), .stopMotion])
        orders.append([.save])
        #expect(Self.taken(orders) == [.ask(.appState), .stopMotion, .save])
    }
}
