// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The limit on the number of events in the next batch.
///
/// It is the destination's limit, reduced after timeouts and refusals. A batch that times out is retried at half the
/// size, so that a slow network still makes progress. A batch that the back end considers too large sets a maximum that
/// is kept until the settings change; otherwise every batch would be refused at first.
package struct BatchWindow: Sendable, Equatable {
    /// The destination's limit.
    package let limit: Int
    /// The maximum size learned from refusals; at most `limit`.
    package private(set) var ceiling: Int
    /// The size of the next batch, in 1...ceiling.
    package private(set) var current: Int

    /// Creates a window that starts at the limit.
    package init(limit: Int) {
        self.limit = max(1, limit)
        ceiling = self.limit
        current = self.limit
    }

    /// Handles the timeout of a request with this many events.
    package mutating func requestTimedOut(events count: Int) {
        current = max(1, min(current, count / 2))
    }

    /// Handles the settlement of a request with this many events.
    package mutating func requestSucceeded(events count: Int) {
        guard count >= current else { return }
        current = min(ceiling, current + max(1, current / 2))
    }

    /// Handles a batch that was too large.
    ///
    /// - Parameter count: The size of the batch's largest accepted part.
    package mutating func lowerCeiling(to count: Int) {
        ceiling = max(1, min(ceiling, count))
        current = min(current, ceiling)
    }
}
