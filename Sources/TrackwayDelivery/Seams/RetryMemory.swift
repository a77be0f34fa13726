// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Keeps retry states across restarts of the process. A lost state costs one early attempt, so nothing is flushed to disk
/// and failures are ignored.
package protocol RetryMemory: Sendable {
    /// What was kept for a destination in this boot.
    func recall(_ destination: DestinationID) -> RetryState?

    /// Keeps a state; nil forgets it.
    func keep(_ state: RetryState?, for destination: DestinationID)
}
