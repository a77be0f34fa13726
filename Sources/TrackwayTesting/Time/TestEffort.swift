// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation

/// How much a test does: little in each run of the tests, everything where `TRACKWAY_FULL` is 1 (`make test-all`).
package enum TestEffort {
    /// Whether tests do everything.
    package static let isFull = ProcessInfo.processInfo.environment["TRACKWAY_FULL"] == "1"

    /// A number of rounds, seeds or events: `full` where tests do everything, `quick` otherwise.
    package static func count(_ quick: Int, full: Int) -> Int {
        isFull ? full : quick
    }
}
