// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior

/// Orders of the ``SnapshotMachine`` that have not been carried out yet, in order.
struct SnapshotOrders: Sendable {
    private var orders: [SnapshotMachine.Action] = []
    /// The number of orders that were already taken.
    ///
    /// Taken orders are removed once all orders are taken, because each removal would shift all orders that follow.
    private var taken = 0
    /// The number of pending orders to save.
    private var saves = 0

    /// Whether no order is pending.
    var isEmpty: Bool { orders.isEmpty }

    /// Adds orders after the pending ones.
    mutating func append(_ more: [SnapshotMachine.Action]) {
        orders += more
        saves += more.count { $0 == .save }
    }

    /// Takes the first order.
    ///
    /// A save stores the state at that time, so of several saves only the last is needed.
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

    /// Discards orders that would record or store something.
    ///
    /// Sources are still queried, started and stopped.
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
