// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Dispatch
internal import TrackwayCore

/// Runs tasks, and reports when all of them wait for external events.
///
/// Wait until the tasks are idle before you move a ``ManualClock``. Otherwise, a task delayed by a busy machine would
/// see a later time than the one at which it became ready to run. The count includes the tasks that a task adds to its
/// groups, and the actors that use ``thread``. It excludes tasks of `Task.init`, and work on Dispatch queues.
///
/// Thread-safe. On systems without task executors (before macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2), tasks are
/// not counted.
package final class IdleDetector: Sendable {
    private struct State: Sendable {
        /// The number of jobs that run or are ready to run.
        var jobs = 0
        /// The number of jobs since the beginning.
        var allJobs: UInt64 = 0
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let queue = DispatchQueue(label: "trackway.testing.tasks", attributes: .concurrent)

    /// Creates a detector without tasks.
    package init() {}

    /// Starts a counted task.
    @discardableResult
    package func task<Value: Sendable>(_ body: @escaping @Sendable () async -> Value) -> Task<Value, Never> {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return Task { await body() } }
        return Task(executorPreference: Executor(self, queue), operation: body)
    }

    /// Returns a thread for an actor; the actor's jobs are counted, too.
    package func thread() -> any SerialExecutor {
        Thread(self)
    }

    /// Returns when no task is running or ready to run.
    package func waitUntilIdle() async {
        guard #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) else { return }
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.jobs > 0 { state.watchers.append(continuation) }
                return state.jobs == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// The number of jobs so far.
    ///
    /// If it has not changed, no task has run in the meantime.
    package var jobs: UInt64 { state.withLock { $0.allJobs } }

    private func add() {
        state.withLock { state in
            state.jobs += 1
            state.allJobs += 1
        }
    }

    private func end() {
        let watchers = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.jobs -= 1
            guard state.jobs == 0 else { return [] }
            defer { state.watchers = [] }
            return state.watchers
        }
        for watcher in watchers { watcher.resume() }
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class Executor: TaskExecutor {
        private let detector: IdleDetector
        private let queue: DispatchQueue

        init(_ detector: IdleDetector, _ queue: DispatchQueue) {
            (self.detector, self.queue) = (detector, queue)
        }

        func enqueue(_ job: UnownedJob) {
            detector.add()
            queue.async {
                job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.detector.end()
            }
        }
    }

    private final class Thread: SerialExecutor {
        private let detector: IdleDetector
        private let queue = DispatchQueue(label: "trackway.testing.thread")

        init(_ detector: IdleDetector) {
            self.detector = detector
        }

        func enqueue(_ job: UnownedJob) {
            detector.add()
            queue.async {
                job.runSynchronously(on: self.asUnownedSerialExecutor())
                self.detector.end()
            }
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }
}
