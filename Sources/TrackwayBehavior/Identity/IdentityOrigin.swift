// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What the identity of an installation's first person follows from. It is not stored a second time, so nothing that
/// happens to the stored identity makes another person of the same installation.
package struct IdentityOrigin: Sendable, Hashable {
    /// Names the person before anybody signed in, and the installation's anonymous visitor.
    package var id: String
    /// When the installation began; nil when its id does not say.
    package var firstTouch: Timestamp?

    /// The origin of an installation: its id in capital letters, and the time that is in it.
    package init(_ installation: InstallationID) {
        id = installation.description.uppercased()
        let isTimeOrdered = installation.high & 0xF000 == 0x7000
        firstTouch = isTimeOrdered ? Timestamp(milliseconds: Int64(installation.high >> 16)) : nil
    }

    /// A user whose missing ids are the installation's.
    package func completing(_ user: RecordedContext.User) -> RecordedContext.User {
        var user = user
        if user.uniqueID == nil {
            user.uniqueID = id
            user.firstTouch = firstTouch
        }
        if user.anonymousID == nil { user.anonymousID = id }
        return user
    }
}
