// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why one event of another format is not taken.
package struct VendorFault: Error, Sendable, Hashable {
    /// The machine-readable reason, such as `field_missing`.
    package var code: String
    /// The field at fault, as the format spells it; empty when the whole event is.
    package var field: String
    /// One sentence for a person.
    package var message: String

    /// A fault with its reason.
    package init(_ code: String, _ field: String, _ message: String) {
        self.code = code
        self.field = field
        self.message = message
    }

    static func missing(_ field: String) -> VendorFault {
        VendorFault("field_missing", field, "Every event needs “\(field)”.")
    }

    static func invalid(_ field: String, _ expectation: String) -> VendorFault {
        VendorFault("field_invalid", field, "“\(field)” is not \(expectation).")
    }
}
