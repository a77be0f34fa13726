// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The source of the identity of an installation's first person.
///
/// The origin is not stored with the identity, so damage to the stored identity cannot turn the same installation into
/// another person.
package struct IdentityOrigin: Sendable, Equatable {
    /// The id of the anonymous visitor and of the person before sign-in.
    package var id: String
    /// The time the installation began; nil if its id contains no time.
    package var firstTouch: Timestamp?

    /// Creates an origin from the installation's id, uppercased, and its timestamp.
    package init(_ installation: InstallationID) {
        id = installation.description.uppercased()
        let isTimeOrdered = installation.high & 0xF000 == 0x7000
        firstTouch = isTimeOrdered ? Timestamp(milliseconds: Int64(installation.high >> 16)) : nil
    }

    /// Returns the user with missing ids replaced by the installation's.
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
