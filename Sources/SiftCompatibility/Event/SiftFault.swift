// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What keeps a call from doing what it says: a setting that cannot work, or what the format cannot carry.
package struct SiftFault: Sendable, Hashable {
    /// The setting or member at fault, as a path such as `fields.cart_size`.
    package var field: String
    /// What stands there.
    package var value: String
    /// What happened, as a sentence.
    package var message: String
    /// What to do about it, as a sentence; nil when there is nothing to do.
    package var recoverySuggestion: String?

    /// The same as a diagnostic.
    func diagnostic(_ code: Diagnostic.Code) -> Diagnostic {
        Diagnostic(code: code, field: field, value: value, message: message, recoverySuggestion: recoverySuggestion)
    }
}
