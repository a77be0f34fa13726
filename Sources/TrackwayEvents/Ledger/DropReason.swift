// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// Why an event was not delivered, by its stable name. More may be added; keep and show the ones you do not know.
public struct DropReason: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The stable name, lower case with underscores.
    public var rawValue: String

    /// A reason by its stable name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stable name.
    public var description: String { rawValue }

    /// The record was damaged on disk.
    public static let damaged = DropReason(rawValue: "damaged")
    /// The event was older than the age limit.
    public static let expired = DropReason(rawValue: "expired")
    /// The journal reached its size limit; the oldest undelivered events went first.
    public static let journalFull = DropReason(rawValue: "journal_full")
    /// The device's storage had no room.
    public static let storageFull = DropReason(rawValue: "storage_full")
    /// The device's storage failed.
    public static let storageFailed = DropReason(rawValue: "storage_failed")
    /// The device's storage could not be used yet, as before somebody unlocks the device for the first time: the process ended before
    /// that, or there was no more room in memory.
    public static let storageAwaited = DropReason(rawValue: "storage_awaited")
    /// The folder in which events waited was removed under the running app.
    public static let storageRemoved = DropReason(rawValue: "storage_removed")
    /// The back-end refused the event.
    public static let rejected = DropReason(rawValue: "rejected")
    /// It was tried as often as the destination's policy allows, and nobody took it.
    public static let attemptsExhausted = DropReason(rawValue: "attempts_exhausted")
    /// The event was larger than the back-end takes.
    public static let tooLarge = DropReason(rawValue: "too_large")
    /// The destination's format cannot express the event.
    public static let notExpressible = DropReason(rawValue: "not_expressible")
    /// The user asked for erasure.
    public static let erased = DropReason(rawValue: "erased")
    /// Consent did not allow it.
    public static let consentDenied = DropReason(rawValue: "consent_denied")
    /// The person left without deciding on consent.
    public static let consentUndecided = DropReason(rawValue: "consent_undecided")
    /// Recording was switched off.
    public static let disabled = DropReason(rawValue: "disabled")
    /// The destination was removed from the configuration.
    public static let destinationRemoved = DropReason(rawValue: "destination_removed")
    /// The journal was already closed.
    public static let closed = DropReason(rawValue: "closed")
    /// A rule of the destination's keeps events like it from leaving.
    public static let deniedByRule = DropReason(rawValue: "denied_by_rule")
    /// A rule of the destination's lets a sample of events leave only, and this one is not in it.
    public static let sampledOut = DropReason(rawValue: "sampled_out")

    /// Whether the app decided so itself, by a rule of the destination's: nothing was lost, so the destination is told when
    /// that costs no request of its own.
    package var isByRule: Bool { self == .deniedByRule || self == .sampledOut }
}

/// Consecutive events that were not delivered, and why.
public struct DroppedRange: Sendable, Hashable {
    /// Their sequence numbers in one writer's journal.
    public var sequences: ClosedRange<UInt64>
    /// Why they were not delivered.
    public var reason: DropReason

    /// Consecutive events that were not delivered for one reason.
    public init(sequences: ClosedRange<UInt64>, reason: DropReason) {
        self.sequences = sequences
        self.reason = reason
    }
}

/// Whether an event may leave the journal for a destination, judged by the context it was recorded in.
package enum Admission: Sendable, Hashable {
    /// It travels.
    case send
    /// It waits, and everything its writer recorded after it waits behind it.
    case hold
    /// It will never travel, for this reason.
    case drop(DropReason)

    /// Judges the context an event was recorded in, by the context's JSON. An event whose context was damaged is judged
    /// by `{}`.
    ///
    /// Asked once for each context of a batch, on delivery's tasks, with the journal's consumer locked: it must be quick, and
    /// must not call the journal.
    package typealias Rule = @Sendable (_ context: [UInt8]) -> Admission
}
