// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayCore

/// The reason why a call failed.
///
/// The reason is either an invalid setting, or content that the format does not support.
package struct SiftFault: Sendable, Hashable {
    /// The affected setting or member, as a path such as `fields.cart_size`.
    package var field: String
    /// The value of the setting or member.
    package var value: String
    /// What happened, as a sentence.
    package var message: String
    /// The suggested fix, as a sentence; nil if none is known.
    package var recoverySuggestion: String?

    /// Returns the fault as a diagnostic.
    func diagnostic(_ code: Diagnostic.Code) -> Diagnostic {
        Diagnostic(code: code, field: field, value: value, message: message, recoverySuggestion: recoverySuggestion)
    }
}
