// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The first line of a batch of our own format: who recorded the events, and which numbers they have.
///
/// Every field but the id may be missing: a simple client knows no sequence numbers.
package struct BatchHeader: Sendable, Hashable {
    /// The batch's id, the same when it is sent again.
    package var id: String
    /// The installed copy of the app.
    package var installation: InstallationID?
    /// The process that recorded the events.
    package var writer: WriterID?
    /// The sequence numbers the batch covers, gaps included.
    package var sequences: ClosedRange<UInt64>?
    /// The writer's highest sequence number known when the batch was made.
    package var recorded: UInt64?
    /// When the batch was sent, by the device's clock.
    package var sent: Timestamp?
    /// What sent it, such as `trackway/0.1.0`.
    package var sdk: String?
    /// Numbers whose events the device gave up, with the reason; they may lie before the batch.
    package var dropped: [DroppedRange] = []
    /// Numbers addressed to other destinations only.
    package var skipped: [ClosedRange<UInt64>] = []

    /// A header with an id alone.
    package init(id: String) {
        self.id = id
    }
}
