// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior

/// Orders of the ``SnapshotMachine`` that wait to be carried out, in their order.
struct SnapshotOrders: Sendable {
    private var orders: [SnapshotMachine.Action] = []
    /// How many of them were taken already. What was taken goes when all were: moving the others up each time would take
    /// longer the more there are.
    private var taken = 0
    /// How many orders to save wait.
    private var saves = 0

    /// True when none waits.
    var isEmpty: Bool { orders.isEmpty }

    /// Adds orders behind those that wait.
    mutating func append(_ more: [SnapshotMachine.Action]) {
        orders += more
        saves += more.count { $0 == .save }
    }

    /// Takes the first order. What is saved is what is known at that time, so of several orders to save the last will do.
    mutating func take() -> SnapshotMachine.Action? {
        while taken < orders.count {
            let order = orders[taken]
            taken += 1
            if taken == orders.count { (orders, taken) = ([], 0) }
            guard order == .save else { return order }
            saves -= 1
            if saves == 0 { return order }
        }
        return nil
    }

    /// Gives up whatever would be recorded or kept. Sources are asked, started and stopped all the same.
    mutating func forget() {
        let others = orders[taken...].filter { order in
            switch order {
            case .recordProperties, .recordState, .save: false
            case .ask, .startHeading, .stopHeading, .startMotion, .stopMotion, .reportSilent: true
            }
        }
        (orders, taken, saves) = (others, 0, 0)
    }
}
