// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayBehavior
package import TrackwayEvents

extension Analytics {
    /// Says who uses the app, with attributes for the event that tells of it; see ``identify(_:)``.
    package func identify(_ user: String, saying attributes: Attributes) {
        signIn(user) { $0.adding(attributes) }
    }

    /// Says that nobody is signed in, for a compatibility module whose format has no event that tells of it; see ``signOut()``.
    package func signOutSilently() {
        identity.perform { settings, _ in
            .init(identity: settings.identity.signedOut().unrecorded, consent: settings.consent.signedOut())
        }
    }

    /// Says who uses the app, for a compatibility module whose format has no event that tells of it; see ``identify(_:)``.
    package func identifySilently(_ user: String) {
        guard isValid(user: user) else { return }
        let fresh = freshID()
        identity.perform { settings, moment in
            guard settings.identity.user != user else { return .init() }
            let actions = settings.identity.signedIn(user, fresh: fresh, at: moment.wall)
            return .init(identity: actions.unrecorded, consent: settings.consent.signedIn(user))
        }
    }

    /// An id that nobody had.
    package func freshID() -> String {
        ids.next(at: clock.now().wall).description.uppercased()
    }
}

extension IdentityMachine.Action {
    fileprivate func adding(_ attributes: Attributes) -> Self {
        guard case .record(let name, let own) = self else { return self }
        return .record(name: name, attributes: attributes.merging(own))
    }
}

extension [IdentityMachine.Action] {
    /// The same without the events that tell of it.
    fileprivate var unrecorded: Self {
        filter { action in
            if case .record = action { false } else { true }
        }
    }
}
