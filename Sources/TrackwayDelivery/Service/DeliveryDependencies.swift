// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayLifecycle

/// The dependencies shared by all workers.
struct DeliveryDependencies: Sendable {
    /// The executor for blocking file access.
    let executorContext: DeliveryExecutorContext
    let transport: any Transport
    /// Whether anything may be sent now, to any destination.
    ///
    /// Called before every request.
    let isPermitted: @Sendable () -> Bool
    let clock: any EventClock
    let sleeper: any DeliverySleeper
    let jitter: JitterSource
    let trigger: DeliveryTrigger
    /// Wakes maintenance after events were settled.
    let housekeeping: WakeSignal
    let retryStates: (any RetryStateStore)?
    let uploadTimes: (any UploadTimeStore)?
    /// The boot that the clock's monotonic time refers to.
    let boot: String
    /// Called on the delivery thread before each request.
    let beforeSending = Locked(BeforeSending())
    /// Whether new work is held back; see `DeliveryService.beginHold()`.
    let isHeld = Locked(false)
    /// The restriction that the device's state currently requires.
    let throttle = Locked(DeliveryThrottle.unrestricted)
    let report: @Sendable (DeliveryEvent) -> Void
    /// Called after every step with no lock held, to wake waiting callers.
    let onProgress: @Sendable () -> Void

    /// A struct that wraps the closure to avoid reabstraction thunks.
    ///
    /// A bare closure in a generic context is wrapped again at every access.
    struct BeforeSending: Sendable {
        var work: @Sendable (WriterID) -> Void = { _ in }
    }

    var now: MonotonicTime { clock.now().monotonic }
    var deviceTime: DeviceTime { DeviceTime(clock.now(), boot: boot) }
}

/// The executor on which delivery reads and writes the journal.
///
/// Its thread may block on disk access, unlike the threads shared by all tasks of the app.
///
/// Asynchronous functions stay on the executor that they were called on, so work performed on this executor resumes on
/// it after every suspension. Waiting for responses does not occupy the thread. Without an executor, as in tests,
/// everything runs where it was called.
struct DeliveryExecutorContext: Sendable {
    private let executorActor: ExecutorActor?

    /// - Parameter executor: A serial executor with its own thread; nil for none.
    init(on executor: (any SerialExecutor)?) {
        executorActor = executor.map { ExecutorActor($0) }
    }

    /// Performs work on the executor's thread and returns its result.
    func perform<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
        guard let executorActor else { return await work() }
        return await executorActor.perform(work)
    }

    private actor ExecutorActor {
        private nonisolated let executor: any SerialExecutor
        /// The number of calls begun on this actor.
        private var begun: UInt64 = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: any SerialExecutor) {
            self.executor = executor
        }

        func perform<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
            // Access actor state before the call. Otherwise the compiler omits the hop to the executor as unnecessary,
            // and `work` would begin on the caller's executor. `DeliveryExecutorTests` tests this.
            begun &+= 1
            return await work()
        }
    }
}

/// A thread-safe source of random numbers in 0..<1 from a given generator.
final class JitterSource: Sendable {
    private let generator: Locked<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Locked(generator)
    }

    func next() -> Double {
        // A double holds 53 bits.
        generator.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }
}

/// A deadline that a clock set back within the boot cannot postpone.
struct Deadline: Sendable, Equatable {
    /// The end of the wait, by the clock as last read.
    private(set) var time: MonotonicTime
    private var seen: MonotonicTime

    /// Creates a deadline after a duration; a negative duration counts as zero.
    init(after wait: Duration, at now: MonotonicTime) {
        time = now.advanced(by: max(.zero, wait))
        seen = now
    }

    /// Returns whether the deadline has passed.
    mutating func isOver(at now: MonotonicTime) -> Bool {
        if now < seen { time = time.advanced(by: seen.duration(to: now)) }
        seen = now
        return now >= time
    }
}
