// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

extension DeliveryService {
    /// Delivers what can be delivered in time, of a queue what was released, then ends: `run` returns, another process may
    /// deliver.
    ///
    /// A request under way at the deadline is cancelled; its events stay, and are known by their ids if they come twice.
    ///
    /// - Parameter timeout: The longest wait for the final flush and for the end of `run`.
    /// - Returns: What the final flush achieved.
    @discardableResult
    package func shutdown(timeout: Duration) async -> FlushReport {
        let deadline = Deadline(after: timeout, at: equipment.now)
        let report = await flush(timeout: timeout, forcesQueues: false)
        await leave(for: .ending, by: deadline)
        return report
    }

    /// Lets go of the election and of every file lock, because the system is about to freeze the process. Nothing is sent
    /// until `resume`.
    ///
    /// - Parameter timeout: How long a request under way may take to end before it is cancelled.
    package func suspend(timeout: Duration) async {
        await leave(for: .suspended, by: Deadline(after: timeout, at: equipment.now))
    }

    /// Delivers again after `suspend`.
    package func resume() {
        release()
        state.withLock { state in
            if state.phase == .suspended { state.phase = .running }
        }
        attention.signal()
    }

    private func leave(for phase: Phase, by deadline: Deadline) async {
        var deadline = deadline
        state.withLock { state in
            if state.phase != .ending { state.phase = phase }
        }
        stopWorkers()
        changed.signal()
        attention.signal()
        let (key, signal) = beginObserving()
        while isAtWork(phase), !deadline.isOver(at: equipment.now) {
            await equipment.sleeper.sleep(until: deadline.time, or: signal)
        }
        if isAtWork(phase) {
            abort.signal()
            // What is under way ends at once now: transports answer to cancellation. One that does not is not waited for.
            var grace = Deadline(after: .seconds(1), at: equipment.now)
            while isAtWork(phase), !grace.isOver(at: equipment.now), !Task.isCancelled {
                await equipment.sleeper.sleep(until: grace.time, or: signal)
            }
        }
        endObserving(key)
    }

    private func isAtWork(_ phase: Phase) -> Bool {
        state.withLock { phase == .ending ? $0.isAtWork : $0.isElected }
    }
}
