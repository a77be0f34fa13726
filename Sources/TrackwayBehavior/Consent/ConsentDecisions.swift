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
