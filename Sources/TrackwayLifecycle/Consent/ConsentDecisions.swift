// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import TrackwayCore

/// The decisions at one level: an overall decision and decisions per category.
package struct ConsentDecisions: Sendable, Equatable, Codable {
    /// The maximum number of categories with their own decision.
    package static let maxCategories = 32

    /// The decision for every category without its own decision; nil if undecided.
    package var overall: Consent?
    /// The decisions per category.
    package var categories: [ConsentCategory: Consent]

    /// Creates decisions; empty by default.
    package init(overall: Consent? = nil, categories: [ConsentCategory: Consent] = [:]) {
        self.overall = overall
        self.categories = categories
    }

    /// Whether there are no decisions.
    package var isEmpty: Bool { overall == nil && categories.isEmpty }

    /// Whether anything was refused.
    var hasDenial: Bool { overall == .denied || categories.values.contains(.denied) }

    /// The decision for a category at this level; nil if undecided.
    subscript(category: ConsentCategory) -> Consent? { categories[category] ?? overall }

    /// Stores a decision; nil removes it.
    ///
    /// - Returns: False when there are too many categories.
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

    /// Copies other decisions if this value contains none.
    ///
    /// If this value contains any decision, nothing is copied, not even decisions about other categories.
    mutating func fill(from other: ConsentDecisions) {
        guard isEmpty else { return }
        self = other
    }
}

extension ConsentDecisions {
    /// Reads JSON that ``json`` wrote; unknown members are ignored.
    ///
    /// - Throws: `JSONError` when the JSON is invalid.
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

    /// The decisions in their stored form.
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

/// The people that a consent decision applies to.
public enum ConsentScope: String, Sendable, Hashable, Codable, CaseIterable {
    /// Everyone on this device who has not decided otherwise.
    case device
    /// The person who is using the app now.
    case person
}
