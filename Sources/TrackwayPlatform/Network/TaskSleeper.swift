// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Sleeps with the runtime's own timer. The one place in the SDK where time really passes on its behalf.
package struct TaskSleeper: Sendable {
    /// Makes a sleeper.
    package init() {}

    /// Suspends the calling task; other tasks go on.
    ///
    /// - Parameter duration: How long; time asleep with the device counts.
    /// - Throws: `CancellationError` as soon as the task is cancelled.
    package func sleep(for duration: Duration) async throws(CancellationError) {
        guard duration > .zero else { return }
        do {
            try await Task.sleep(for: duration, clock: .continuous)
        } catch {
            // Sleeping fails for no other reason.
            throw CancellationError()
        }
    }
}
