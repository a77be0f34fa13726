// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// How many events the next batch may hold: what the destination allows, less what experience taught.
///
/// A batch that times out is asked again at half the size, so that a slow network still gets through. A batch the back-end
/// calls too large teaches a bound that stays until the settings change, so that not every batch is refused once first.
package struct BatchWindow: Sendable, Hashable {
    /// What the destination allows.
    package let limit: Int
    /// The bound taught by refusals; at most `limit`.
    package private(set) var ceiling: Int
    /// The size of the next batch, 1...ceiling.
    package private(set) var current: Int

    /// Starts at the limit.
    package init(limit: Int) {
        self.limit = max(1, limit)
        ceiling = self.limit
        current = self.limit
    }

    /// A request with this many events did not get through in time.
    package mutating func timedOut(at count: Int) {
        current = max(1, min(current, count / 2))
    }

    /// A request with this many events was settled.
    package mutating func passed(at count: Int) {
        guard count >= current else { return }
        current = min(ceiling, current + max(1, current / 2))
    }

    /// A batch was too large as a whole, and this was the largest part of it that passed.
    package mutating func learned(fits count: Int) {
        ceiling = max(1, min(ceiling, count))
        current = min(current, ceiling)
    }
}
