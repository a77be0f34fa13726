// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The events that a destination receives, and their form.
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
/// - The first `deny` that matches, or the first `sample` that does not include the event, drops it for this destination, unless an earlier
///   `allow` matches. An event that no rule matches is sent.
/// - Every `redact` and the first `rename` that match change the event, also after an `allow`.
/// - A rule matches the name under which the event was recorded; all rules except `rename` also match a name that an earlier rule gave it.
///
/// The recorded event does not change in the journal on the device. The back end, and the dead letter of a refused event, contain only the changed
/// event. The same event and the same rules have the same result in every attempt and after every restart. `_installation_erased` is always
/// sent.
public struct DestinationRules: Sendable, Hashable {
    /// The rules in order.
    public var rules: [DestinationRule]

    /// Makes rules that apply in this order; none by default.
    public init(_ rules: [DestinationRule] = []) {
        self.rules = rules
    }

    /// Whether there are no rules.
    public var isEmpty: Bool { rules.isEmpty }

    /// What is decided about an event.
    package enum Decision: Sendable, Hashable {
        /// It leaves: under this name, if that is another one, and without these attributes.
        case leaves(name: String?, without: [NamePattern])
        /// A rule keeps it.
        case denied(by: DestinationRule)
        /// It is not in a rule's sample.
        case sampledOut(by: DestinationRule)
    }

    /// Decides about an event of a name.
    ///
    /// - Parameter isInSample: whether the event is in a share of what a unit and a salt name.
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
        return .leaves(name: name == recorded ? nil : name, without: redactions)
    }
}

extension DestinationRules: ExpressibleByArrayLiteral {
    /// Makes rules that apply in this order.
    public init(arrayLiteral elements: DestinationRule...) {
        self.init(elements)
    }
}

/// Who is in a sample.
package enum Sample {
    /// Whether a thing of this name is in a share: by the first 53 bits of a hash of salt and name, which are what a double
    /// holds, as a number from 0 up to 1.
    package static func holds(_ name: String, share: Double, salt: String) -> Bool {
        guard share < 1 else { return true }
        guard share > 0 else { return false }
        let hash = SHA256.hash(Array(salt.utf8) + [0] + Array(name.utf8))
        let bits = hash.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Double(bits >> 11) * 0x1p-53 < share
    }
}
