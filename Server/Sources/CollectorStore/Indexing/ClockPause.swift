// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Waits by the clock: a tenth of a second after the first failure, twice as long after each further one, at most 5 s.
package struct ClockPause: IndexerPause {
    /// The usual pauses.
    package init() {}

    package func wait(afterFailures: Int) async {
        let pause = Duration.milliseconds(100 << min(max(afterFailures - 1, 0), 6))
        do {
            try await Task.sleep(for: min(pause, .seconds(5)))
        } catch {
            // Cancelled: the indexer looks at that itself.
        }
    }
}
