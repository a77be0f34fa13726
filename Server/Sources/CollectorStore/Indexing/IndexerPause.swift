// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Decides how long the indexer waits before a retry.
///
/// Tests count the waits instead.
public protocol IndexerPause: Sendable {
    /// Returns when the next try may begin, or immediately if the task is canceled.
    ///
    /// - Parameter afterFailures: The number of consecutive failures, from 1.
    func wait(afterFailures: Int) async
}

/// Waits for a delay that doubles with each failure.
///
/// The delay is a tenth of a second after the first failure and at most 5 s.
public struct ClockPause: IndexerPause {
    /// Creates the default delays.
    public init() {}

    public func wait(afterFailures: Int) async {
        let pause = Duration.milliseconds(100 << min(max(afterFailures - 1, 0), 6))
        do {
            try await Task.sleep(for: min(pause, .seconds(5)))
        } catch {
            // Canceled: the indexer checks for that.
        }
    }
}
