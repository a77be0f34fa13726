// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayEvents

/// What was decided on one level: altogether, and for categories of their own.
package struct ConsentDecisions: Sendable, Hashable, Codable {
    /// The most categories that are told apart.
    package static let maxCategories = 32

    /// For everything that has no decision of its own; nil when never asked.
    package var overall: Consent?
    /// For categories.
    package var categories: [ConsentCategory: Consent]

    /// Decisions; none when nothing is given.
    package init(overall: Consent? = nil, categories: [ConsentCategory: Consent] = [:]) {
        self.overall = overall
        self.categories = categories
    }

    /// True when nothing was decided.
    package var isEmpty: Bool { overall == nil && categories.isEmpty }

    /// Whether anything was refused.
    var hasDenial: Bool { overall == .denied || categories.values.contains(.denied) }

    /// What counts for a category on this level; nil when nothing was decided.
    subscript(category: ConsentCategory) -> Consent? { categories[category] ?? overall }

    /// Takes over a decision, or takes it back with nil. False when there are too many categories.
    mutating func decide(_ consent: Consent?, for category: ConsentCategory?) -> Bool {
        guard let category else {
            overall = consent
            return true
        }
        guard consent == nil || categories[category] != nil || categories.count < Self.maxCategories else {
            return false
        }
        categories[category] = consent
        return true
    }

    /// Fills what was not decided here from elsewhere. Who decided something here is not overruled by an answer given
    /// elsewhere, not even by one about a category.
    mutating func fill(from other: ConsentDecisions) {
        guard isEmpty else { return }
        self = other
    }
}

extension ConsentDecisions {
    /// Reads what ``json`` wrote; members of other names are left to others.
    ///
    /// - Throws: `JSONError` when it is not what was written.
    init(json: JSONValue) throws(JSONError) {
        self.init()
        if let text = json["consent"]?.string { overall = try Self.consent(text) }
        for member in json["categories"]?.object?.members ?? [] {
            guard let text = member.value.string else { throw .stateInvalid }
            categories[ConsentCategory(rawValue: member.key)] = try Self.consent(text)
        }
    }

    private static func consent(_ text: String) throws(JSONError) -> Consent {
        guard let consent = Consent(rawValue: text) else { throw .stateInvalid }
        return consent
    }

    /// The decisions as they are stored.
    var json: JSONValue {
        let sorted = categories.sorted { $0.key < $1.key }
        let members = sorted.map { JSONValue.Object.Member(key: $0.key.rawValue, value: .string($0.value.rawValue)) }
        return .object(
            .init(present: [
                "consent": overall.map { .string($0.rawValue) },
                "categories": members.isEmpty ? nil : .object(.init(members)),
            ])
        )
    }
}

/// Whom a decision holds for.
public enum ConsentScope: String, Sendable, Hashable, Codable, CaseIterable {
    /// Everybody on this device who made none of their own.
    case device
    /// The person who uses the app now.
    case person
}
