// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What an older SDK of the same app knew of the app's behaviour. An installation of ours that begins beside it goes on from there.
package struct FormerBehavior: Sendable, Hashable, Codable {
    /// Whether it saw the app opened.
    package var wasOpened: Bool
    /// The version of the app that it saw last.
    package var appVersion: String?
    /// The version of the system that it saw last.
    package var systemVersion: String?
    /// Its latest session; the id is empty when it is not known.
    package var session: RecordedContext.Session?
    /// When the user saw the app last in that session; nil when it is not known, and the session is over.
    package var lastSeen: Timestamp?

    /// Nothing is known.
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

/// What an older SDK of the same app knew of the people who use it.
package struct FormerPerson: Sendable, Hashable {
    /// Who was signed in.
    package var user: String?
    /// When they signed in.
    package var signedInAt: Timestamp?
    /// What named the person; nil for the installation's own, which is ours then.
    package var uniqueID: String?
    /// When the person first opened the app.
    package var firstTouch: Timestamp?
    /// What named the anonymous visitor.
    package var anonymousID: String?
    /// Further ids of the person.
    package var identities: Attributes = [:]
    /// What the app said about the person.
    package var attributes: [RecordedContext.User.Attribute] = []
    /// Everybody who signed in.
    package var known: [KnownUser] = []

    /// Nobody is known.
    package init() {}
}
