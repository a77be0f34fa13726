// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Delays the indexer's next attempt after a failure.
///
/// An implementation for tests counts the waits instead of delaying.
public protocol IndexerPause: Sendable {
    /// Waits until the next attempt may begin; returns immediately on cancellation.
    ///
    /// - Parameter afterFailures: The number of consecutive failures, from 1.
    func wait(afterFailures: Int) async

    /// Waits for a duration; returns immediately on cancellation.
    func wait(for duration: Duration) async
}

/// Waits for a delay that doubles with each failure.
///
/// The delay is a tenth of a second after the first failure and at most 5 s.
public struct ClockPause: IndexerPause {
    /// Creates a pause with the default delays.
    public init() {}

    public func wait(afterFailures: Int) async {
        await wait(for: min(.milliseconds(100 << min(max(afterFailures - 1, 0), 6)), .seconds(5)))
    }

    public func wait(for duration: Duration) async {
        do {
            try await Task.sleep(for: duration)
        } catch {
            // The indexer itself checks for cancellation.
        }
    }
}
