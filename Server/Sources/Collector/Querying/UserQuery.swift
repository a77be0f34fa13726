// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which people a reader wants, those seen last first.
package struct UserQuery: Sendable, Hashable {
    /// The one with this id.
    package var id: String?
    /// Those who used this installation.
    package var installation: InstallationID?
    /// Those last seen before this time.
    package var before: Timestamp?
    /// The last one already seen; the answer goes on behind it.
    package var after: TimedPlace?
    /// The most people in one answer.
    package var limit: Int

    /// A query for everybody.
    package init(
        id: String? = nil,
        installation: InstallationID? = nil,
        before: Timestamp? = nil,
        after: TimedPlace? = nil,
        limit: Int = 50
    ) {
        self.id = id
        self.installation = installation
        self.before = before
        self.after = after
        self.limit = limit
    }
}
