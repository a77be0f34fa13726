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
