// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What becomes of an attribute when something is said about it.
public enum PersonAttribute {
    /// A new value.
    public struct Outcome: Sendable, Hashable {
        /// The value.
        public var value: JSONValue
        /// Elements that a list has no room for.
        public var omitted: Int64

        /// A new value.
        public init(value: JSONValue, omitted: Int64 = 0) {
            self.value = value
            self.omitted = omitted
        }
    }

    /// The most elements of a list that grows by appending.
    public static let maxElements = 1_000
    /// The most bytes of such a list as JSON. Every appending reads and writes it all, and the one indexer does it.
    public static let maxBytes = 32 << 10

    /// The new value; nil when nothing changes.
    ///
    /// - Complexity: O(what is known and said); what is known of a list is bounded.
    public static func value(_ kind: CapturedKind, _ known: JSONValue?, _ said: JSONValue) -> Outcome? {
        switch kind {
        case .set: Outcome(value: said)
        case .setOnce: known == nil ? Outcome(value: said) : nil
        case .increment: sum(known ?? .integer(0), said).map { Outcome(value: $0) }
        case .append: appended(known, said)
        case .screen, .engagement, .click, .start, .end, .crash, .unset, .delete, .properties, .state: nil
        }
    }

    private static func sum(_ known: JSONValue, _ said: JSONValue) -> JSONValue? {
        if let known = known.integer, let said = said.integer {
            let (sum, isTooLarge) = known.addingReportingOverflow(said)
            return .integer(isTooLarge ? (said > 0 ? .max : .min) : sum)
        }
        guard let said = said.double else { return nil }
        // What was no number begins anew.
        let sum = (known.double ?? 0) + said
        return sum.isFinite ? .double(sum) : nil
    }

    /// A list with each new element once, the first ones staying; nothing that was there is ever given up for something new.
    private static func appended(_ known: JSONValue?, _ said: JSONValue) -> Outcome? {
        guard let added = said.array else { return nil }
        var values = known?.array ?? known.map { [$0] } ?? []
        var seen = Set(values)
        var bytes = values.reduce(2) { $0 + $1.json().count + 1 }
        var omitted: Int64 = 0
        for value in added where !seen.contains(value) {
            let length = value.json().count + 1
            guard values.count < maxElements, bytes + length <= maxBytes else {
                omitted += 1
                continue
            }
            seen.insert(value)
            values.append(value)
            bytes += length
        }
        return Outcome(value: .array(values), omitted: omitted)
    }
}

/// The attributes of one person, wherever they are kept.
public protocol PersonAttributeTable {
    /// What an attribute is; nil when there is none, or it cannot be read.
    func known(_ name: String) throws -> PersonAttribute.Outcome?
    /// An attribute is this, unless what was said later about it stands.
    mutating func set(_ name: String, _ outcome: PersonAttribute.Outcome, at time: Int64) throws
    /// Removes an attribute, or all of them without a name, where nothing was said later than this.
    mutating func remove(_ name: String?, upTo time: Int64) throws
}

extension PersonAttributeTable {
    /// Carries out an operation, as an event tells it.
    ///
    /// - Parameters:
    ///   - values: The event's attributes.
    ///   - time: When it happened, in milliseconds since 1970.
    /// - Throws: What the table throws.
    public mutating func apply(_ kind: CapturedKind, _ values: JSONValue.Object, at time: Int64) throws {
        if kind == .delete { return try remove(nil, upTo: time) }
        for member in values.members {
            if kind == .unset {
                try remove(member.key, upTo: time)
                continue
            }
            let known = try known(member.key)
            guard var outcome = PersonAttribute.value(kind, known?.value, member.value) else { continue }
            outcome.omitted = kind == .append ? (known?.omitted ?? 0) + outcome.omitted : 0
            try set(member.key, outcome, at: time)
        }
    }
}
