// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What keeps a call from doing what it says: a setting that cannot work, or what the format cannot carry.
package struct SiftFault: Sendable, Hashable {
    /// The setting or member at fault, as a path such as `fields.cart_size`.
    package var field: String
    /// What stands there.
    package var value: String
    /// What to do about it.
    package var remedy: String

    /// The same as a diagnostic.
    func diagnostic(_ code: Diagnostic.Code) -> Diagnostic {
        Diagnostic(code: code, field: field, value: value, remedy: remedy)
    }
}

extension Diagnostic.Code {
    /// An event holds what the format cannot carry; it was not taken.
    public static let eventRefusedByFormat = Diagnostic.Code(rawValue: "event_refused_by_format")
    /// A queue is not there, is there already, or cannot be made.
    public static let queueInvalid = Diagnostic.Code(rawValue: "queue_invalid")
    /// Account id, beacon key or address format is missing or wrong; nothing can be sent, everything is kept.
    public static let accountIncomplete = Diagnostic.Code(rawValue: "account_incomplete")
    /// A call that collects or sends came in a pause; it did nothing.
    public static let calledWhilePaused = Diagnostic.Code(rawValue: "called_while_paused")
}
