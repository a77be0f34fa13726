// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Waits for a time. Handed in, so that tests can let hours pass at once.
package protocol DeliverySleeper: Sendable {
    /// Returns at a time, or earlier when the task is cancelled. May return late, never more than a little early.
    func sleep(until time: MonotonicTime) async
}
