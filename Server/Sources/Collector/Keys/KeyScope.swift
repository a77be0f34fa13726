// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What a key allows. A key that writes cannot read unless it was made for both.
package enum KeyScope: String, Sendable, Hashable, CaseIterable {
    /// Sending events.
    case write
    /// Reading events, the ledger and metrics.
    case read
}
