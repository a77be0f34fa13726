// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayWire

/// The dependencies shared by all workers.
struct DeliveryDependencies: Sendable {
    /// The executor that waits for files.
    let place: DeliveryExecutorContext
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
    let memory: (any RetryMemory)?
    let queues: (any QueueMemory)?
    /// The boot that the clock's monotonic time refers to.
    let boot: String
    /// Called on the delivery thread before each request.
    let beforeSending = Locked(BeforeSending())
    /// Whether new work is held back; see `DeliveryService.hold()`.
    let isHeld = Locked(false)
    /// The current restriction by the device's state.
    let restraint = Locked(DeliveryThrottle.none)
    let report: @Sendable (DeliveryEvent) -> Void
    /// Called after every step with no lock held.
    ///
    /// Callers may be waiting for it.
    let progressed: @Sendable () -> Void

    /// Boxes the closure in a struct to avoid reabstraction thunks.
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
/// Asynchronous functions stay on the executor they were called on, so work performed here resumes here after every
/// suspension. Requests wait elsewhere. Without an executor, as in tests, everything runs where it was called.
struct DeliveryExecutorContext: Sendable {
    private let room: Room?

    /// - Parameter executor: A serial executor with its own thread; nil for none.
    init(on executor: (any SerialExecutor)?) {
        room = executor.map { Room($0) }
    }

    /// Performs work on the thread and returns when it is done.
    func perform<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
        guard let room else { return await work() }
        return await room.perform(work)
    }

    private actor Room {
        private nonisolated let executor: any SerialExecutor
        /// The number of calls begun here.
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

/// Returns random numbers in 0..<1 from the given generator, on any thread.
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

/// A deadline, not postponed if the clock goes back within the boot.
struct Deadline: Sendable, Hashable {
    /// The end of the wait, by the clock as last read.
    private(set) var time: MonotonicTime
    private var seen: MonotonicTime

    /// Creates a deadline after this time; immediately if negative.
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
