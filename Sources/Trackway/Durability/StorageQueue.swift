// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch

/// The one thread on which the SDK waits for storage.
///
/// Flushing a disk can take seconds. It happens here, never on a caller's thread and never on the cooperative pool,
/// whose threads the host app's own tasks need. The queue is serial and has a thread of its own when it has work.
package final class StorageQueue: Sendable {
    private let queue: DispatchQueue

    /// Makes a queue; `label` shows in debuggers.
    ///
    /// - Parameter isUrgent: whether the app waits for what is done on it.
    package init(label: String, isUrgent: Bool = false) {
        queue = DispatchQueue(label: label, qos: isUrgent ? .userInitiated : .utility)
    }

    /// Runs `work` after everything ordered before, without waiting for it.
    package func order(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Blocks the calling thread until everything ordered before has run, or for so long.
    package func wait(atMost limit: Duration) {
        let isOver = DispatchSemaphore(value: 0)
        queue.async { isOver.signal() }
        let (seconds, attoseconds) = limit.components
        _ = isOver.wait(timeout: .now() + .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
    }

    /// Runs `work` after everything ordered before and waits for its value without blocking a thread.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}

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
