// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A batch that passed admission, ready to be committed.
package struct AdmittedBatch: Sendable {
    /// How many events are accepted.
    package var accepted: Int
    /// The events that are not, in order.
    package var rejected: [RejectedEvent]
    /// The installation that the batch names as its sender.
    package var sender: InstallationID?
    /// What the intake log keeps: an ``IntakeRecord``'s bytes.
    package var record: [UInt8]
    /// Bytes of the inflated body.
    package var inflatedBytes: Int
}
