// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// The amount of work that tests do.
///
/// Tests do a reduced amount by default, and the full amount if `TRACKWAY_FULL` is 1 (`make test-all`).
package enum TestScale {
    /// Whether tests do the full amount of work.
    package static let isFull = ProcessInfo.processInfo.environment["TRACKWAY_FULL"] == "1"

    /// Returns a number of rounds, seeds, or events.
    ///
    /// The number is `full` if tests do the full amount of work, and `quick` otherwise.
    package static func count(_ quick: Int, full: Int) -> Int {
        isFull ? full : quick
    }
}
