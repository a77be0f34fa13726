// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Something an event is about: a product, an article, a seat.
public struct Item: Sendable, Hashable {
    /// What the app calls it.
    public var id: String
    /// What people call it.
    public var name: String?
    /// Its own attributes.
    public var attributes: Attributes

    /// An item.
    ///
    /// - Parameters:
    ///   - id: What the app calls it.
    ///   - name: What people call it.
    ///   - attributes: Its own attributes.
    public init(id: String, name: String? = nil, _ attributes: Attributes = [:]) {
        self.id = id
        self.name = name
        self.attributes = attributes
    }
}
