// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// A page of a person's attributes.
public struct AttributePage: Sendable, Hashable {
    /// The maximum size of a page's names and values, in bytes.
    ///
    /// The last value may exceed this limit.
    private static let bytes = 256 << 10

    /// The attribute after which the page starts; empty for the first page.
    public let after: String
    private let limit: Int
    private var bytes = 0

    /// Creates a page that starts after an attribute.
    ///
    /// - Parameter limit: The maximum number of attributes.
    public init(after: String? = nil, limit: Int = 200) {
        // The empty string sorts before every attribute name; an app cannot set an attribute with an empty name.
        self.after = after ?? ""
        self.limit = limit
    }

    /// Adds the next attribute, in name order, to a person.
    ///
    /// - Returns: Whether the attribute fits. If not, the person has more attributes than fit on the page.
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
