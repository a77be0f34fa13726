// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What an event has that the format cannot carry.
package struct SiftFault: Sendable, Hashable {
    /// The member at fault, as a path such as `fields.cart_size`.
    package var field: String
    /// What stands there.
    package var value: String
    /// What to do about it.
    package var remedy: String

    /// The same as a diagnostic.
    var diagnostic: Diagnostic {
        Diagnostic(code: .eventRefusedByFormat, field: field, value: value, remedy: remedy)
    }
}
