// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

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
