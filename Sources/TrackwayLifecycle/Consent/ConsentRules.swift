// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The app's rules for consent, set at every start.
package struct ConsentRules: Sendable, Equatable, Codable {
    /// The handling of pending events when a person refuses.
    package enum DenialPolicy: String, Sendable, Hashable, Codable, CaseIterable {
        /// Pending events are dropped and counted.
        case purge
        /// Pending events are held.
        ///
        /// This allows the person to change their mind. Events are held only while no other person's events are pending
        /// after them.
        case keep
    }

    /// The owner of the events of an anonymous period.
    package enum AnonymousDataPolicy: String, Sendable, Hashable, Codable, CaseIterable {
        /// The person who signs in next.
        case mergeIntoUser
        /// A separate, unidentified person.
        case keepSeparate
    }

    /// The consent that applies until a decision is made.
    package var initial: Consent
    /// The same for local destinations, whose events stay on the device.
    package var initialForLocal: Consent
    /// The handling of pending events when a person refuses.
    package var denial: DenialPolicy
    /// The owner of the events of an anonymous period.
    package var anonymous: AnonymousDataPolicy

    /// Whether events recorded before a refusal are kept.
    package var keepsEventsAfterDenial: Bool { denial == .keep }

    /// Creates rules.
    ///
    /// - Parameter initialForLocal: nil for the same as `initial`.
    package init(
        initial: Consent = .pending,
        initialForLocal: Consent? = nil,
        denial: DenialPolicy = .purge,
        anonymous: AnonymousDataPolicy = .mergeIntoUser
    ) {
        self.initial = initial
        self.initialForLocal = initialForLocal ?? initial
        self.denial = denial
        self.anonymous = anonymous
    }
}
