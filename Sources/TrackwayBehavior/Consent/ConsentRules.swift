// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// How consent is handled; the app's choice, made anew at every start.
package struct ConsentRules: Sendable, Hashable, Codable {
    /// What becomes of events that wait when somebody refuses.
    package enum Denial: String, Sendable, Hashable, Codable, CaseIterable {
        /// They are dropped and counted.
        case purge
        /// They wait, in case the person thinks better of it, as long as nobody else's events wait behind them.
        case keep
    }

    /// Whose the events of a stretch are in which nobody was signed in.
    package enum Anonymous: String, Sendable, Hashable, Codable, CaseIterable {
        /// Those of the person who then signs in.
        case mergeIntoUser
        /// Those of somebody who stayed unknown.
        case keepSeparate
    }

    /// What counts before anybody decided.
    package var initial: Consent
    /// What becomes of events that wait when somebody refuses.
    package var denial: Denial
    /// Whose the events of an anonymous stretch are.
    package var anonymous: Anonymous

    /// Whether events stay that were recorded before somebody refused.
    package var keepsRefused: Bool { denial == .keep }

    /// Rules.
    package init(initial: Consent = .pending, denial: Denial = .purge, anonymous: Anonymous = .mergeIntoUser) {
        self.initial = initial
        self.denial = denial
        self.anonymous = anonymous
    }
}
