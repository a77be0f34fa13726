// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayBehavior
package import TrackwayEvents

/// Keeps the times of queues' last uploads beyond the process and the boot. A lost time costs one upload too early, so
/// nothing need be flushed to disk and failures are ignored. Called from delivery's tasks and while the service is made.
package protocol QueueMemory: Sendable {
    /// When an upload of a queue was last asked for; nil when nobody knows.
    func recall(_ destination: DestinationID) -> DeviceTime?

    /// Keeps a time.
    func keep(_ lastUpload: DeviceTime, for destination: DestinationID)
}
