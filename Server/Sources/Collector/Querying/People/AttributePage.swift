// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// Which attributes of a person an answer has.
public struct AttributePage: Sendable, Hashable {
    /// The most bytes of their values in one answer, and one value more.
    private static let bytes = 256 << 10

    /// The last one already seen; empty for none.
    public let after: String
    private let limit: Int
    private var bytes = 0

    /// A page behind an attribute.
    ///
    /// - Parameter limit: The most attributes.
    public init(after: String? = nil, limit: Int = 200) {
        // No name is empty that an app can set, and one that were would come first.
        self.after = after ?? ""
        self.limit = limit
    }

    /// Gives a person the next attribute in the order of names.
    ///
    /// - Returns: Whether there was room for it; else the person has more attributes than the page.
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
