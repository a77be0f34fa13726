// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayDelivery

/// A clock that stands still until a test moves it.
///
/// A sleeping task wakes when the clock passes its time. Thread-safe.
public final class ManualClock: EventClock {
    private struct Sleeper: Sendable {
        var until: MonotonicTime
        var wake: CheckedContinuation<Void, Never>
    }

    private struct State: Sendable {
        var now: DualTimestamp
        var sleepers: [UInt64: Sleeper] = [:]
        var lastNumber: UInt64 = 0
        var cancelled: Set<UInt64> = []
        var watchers: [(count: Int, report: CheckedContinuation<Void, Never>)] = []
    }

    private let state: Locked<State>

    /// Creates a clock that shows the given time.
    ///
    /// The default is 2023-11-14T22:13:20Z, 1,000 seconds after boot.
    public init(
        wall: Timestamp = Timestamp(milliseconds: 1_700_000_000_000),
        monotonic: MonotonicTime = MonotonicTime(milliseconds: 1_000_000)
    ) {
        state = Locked(State(now: DualTimestamp(wall: wall, monotonic: monotonic)))
    }

    /// Returns the time that the clock shows.
    public func now() -> DualTimestamp {
        state.withLock { $0.now }
    }

    /// Advances both times, and wakes the sleepers that are due.
    public func advance(by duration: Duration) {
        let due = state.withLock { state -> [Sleeper] in
            state.now = state.now.advanced(by: max(.zero, duration))
            return Self.takeDue(&state)
        }
        for sleeper in due { sleeper.wake.resume() }
    }

    /// Moves only the wall clock, forward or back.
    ///
    /// This simulates a change by the user or a time server.
    public func jumpWall(by duration: Duration) {
        state.withLock { $0.now.wall = $0.now.wall.advanced(by: duration) }
    }

    /// Advances to the wake time of the next sleeper.
    ///
    /// Returns false if nothing is sleeping.
    @discardableResult
    public func advanceToNextSleeper() -> Bool {
        let due = state.withLock { state -> [Sleeper] in
            guard let next = state.sleepers.values.map(\.until).min() else { return [] }
            let step = max(.zero, state.now.monotonic.duration(to: next))
            state.now = state.now.advanced(by: step)
            return Self.takeDue(&state)
        }
        for sleeper in due { sleeper.wake.resume() }
        return !due.isEmpty
    }

    /// The number of current sleepers.
    public var sleepers: Int {
        state.withLock { $0.sleepers.count }
    }

    /// The wake time of the next sleeper; nil if nothing is sleeping.
    public var nextWake: MonotonicTime? {
        state.withLock { $0.sleepers.values.map(\.until).min() }
    }

    /// Returns when there are at least this many sleepers.
    public func untilSleeping(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReached = state.withLock { state in
                if state.sleepers.count >= count { return true }
                state.watchers.append((count, continuation))
                return false
            }
            if isReached { continuation.resume() }
        }
    }

    /// Waits until the clock shows the time.
    ///
    /// Returns early if the task is canceled.
    func sleep(until time: MonotonicTime) async {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let (passes, ready) = state.withLock { state -> (Bool, [CheckedContinuation<Void, Never>]) in
                    if state.cancelled.remove(number) != nil || state.now.monotonic >= time { return (true, []) }
                    state.sleepers[number] = Sleeper(until: time, wake: continuation)
                    let count = state.sleepers.count
                    let ready = state.watchers.filter { $0.count <= count }.map(\.report)
                    state.watchers.removeAll { $0.count <= count }
                    return (false, ready)
                }
                if passes { continuation.resume() }
                for continuation in ready { continuation.resume() }
            }
        } onCancel: {
            let sleeper = state.withLock { state -> Sleeper? in
                if let sleeper = state.sleepers.removeValue(forKey: number) { return sleeper }
                state.cancelled.insert(number)
                return nil
            }
            sleeper?.wake.resume()
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    private static func takeDue(_ state: inout State) -> [Sleeper] {
        let due = state.sleepers.filter { $0.value.until <= state.now.monotonic }
        for number in due.keys { state.sleepers[number] = nil }
        // Wake the sleepers in the order of their times, as a real clock does.
        return due.sorted { ($0.value.until, $0.key) < ($1.value.until, $1.key) }.map(\.value)
    }
}

/// Sleeps according to a ``ManualClock``, which a test advances.
public struct ManualSleeper: Sendable {
    private let clock: ManualClock

    /// Creates a sleeper that uses this clock.
    public init(_ clock: ManualClock) {
        self.clock = clock
    }

    /// Waits until the clock shows the time.
    ///
    /// Returns early if the task is canceled.
    public func sleep(until time: MonotonicTime) async {
        await clock.sleep(until: time)
    }
}

extension ManualSleeper: DeliverySleeper {}
