// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// A screen that was shown in a session.
package struct StoredScreen: Sendable, Hashable {
    /// When.
    package var time: Timestamp
    /// Its name.
    package var name: String
    /// Where in the app it lies, if known.
    package var id: String?
    /// What tells two screens of one name apart.
    package var uniqueID: String?
    /// How long it was used, in milliseconds; 0 when nothing was heard of that.
    package var engagement: Int64

    /// A screen of these parts.
    package init(time: Timestamp, name: String, id: String?, uniqueID: String?, engagement: Int64) {
        self.time = time
        self.name = name
        self.id = id
        self.uniqueID = uniqueID
        self.engagement = engagement
    }
}
