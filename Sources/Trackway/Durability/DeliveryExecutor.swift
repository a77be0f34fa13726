// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch

/// The one thread on which delivery reads and writes the journal, so that a slow disk holds up nothing else: not the
/// cooperative pool, whose threads the host app's own tasks need, nor flushes that somebody waits for.
package final class DeliveryExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "trackway.delivery", qos: .utility)

    /// Makes a thread; it exists while it has work.
    package init() {}

    package func enqueue(_ job: UnownedJob) {
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
