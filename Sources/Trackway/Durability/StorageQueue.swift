// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch

/// The only thread on which the SDK waits for storage.
///
/// Flushing a disk can take seconds. Flushes happen here, never on a caller's thread and never on the cooperative
/// thread pool, which the host app's own tasks need. The queue is serial and uses its own thread while it has work.
package final class StorageQueue: Sendable {
    private let queue: DispatchQueue

    /// Creates a queue; `label` is shown in debuggers.
    ///
    /// - Parameter isUrgent: Whether the app waits for work on this queue.
    package init(label: String, isUrgent: Bool = false) {
        queue = DispatchQueue(label: label, qos: isUrgent ? .userInitiated : .utility)
    }

    /// Schedules `work` after all earlier work, without waiting for it.
    package func enqueue(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }

    /// Blocks the calling thread until all earlier work has run.
    ///
    /// The call blocks for at most `limit`.
    package func wait(atMost limit: Duration) {
        let isOver = DispatchSemaphore(value: 0)
        queue.async { isOver.signal() }
        let (seconds, attoseconds) = limit.components
        _ = isOver.wait(timeout: .now() + .nanoseconds(Int(seconds * 1_000_000_000 + attoseconds / 1_000_000_000)))
    }

    /// Runs `work` after all earlier work, and returns its value.
    ///
    /// The caller's thread is not blocked.
    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume(returning: work()) }
        }
    }
}

/// The only thread on which delivery reads and writes the journal.
///
/// A slow disk therefore delays nothing else: neither the cooperative thread pool, which the host app's own tasks need,
/// nor flushes that a caller waits for.
package final class DeliveryExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "trackway.delivery", qos: .utility)

    /// Creates an executor.
    ///
    /// The executor's thread exists only while there is work.
    package init() {}

    package func enqueue(_ job: UnownedJob) {
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }
}
