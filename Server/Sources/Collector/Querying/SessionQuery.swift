// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which sessions a reader wants, latest first. Every field that is set narrows the answer.
package struct SessionQuery: Sendable, Hashable {
    /// The installation they took place on.
    package var installation: InstallationID?
    /// A user who took part, signed in.
    package var user: String?
    /// The session's own id.
    package var id: String?
    /// The place behind which the answer continues: the last one of the answer before.
    package var after: TimedPlace?
    /// The most sessions in one answer.
    package var limit: Int

    /// A query for all sessions.
    package init(
        installation: InstallationID? = nil,
        user: String? = nil,
        id: String? = nil,
        after: TimedPlace? = nil,
        limit: Int = 50
    ) {
        self.installation = installation
        self.user = user
        self.id = id
        self.after = after
        self.limit = limit
    }
}
