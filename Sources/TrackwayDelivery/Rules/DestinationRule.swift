// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A rule about the events that a destination receives; see ``DestinationRules``.
public struct DestinationRule: Sendable, Hashable {
    /// The unit of a sample.
    ///
    /// A sample includes either all events of a unit or none of them.
    public enum SamplingUnit: String, Sendable, Hashable, CaseIterable {
        /// The person, as far as the installation can distinguish people.
        ///
        /// The person is the same before and after signing in, and changes when another person signs in on the same
        /// device.
        case person
        /// The installed copy of the app, independent of its user.
        case installation
        /// A single event.
        case event
    }

    /// The effect of the rule on matching events.
    package enum Effect: Sendable, Hashable {
        case allow
        case deny
        case rename(to: String)
        case redact(NamePattern)
        case sample(share: Share, by: SamplingUnit, salt: String?)
    }

    /// The size of a sample as given; NaN equals itself.
    package struct Share: Sendable, Hashable {
        private let bits: UInt64

        init(_ share: Double) {
            bits = share.bitPattern
        }

        /// The share as given, which may be out of range.
        package var given: Double { Double(bitPattern: bits) }
    }

    /// The names of the events that the rule applies to.
    package let events: NamePattern
    /// The effect of the rule on these events.
    package let effect: Effect

    /// Sends events that later `deny` and `sample` rules would drop.
    ///
    /// Later `redact` and `rename` rules still apply.
    ///
    /// - Parameter events: a name, or a prefix of names followed by `*`.
    public static func allow(_ events: String) -> DestinationRule {
        DestinationRule(events: NamePattern(events), effect: .allow)
    }

    /// Drops events for the destination, counted as `DropReason.deniedByRule`.
    ///
    /// - Parameter events: a name, or a prefix of names followed by `*`. `*` alone matches every event, including those
    ///   that the SDK records itself.
    public static func deny(_ events: String) -> DestinationRule {
        DestinationRule(events: NamePattern(events), effect: .deny)
    }

    /// Sends events under another name.
    ///
    /// The first `rename` that matches the recorded name applies. Events of the SDK (`_…`) keep their names, because
    /// back ends recognize them by name.
    ///
    /// - Parameters:
    ///   - events: a name, or a prefix of names followed by `*`.
    ///   - name: 1 to 128 bytes without control characters that do not begin with `_`. A rule with any other name is
    ///     reported as invalid and changes nothing.
    public static func rename(_ events: String, to name: String) -> DestinationRule {
        DestinationRule(events: NamePattern(events), effect: .rename(to: name))
    }

    /// Removes an attribute before an event is sent.
    ///
    /// The attribute is removed from the event, from its items, and from shared values (global attributes, attributes
    /// and identifiers of the user). Only whole attributes are removed, not members of their values.
    ///
    /// - Parameters:
    ///   - attribute: a key, or a prefix of keys followed by `*`.
    ///   - events: a name, or a prefix of names followed by `*`. Every event by default.
    public static func redact(_ attribute: String, in events: String = "*") -> DestinationRule {
        DestinationRule(events: NamePattern(events), effect: .redact(NamePattern(attribute)))
    }

    /// Sends a share of the events and drops the others as `DropReason.sampledOut`.
    ///
    /// A hash determines the members of the sample, with the same result in every attempt, after every restart, and for
    /// every version of the app.
    ///
    /// - Parameters:
    ///   - share: from 0 (none) to 1 (all). A number outside this range is replaced by the nearer limit, and NaN by 1;
    ///     both are reported.
    ///   - events: a name, or a prefix of names followed by `*`. Every event by default.
    ///   - unit: the unit that is included as a whole or not at all.
    ///   - salt: samples with the same salt include the same people, and a larger share includes a smaller one. nil
    ///     uses the destination's id.
    public static func sample(
        _ share: Double,
        of events: String = "*",
        by unit: SamplingUnit = .person,
        salt: String? = nil
    ) -> DestinationRule {
        DestinationRule(events: NamePattern(events), effect: .sample(share: Share(share), by: unit, salt: salt))
    }
}

extension DestinationRule: CustomStringConvertible {
    /// The rule in Swift syntax, such as `.deny("debug_*")`.
    public var description: String {
        switch effect {
        case .allow: ".allow(\(events))"
        case .deny: ".deny(\(events))"
        case .rename(let name): ".rename(\(events), to: \(name.debugDescription))"
        case .redact(let attribute): ".redact(\(attribute), in: \(events))"
        case .sample(let share, let unit, let salt):
            ".sample(\(share.given), of: \(events), by: .\(unit)\(salt.map { ", salt: \($0.debugDescription)" } ?? ""))"
        }
    }
}

extension DestinationRule {
    /// Returns a valid share: NaN becomes 1, other numbers are clamped.
    package static func bounded(share: Double) -> Double {
        share.isNaN ? 1 : min(max(share, 0), 1)
    }

    /// Returns the reason why an event name is invalid; nil if valid.
    package static func fault(ofName name: String) -> RuleFault? {
        if name.isEmpty { return RuleFault("the new name is empty", "Give the event a name.") }
        if name.hasPrefix("_") { return RuleFault("names that begin with _ are reserved", "Use another name.") }
        let longest = EventLimits().nameBytes
        if name.utf8.count > longest {
            return RuleFault("the new name has \(name.utf8.count) bytes of UTF-8", "Use at most \(longest) bytes.")
        }
        if name.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) {
            return RuleFault("the new name has control characters", "Use a name without control characters.")
        }
        return nil
    }
}

/// The reason why a rule is invalid, with a suggestion.
package struct RuleFault: Sendable, Equatable {
    /// The reason, as a clause.
    package let problem: String
    /// The suggestion, as a sentence.
    package let suggestion: String

    package init(_ problem: String, _ suggestion: String) {
        self.problem = problem
        self.suggestion = suggestion
    }
}

/// A pattern that matches one name, or all names with a prefix.
package struct NamePattern: Sendable, Hashable, CustomStringConvertible {
    /// The pattern as given.
    package let text: String
    private let beginning: [UInt8]
    private let isPrefix: Bool

    /// Creates a pattern from a name or a prefix with `*`.
    ///
    /// Only a `*` at the end is a wildcard; elsewhere, it is an ordinary character.
    package init(_ text: String) {
        self.text = text
        isPrefix = text.utf8.last == UInt8(ascii: "*")
        beginning = Array(isPrefix ? text.utf8.dropLast() : text.utf8[...])
    }

    /// Returns whether the pattern matches a name.
    ///
    /// Names are compared byte by byte, so case matters.
    package func matches(_ name: String) -> Bool {
        isPrefix ? name.utf8.starts(with: beginning) : name.utf8.elementsEqual(beginning)
    }

    /// The reason why the pattern is invalid or questionable; nil if none.
    package var fault: RuleFault? {
        if text.isEmpty { return RuleFault("an empty name matches nothing", "Use * for every name.") }
        if beginning.contains(UInt8(ascii: "*")) {
            return RuleFault("a * is a wildcard only at the end and a literal elsewhere", "Move the * to the end.")
        }
        return nil
    }

    /// The pattern in quotation marks.
    package var description: String { text.debugDescription }
}
