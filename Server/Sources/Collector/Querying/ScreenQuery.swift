// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which screens a reader wants to know about.
package struct ScreenQuery: Sendable, Hashable {
    /// Those of one installation.
    package var installation: InstallationID?
    /// Those shown since.
    package var from: Timestamp?
    /// The most screens, and the most steps, in the answer.
    package var limit: Int

    /// A query for all screens.
    package init(installation: InstallationID? = nil, from: Timestamp? = nil, limit: Int = 50) {
        self.installation = installation
        self.from = from
        self.limit = limit
    }
}
