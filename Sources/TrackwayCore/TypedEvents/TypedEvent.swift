// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// An event with its own Swift type.
///
/// The type's static name is the event's name, and its encoded properties are the attributes.
///
/// ```swift
/// struct AddToCart: TypedEvent {
///     static let name = "add_to_cart"
///     var sku: String
///     var price: Double
/// }
/// ```
/// Properties that are nil are left out. Nested values become objects and arrays. A property named `items` of type
/// `[Item]` is the event's items; exclude it from `CodingKeys`.
public protocol TypedEvent: Encodable, Sendable {
    /// The event's name.
    static var name: String { get }
    /// The items that the event refers to.
    ///
    /// The default is an empty array.
    var items: [Item] { get }
}

extension TypedEvent {
    /// An empty array: by default, an event has no items.
    public var items: [Item] { [] }
}

extension TypedEvent {
    /// Returns the event's encoded properties as attributes.
    ///
    /// - Throws: Any error that the type's encoding throws.
    public func attributes() throws -> Attributes {
        Attributes(uniquing: try members())
    }

    /// Returns the event's encoded properties for one record.
    ///
    /// Unlike ``attributes()``, the result contains a key twice if the type encodes it twice. As with a literal, the
    /// last value wins when the event is recorded, and a ``Diagnostic`` reports the duplicate. Recording compares the
    /// keys in any case, so comparing them here as well would only take time.
    package func attributesToRecord() throws -> Attributes {
        Attributes(pairs: try members())
    }

    private func members() throws -> [(String, AttributeValue)] {
        let encoder = AttributesEncoder()
        try encode(to: encoder)
        guard let members = encoder.members else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: [], debugDescription: "a typed event encodes named properties, not a single value")
            )
        }
        return members
    }
}
