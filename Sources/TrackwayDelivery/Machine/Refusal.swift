// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// One event that a destination will never take, and why.
package struct Refusal: Sendable, Hashable {
    /// The event's place in the batch that was read.
    package var index: Int
    /// The reason the ledger counts it under.
    package var reason: DropReason
    /// The back-end's own code.
    package var code: String
    /// A sentence for humans.
    package var message: String

    /// Makes a refusal.
    package init(index: Int, reason: DropReason, code: String, message: String) {
        self.index = index
        self.reason = reason
        self.code = code
        self.message = message
    }
}
