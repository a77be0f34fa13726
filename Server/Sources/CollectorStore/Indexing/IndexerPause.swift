// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How the indexer waits before it tries again. Tests count instead.
public protocol IndexerPause: Sendable {
    /// Returns when the next try may begin; at once when the task is cancelled.
    ///
    /// - Parameter afterFailures: how many tries have failed in a row, from 1.
    func wait(afterFailures: Int) async
}

/// Waits by the clock: a tenth of a second after the first failure, twice as long after each further one, at most 5 s.
public struct ClockPause: IndexerPause {
    /// The usual pauses.
    public init() {}

    public func wait(afterFailures: Int) async {
        let pause = Duration.milliseconds(100 << min(max(afterFailures - 1, 0), 6))
        do {
            try await Task.sleep(for: min(pause, .seconds(5)))
        } catch {
            // Cancelled: the indexer looks at that itself.
        }
    }
}
