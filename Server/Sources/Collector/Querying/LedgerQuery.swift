// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// Which writers' accounts are asked for.
package struct LedgerQuery: Sendable, Hashable {
    /// Those of this installation.
    package var installation: InstallationID?
    /// The number of the last one already seen; the answer goes on behind it.
    package var after: Int64?
    /// The most accounts in one answer.
    package var limit: Int

    /// A query for everybody's, the writer met last first.
    package init(installation: InstallationID? = nil, after: Int64? = nil, limit: Int = 1_000) {
        self.installation = installation
        self.after = after
        self.limit = limit
    }
}
