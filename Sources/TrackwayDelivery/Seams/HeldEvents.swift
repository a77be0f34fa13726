// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// What was found held for a destination when its events were read last.
package enum HeldEvents: Sendable, Hashable {
    /// Nothing.
    case none
    /// Events of another writer.
    case others
    /// The next event of this process's own writer, so nothing it records now can leave either.
    case own
}
