// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

extension TypedEvent {
    /// The event's coded properties as attributes.
    ///
    /// - Throws: What the type's own encoding throws.
    public func attributes() throws -> Attributes {
        let encoder = AttributesEncoder()
        try encode(to: encoder)
        guard case .object(let attributes) = encoder.value else {
            throw EncodingError.invalidValue(
                self,
                .init(codingPath: [], debugDescription: "a typed event encodes named properties, not a single value")
            )
        }
        return attributes
    }
}
