// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The lifecycle state stored by an older SDK of the same app.
///
/// A new installation continues from this state.
package struct LegacyLifecycle: Sendable, Hashable, Codable {
    /// Whether the older SDK recorded that the app was opened.
    package var wasOpened: Bool
    /// The last app version that the older SDK recorded.
    package var appVersion: String?
    /// The last system version that the older SDK recorded.
    package var systemVersion: String?
    /// The older SDK's latest session; the session's id is empty if unknown.
    package var session: RecordedContext.Session?
    /// The last time the user saw the app in that session.
    ///
    /// nil if unknown; in that case, the session is over.
    package var lastSeen: Timestamp?

    /// Creates a state in which nothing is known.
    package init(
        wasOpened: Bool = false,
        appVersion: String? = nil,
        systemVersion: String? = nil,
        session: RecordedContext.Session? = nil,
        lastSeen: Timestamp? = nil
    ) {
        self.wasOpened = wasOpened
        self.appVersion = appVersion
        self.systemVersion = systemVersion
        self.session = session
        self.lastSeen = lastSeen
    }
}

/// The identity data stored by an older SDK of the same app.
package struct LegacyUser: Sendable, Hashable {
    /// The signed-in user.
    package var user: String?
    /// The time of sign-in.
    package var signedInAt: Timestamp?
    /// The person's unique id; nil stands for this installation's id.
    package var uniqueID: String?
    /// The time the person first opened the app.
    package var firstTouch: Timestamp?
    /// The id of the anonymous visitor.
    package var anonymousID: String?
    /// Additional ids of the person.
    package var identities: Attributes = [:]
    /// The attributes that the app set for the person.
    package var attributes: [RecordedContext.User.Attribute] = []
    /// All users who have signed in.
    package var known: [KnownUser] = []

    /// Creates an empty value.
    package init() {}
}
