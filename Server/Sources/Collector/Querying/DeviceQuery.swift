// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Which devices a reader wants, those heard of last first.
package struct DeviceQuery: Sendable, Hashable {
    /// Those behind this place, for the next page.
    package var after: TimedPlace?
    /// The most devices in one answer.
    package var limit: Int

    /// A query for all devices.
    package init(after: TimedPlace? = nil, limit: Int = 50) {
        self.after = after
        self.limit = limit
    }
}
