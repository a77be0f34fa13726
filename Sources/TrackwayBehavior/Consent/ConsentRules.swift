// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// The app's rules for consent, set at every start.
package struct ConsentRules: Sendable, Hashable, Codable {
    /// The handling of pending events when a person refuses.
    package enum Denial: String, Sendable, Hashable, Codable, CaseIterable {
        /// Pending events are dropped and counted.
        case purge
        /// Pending events are held.
        ///
        /// The person may change their mind. Events are held only while no other person's events are pending after
        /// them.
        case keep
    }

    /// The owner of the events of an anonymous period.
    package enum Anonymous: String, Sendable, Hashable, Codable, CaseIterable {
        /// The person who signs in next.
        case mergeIntoUser
        /// A separate, unidentified person.
        case keepSeparate
    }

    /// The consent that applies before a decision was made.
    package var initial: Consent
    /// The handling of pending events when a person refuses.
    package var denial: Denial
    /// The owner of the events of an anonymous period.
    package var anonymous: Anonymous

    /// Whether events recorded before a refusal are kept.
    package var keepsRefused: Bool { denial == .keep }

    /// Creates rules.
    package init(initial: Consent = .pending, denial: Denial = .purge, anonymous: Anonymous = .mergeIntoUser) {
        self.initial = initial
        self.denial = denial
        self.anonymous = anonymous
    }
}
