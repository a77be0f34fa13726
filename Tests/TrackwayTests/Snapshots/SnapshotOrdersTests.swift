// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayBehavior
import TrackwayEvents

@testable import Trackway

@Suite("Snapshot orders")
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

    @Test("orders are taken in sequence, and orders that arrive later follow")
    func order() {
        var orders = SnapshotOrders()
        orders.append([.ask(.appState), .stopMotion])
        #expect(orders.take() == .ask(.appState))
        orders.append([.stopHeading])
        #expect(!orders.isEmpty)
        #expect(Self.taken(orders) == [.stopMotion, .stopHeading])
    }

    @Test("only the last of several save orders runs, and a single one runs too")
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

    @Test("forgetting drops orders to record or save, and keeps orders to ask or stop a source")
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
