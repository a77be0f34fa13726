// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Events of one writer that a destination has yet to settle, leased until then.
package struct JournalBatch: Sendable {
    /// The destination they are for.
    package let destination: DestinationID
    /// The events and what lies between them.
    package let events: EventBatch

    /// The lease's number.
    let lease: UInt64
    /// Where each record ends.
    let ends: [LogPosition]
    /// Where reading goes on when everything is settled.
    let end: LogPosition
    /// Losses found in the batch's own stretch of the log, as opposed to earlier ones that were not reported yet.
    let found: [DroppedRange]
}
