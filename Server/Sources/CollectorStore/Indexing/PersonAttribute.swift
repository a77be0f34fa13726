// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What becomes of an attribute when something is said about it.
enum PersonAttribute {
    /// A new value.
    struct Outcome: Equatable {
        /// The value.
        var value: JSONValue
        /// Elements that a list has no room for.
        var omitted: Int64 = 0
    }

    /// The most elements of a list that grows by appending.
    static let maxElements = 1_000
    /// The most bytes of such a list as JSON. Every appending reads and writes it all, and the one indexer does it.
    static let maxBytes = 32 << 10

    /// The new value; nil when nothing changes.
    ///
    /// - Complexity: O(what is known and said); what is known of a list is bounded.
    static func value(_ kind: CapturedKind, _ known: JSONValue?, _ said: JSONValue) -> Outcome? {
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
