// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore
internal import TrackwayTesting

/// A clock that advances when all tasks are waiting.
///
/// Tasks that prefer this executor run one after the other on the thread that drains it, in the order in which they
/// became ready, so that equal seeds give equal runs.
@available(macOS 15, *)
final class VirtualTime: TaskExecutor {
    private struct Timer: Sendable {
        let due: MonotonicTime
        let number: UInt64
        let action: @Sendable () -> Void
    }

    private struct State: Sendable {
        var jobs: [UnownedJob] = []
        /// The pending timers; the next one to fire is last.
        var timers: [Timer] = []
        var number: UInt64 = 0
        var sleepers: [UInt64: CheckedContinuation<Void, Never>] = [:]
        /// Sleepers that were woken before they slept.
        var woken: Set<UInt64> = []
    }

    let clock = ManualClock()
    private let state = Locked(State())

    var now: MonotonicTime { clock.now().monotonic }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs an action after a delay.
    func after(_ duration: Duration, _ action: @escaping @Sendable () -> Void) {
        let due = now.advanced(by: max(.zero, duration))
        state.withLock { state in
            state.number += 1
            let timer = Timer(due: due, number: state.number, action: action)
            // Of two timers with the same time, the one added first runs first.
            var (low, high) = (0, state.timers.count)
            while low < high {
                let middle = (low + high) / 2
                if state.timers[middle].due > due { low = middle + 1 } else { high = middle }
            }
            state.timers.insert(timer, at: low)
        }
    }

    /// Sleeps; ends early if the task is canceled.
    func sleep(_ duration: Duration) async {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.woken.remove(number) != nil { return true }
                    state.sleepers[number] = continuation
                    return false
                }
                if isOver { return continuation.resume() }
                after(duration) { [weak self] in self?.wake(number, isTimeout: true) }
            }
        } onCancel: {
            wake(number, isTimeout: false)
        }
    }

    private func wake(_ number: UInt64, isTimeout: Bool) {
        let sleeper = state.withLock { state in
            if let sleeper = state.sleepers.removeValue(forKey: number) { return Optional(sleeper) }
            if !isTimeout { state.woken.insert(number) }
            return nil
        }
        sleeper?.resume()
    }

    /// Runs a body and everything it starts, until the body ends.
    ///
    /// - Returns: The body's result; nil if it waits for an event that never occurs, or exceeds the limit.
    func run<Answer: Sendable>(within limit: Duration, _ body: @escaping @Sendable () async -> Answer) -> Answer? {
        let answer = Locked<Answer?>(nil)
        let end = now.advanced(by: limit)
        Task(executorPreference: self) {
            let found = await body()
            answer.withLock { $0 = found }
        }
        while answer.withLock({ $0 == nil }) {
            let jobs = state.withLock { state in
                defer { state.jobs.removeAll() }
                return state.jobs
            }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
            guard jobs.isEmpty else { continue }
            guard let timer = state.withLock({ $0.timers.popLast() }), timer.due <= end else { return nil }
            clock.advance(by: now.duration(to: timer.due))
            timer.action()
        }
        return answer.withLock { $0 }
    }
}
