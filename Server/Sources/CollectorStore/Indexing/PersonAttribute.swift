// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What becomes of an attribute when something is said about it.
enum PersonAttribute {
    /// The new value; nil when nothing changes.
    static func value(_ kind: CapturedKind, _ known: JSONValue?, _ said: JSONValue) -> JSONValue? {
        switch kind {
        case .set: said
        case .setOnce: known == nil ? said : nil
        case .increment: sum(known ?? .integer(0), said)
        case .append: appended(known, said)
        case .screen, .engagement, .start, .end, .crash, .unset, .delete, .properties, .state: nil
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

    private static func appended(_ known: JSONValue?, _ said: JSONValue) -> JSONValue? {
        guard let added = said.array else { return nil }
        var values = known?.array ?? known.map { [$0] } ?? []
        for value in added where !values.contains(value) { values.append(value) }
        return .array(values)
    }
}
