// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// A page of a person's attributes.
public struct AttributePage: Sendable, Hashable {
    /// The maximum bytes of names and values on a page.
    ///
    /// The last value may exceed it.
    private static let bytes = 256 << 10

    /// The attribute after which the page starts; empty for the first page.
    public let after: String
    private let limit: Int
    private var bytes = 0

    /// Creates a page that starts after an attribute.
    ///
    /// - Parameter limit: The maximum number of attributes.
    public init(after: String? = nil, limit: Int = 200) {
        // An app cannot set an empty name, and an empty name would sort first.
        self.after = after ?? ""
        self.limit = limit
    }

    /// Adds the next attribute, in name order, to a person.
    ///
    /// - Returns: Whether the attribute fits. If not, the person has more attributes than the page.
    public mutating func add(_ attribute: StoredUser.Attribute, to user: inout StoredUser) -> Bool {
        guard user.attributes.count < limit, bytes < Self.bytes else {
            user.hasMoreAttributes = true
            return false
        }
        bytes += attribute.name.utf8.count + attribute.value.count
        user.attributes.append(attribute)
        return true
    }
}
