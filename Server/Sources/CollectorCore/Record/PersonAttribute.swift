// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

/// The rules for changing a person's attribute.
public enum PersonAttribute {
    /// The result of changing an attribute.
    public struct Outcome: Sendable, Hashable {
        /// The attribute's new value.
        public var value: JSONValue
        /// The number of elements omitted because a list is full.
        public var omitted: Int64

        /// Creates an outcome with a new value.
        public init(value: JSONValue, omitted: Int64 = 0) {
            self.value = value
            self.omitted = omitted
        }
    }

    /// The maximum number of elements of a list that grows by appending.
    public static let maxElements = 1_000
    /// The maximum size of such a list as JSON, in bytes.
    ///
    /// Each append reads and writes the whole list, and there is only one indexer.
    public static let maxBytes = 32 << 10

    /// Returns the new value; nil if nothing changes.
    ///
    /// - Complexity: O(size of the known and the given value); the size of a known list is bounded.
    public static func value(_ kind: CapturedKind, _ known: JSONValue?, _ new: JSONValue) -> Outcome? {
        switch kind {
        case .set: Outcome(value: new)
        case .setOnce: known == nil ? Outcome(value: new) : nil
        case .increment: sum(known ?? .integer(0), new).map { Outcome(value: $0) }
        case .append: appended(known, new)
        case .screen, .engagement, .click, .start, .end, .crash, .unset, .delete, .properties, .state, .alias: nil
        }
    }

    private static func sum(_ known: JSONValue, _ new: JSONValue) -> JSONValue? {
        if let known = known.integer, let new = new.integer {
            let (sum, isTooLarge) = known.addingReportingOverflow(new)
            return .integer(isTooLarge ? (new > 0 ? .max : .min) : sum)
        }
        guard let new = new.double else { return nil }
        // A previous value that is not a number counts as 0.
        let sum = (known.double ?? 0) + new
        return sum.isFinite ? .double(sum) : nil
    }

    /// Appends each new element once.
    ///
    /// Existing elements are never removed to make room for new ones.
    private static func appended(_ known: JSONValue?, _ new: JSONValue) -> Outcome? {
        guard let added = new.array else { return nil }
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

/// A store of the attributes of one person.
public protocol PersonAttributeTable {
    /// Returns an attribute.
    ///
    /// Nil if the attribute does not exist or cannot be read.
    func known(_ name: String) throws -> PersonAttribute.Outcome?
    /// Sets an attribute unless a later operation on it is known.
    mutating func set(_ name: String, _ outcome: PersonAttribute.Outcome, at time: Int64) throws
    /// Removes an attribute, or all of them if `name` is nil.
    ///
    /// An attribute with an operation later than `time` is kept.
    mutating func remove(_ name: String?, upTo time: Int64) throws
}

extension PersonAttributeTable {
    /// Applies the operation of an event.
    ///
    /// - Parameters:
    ///   - values: The event's attributes.
    ///   - time: When the event happened, in milliseconds since 1970.
    /// - Throws: The errors of the table.
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
