// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore

extension Diagnostic.Code {
    /// An event has content that the format does not support.
    ///
    /// Cause: The event has a value of the wrong type or beyond a limit, so it was not appended.
    ///
    /// Remedy: Correct the part that the message names, and append the event again.
    public static let eventRefusedByFormat = Diagnostic.Code(rawValue: "event_refused_by_format", severity: .error)

    /// A queue is missing, duplicate or invalid.
    ///
    /// Cause: A call names a queue that does not exist, already exists, or cannot be created.
    ///
    /// Remedy: Add the queue first, remove the existing one, or correct its configuration.
    public static let queueInvalid = Diagnostic.Code(rawValue: "queue_invalid", severity: .error)

    /// The account is incomplete.
    ///
    /// Cause: The account id, the beacon key or the address format is missing or invalid; events are stored and not
    /// sent.
    ///
    /// Remedy: Set the value that the message names.
    public static let accountIncomplete = Diagnostic.Code(rawValue: "account_incomplete", severity: .error)

    /// A call was made during a pause.
    ///
    /// Cause: A call that collects or sends was made while the SDK is paused, and was ignored.
    ///
    /// Remedy: Call `resume` first.
    public static let calledWhilePaused = Diagnostic.Code(rawValue: "called_while_paused", severity: .warning)
}
