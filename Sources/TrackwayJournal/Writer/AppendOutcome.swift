// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What became of an event handed to the journal.
package enum AppendOutcome: Sendable, Hashable {
    /// It is in the log: it survives the death of the process.
    case kept(UInt64)
    /// The storage refuses at the moment: it waits in memory and goes to the log as soon as that works again.
    case held(UInt64)
    /// It could not be kept; the ledger counts it under the reason.
    case dropped(UInt64, DropReason)
    /// The journal is closed; nothing was counted.
    case closed

    /// The event's sequence number; nil when the journal is closed.
    package var sequence: UInt64? {
        switch self {
        case .kept(let sequence), .held(let sequence), .dropped(let sequence, _): sequence
        case .closed: nil
        }
    }
}
