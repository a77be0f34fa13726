// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
internal import TrackwayEvents
internal import TrackwayWire

/// What every worker works with.
struct DeliveryEquipment: Sendable {
    /// Where files are waited for.
    let place: DeliveryPlace
    let transport: any Transport
    /// Whether anything may be sent now, for whatever destination; asked before every request.
    let isPermitted: @Sendable () -> Bool
    let clock: any EventClock
    let sleeper: any DeliverySleeper
    let jitter: JitterSource
    let trigger: DeliveryTrigger
    /// Wakes the maintenance after events were settled.
    let housekeeping: WakeSignal
    let memory: (any RetryMemory)?
    let queues: (any QueueMemory)?
    /// The boot that the clock's monotonic time belongs to.
    let boot: String
    /// Called on delivery's thread before each request.
    let beforeSending = Locked(BeforeSending())
    /// True while nothing new is begun; see `DeliveryService.hold()`.
    let isHeld = Locked(false)
    /// What the device's state asks for now.
    let restraint = Locked(Restraint.none)
    let report: @Sendable (DeliveryNotice) -> Void
    /// Called after every step, outside any lock: somebody may wait for it.
    let progressed: @Sendable () -> Void

    /// The closure stands in a struct: a bare one in a generic place is wrapped once more with every access.
    struct BeforeSending: Sendable {
        var work: @Sendable (WriterID) -> Void = { _ in }
    }

    var now: MonotonicTime { clock.now().monotonic }
    var deviceTime: DeviceTime { DeviceTime(clock.now(), boot: boot) }
}

/// Where delivery reads and writes the journal: on a thread that may wait for a disk, never on those that all tasks of the
/// app share.
///
/// Everything asynchronous stays where it was called, so what is performed here comes back here after every wait; requests
/// wait elsewhere. Without a thread of its own, as in tests, everything runs where it was called.
struct DeliveryPlace: Sendable {
    private let room: Room?

    /// - Parameter executor: the thread, one piece of work after the other; nil for none.
    init(on executor: (any SerialExecutor)?) {
        room = executor.map { Room($0) }
    }

    /// Does something on the thread, and returns when it is done.
    func perform<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
        guard let room else { return await work() }
        return await room.perform(work)
    }

    private actor Room {
        private nonisolated let executor: any SerialExecutor
        /// How much was begun here.
        private var begun: UInt64 = 0

        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        init(_ executor: any SerialExecutor) {
            self.executor = executor
        }

        func perform<Value: Sendable>(_ work: @Sendable () async -> Value) async -> Value {
            // Touched before anything is called: the compiler takes a hop to the thread for idle when nothing here needs it, and
            // then what is called would begin where this was called from. `DeliveryPlaceTests` looks.
            begun &+= 1
            return await work()
        }
    }
}

/// Draws numbers in 0..<1 from the generator that was handed in. Any thread.
final class JitterSource: Sendable {
    private let generator: Locked<any RandomNumberGenerator & Sendable>

    init(_ generator: any RandomNumberGenerator & Sendable) {
        self.generator = Locked(generator)
    }

    func next() -> Double {
        // 53 bits are what a double holds.
        generator.withLock { Double($0.next() >> 11) * 0x1p-53 }
    }
}

/// The end of a wait, which a clock that goes back within the boot does not put off.
struct Deadline: Sendable, Hashable {
    /// When the wait ends, by the clock as it was seen last.
    private(set) var time: MonotonicTime
    private var seen: MonotonicTime

    /// A wait of a time; none when it is negative.
    init(after wait: Duration, at now: MonotonicTime) {
        time = now.advanced(by: max(.zero, wait))
        seen = now
    }

    /// Whether the wait is over.
    mutating func isOver(at now: MonotonicTime) -> Bool {
        if now < seen { time = time.advanced(by: seen.duration(to: now)) }
        seen = now
        return now >= time
    }
}
