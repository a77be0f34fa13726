// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which timer is meant.
package enum TimerReference: Sendable, Hashable {
    /// The one that was started last under this name.
    case name(String)
    /// The one that this start made.
    case id(EventID)
}
