// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The rules that filter and change the events a destination receives.
///
/// ```swift
/// let rules: DestinationRules = [
///     .allow("purchase"),
///     .deny("debug_*"),
///     .rename("buy", to: "purchase"),
///     .redact("email", in: "sign_up"),
///     .sample(0.1, by: .person),
/// ]
/// ```
/// Rules apply in order to each event when it is read from the journal:
///
/// - The first `deny` that matches, or the first `sample` that does not include the event, drops it for this
///   destination, unless an earlier `allow` matches. An event that no rule matches is sent.
/// - Every `redact` and the first `rename` that match change the event, also after an `allow`.
/// - A rule matches the name under which the event was recorded; all rules except `rename` also match a name that an
///   earlier rule gave it.
///
/// The recorded event does not change in the journal on the device. The back end, and the dead letter of a refused
/// event, contain only the changed event. The same event and the same rules have the same result in every attempt and
/// after every restart. `_installation_erased` is always sent.
public struct DestinationRules: Sendable, Hashable {
    /// The rules in order.
    public var rules: [DestinationRule]

    /// Creates rules that apply in the given order; empty by default.
    public init(_ rules: [DestinationRule] = []) {
        self.rules = rules
    }

    /// Whether there are no rules.
    public var isEmpty: Bool { rules.isEmpty }

    /// The result of the rules for an event.
    package enum Decision: Sendable, Equatable {
        /// The event is sent, possibly renamed and without some attributes.
        ///
        /// `name` is nil if the name does not change; attributes that match `without` are removed.
        case sent(name: String?, without: [NamePattern])
        /// A rule drops the event.
        case denied(by: DestinationRule)
        /// The event is not in the sample of a rule.
        case sampledOut(by: DestinationRule)
    }

    /// Returns the result of the rules for an event with this name.
    ///
    /// - Parameter isInSample: Returns whether the event belongs to a share, for a sampling unit and a salt.
    package func decision(
        on recorded: String,
        isInSample: (_ share: Double, DestinationRule.SamplingUnit, _ salt: String?) -> Bool
    ) -> Decision {
        let isTombstone = recorded == CapturedName.installationErased
        let keepsName = recorded.hasPrefix("_")
        var name = recorded
        var isAllowed = isTombstone
        var isRenamed = false
        var redactions: [NamePattern] = []
        for rule in rules {
            let isNamed = rule.events.matches(recorded) || (isRenamed && rule.events.matches(name))
            guard isNamed else { continue }
            switch rule.effect {
            case .allow:
                isAllowed = true
            case .deny:
                if !isAllowed { return .denied(by: rule) }
            case .sample(let share, let unit, let salt):
                let share = DestinationRule.bounded(share: share.given)
                if !isAllowed, !isInSample(share, unit, salt) { return .sampledOut(by: rule) }
            case .redact(let attribute):
                redactions.append(attribute)
            case .rename(let other):
                guard !keepsName, !isRenamed, rule.events.matches(recorded) else { continue }
                guard DestinationRule.fault(ofName: other) == nil else { continue }
                name = other
                isRenamed = true
            }
        }
        return .sent(name: name == recorded ? nil : name, without: redactions)
    }
}

extension DestinationRules: ExpressibleByArrayLiteral {
    /// Creates a list of rules that apply in this order.
    public init(arrayLiteral elements: DestinationRule...) {
        self.init(elements)
    }
}

/// Determines the members of a sample.
package enum Sample {
    /// Returns whether the unit with this name belongs to a share.
    ///
    /// The first 53 bits of a hash of the salt and the name, which a double holds exactly, are read as a number from 0
    /// up to 1 and compared with the share.
    package static func contains(_ name: String, share: Double, salt: String) -> Bool {
        guard share < 1 else { return true }
        guard share > 0 else { return false }
        let hash = SHA256.hash(Array(salt.utf8) + [0] + Array(name.utf8))
        let bits = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Double(bits >> 11) * 0x1p-53 < share
    }
}
