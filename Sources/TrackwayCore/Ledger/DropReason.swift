// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

/// The reason why an event was not delivered, by its stable name.
///
/// More reasons may be added; code that processes them must preserve and display unknown ones.
public struct DropReason: Sendable, Hashable, Codable, RawRepresentable, CustomStringConvertible {
    /// The stable name, lower case with underscores.
    public var rawValue: String

    /// Creates a reason from its stable name.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The stable name.
    public var description: String { rawValue }

    /// Whether the app's own rule for the destination dropped the event.
    ///
    /// If so, nothing was lost, and the drop is reported to the destination only if that requires no separate request.
    package var isCausedByRule: Bool { self == .deniedByRule || self == .sampledOut }
}

/// Consecutive events that were not delivered, with the reason.
public struct DroppedRange: Sendable, Hashable {
    /// The events' sequence numbers in one writer's journal.
    public var sequences: ClosedRange<UInt64>
    /// The reason why the events were not delivered.
    public var reason: DropReason

    /// Creates a range of dropped events.
    public init(sequences: ClosedRange<UInt64>, reason: DropReason) {
        self.sequences = sequences
        self.reason = reason
    }
}

/// Whether an event may be sent, based on its recorded context.
package enum Admission: Sendable, Hashable {
    /// The event is sent.
    case send
    /// The event is held.
    ///
    /// All events that its writer recorded after it are held, too.
    case hold
    /// The event is dropped for a reason, and never sent.
    case drop(DropReason)

    /// A function that decides based on the JSON of an event's context.
    ///
    /// If that context was damaged, the JSON is `{}`. The function is called once for each context of a batch, on
    /// delivery tasks, while the journal's consumer is locked. It must be fast, and must not call the journal.
    package typealias Rule = @Sendable (_ context: [UInt8]) -> Admission
}
