// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A batch on loan from the journal.
package struct LeasedBatch: Sendable {
    /// The events.
    package var events: EventBatch
    /// What the journal knows the loan by.
    package var lease: any Sendable

    /// Makes a batch.
    package init(events: EventBatch, lease: any Sendable) {
        self.events = events
        self.lease = lease
    }
}
