// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayCore
internal import TrackwayJournal

/// The result of recording one event.
public struct Receipt: Sendable, Hashable {
    /// The outcome of recording an event.
    public enum Outcome: Sendable, Hashable {
        /// The event was recorded with this durability.
        case recorded(Durability)
        /// The event was not recorded, for this reason.
        case dropped(DropReason)
    }

    /// The durability of a recorded event.
    public enum Durability: Sendable, Hashable, CaseIterable {
        /// The event is on stable storage and survives power loss.
        case disk
        /// The operating system has received the event.
        ///
        /// The event survives a crash or `kill -9` of the app.
        case kernel
        /// The event is in memory because storage is failing.
        ///
        /// The event is written as soon as storage works again.
        case memory
    }

    /// The event's id, even if the event was not recorded.
    public let id: EventID
    /// The event's number among the events that this process recorded.
    ///
    /// Numbers start at 1. The number is 0 if the event was rejected before it reached storage; an event that storage
    /// lost has a number.
    public let sequence: UInt64
    /// The outcome of recording the event.
    public let outcome: Outcome

    /// Whether the event was recorded.
    public var isRecorded: Bool { durability != nil }

    /// The event's durability; nil if it was not recorded.
    package var durability: Durability? {
        if case .recorded(let durability) = outcome { durability } else { nil }
    }

    /// The reason for not recording the event; nil if it was recorded.
    package var dropped: DropReason? {
        if case .dropped(let reason) = outcome { reason } else { nil }
    }

    package init(id: EventID, sequence: UInt64, _ outcome: Outcome) {
        self.id = id
        self.sequence = sequence
        self.outcome = outcome
    }
}

extension Receipt {
    /// Creates the receipt for the outcome of a journal append.
    init(_ outcome: AppendOutcome, id: EventID) {
        switch outcome {
        case .stored(let sequence):
            self.init(id: id, sequence: sequence, .recorded(.kernel))
        case .held(let sequence):
            self.init(id: id, sequence: sequence, .recorded(.memory))
        case .dropped(let sequence, let reason):
            self.init(id: id, sequence: sequence, .dropped(reason))
        case .closed:
            self.init(id: id, sequence: 0, .dropped(.closed))
        }
    }
}

extension Diagnostic {
    /// Creates the diagnostic for an event that was not stored normally.
    ///
    /// nil if the event was stored or the journal is closed.
    init?(_ outcome: AppendOutcome, _ name: String) {
        switch outcome {
        case .stored, .closed:
            return nil
        case .held:
            self.init(
                code: .storageFailing,
                field: "storage",
                value: name,
                message: "The event \(name.quoted) could not be written. As many events as fit are held in memory "
                    + "until storage works again.",
                recoverySuggestion: "Free some space, or make the storage folder writable."
            )
        case .dropped(_, let reason):
            self.init(
                code: .notKept,
                field: "storage",
                value: name,
                message: "The event \(name.quoted) is lost and counted as \(reason).",
                recoverySuggestion: Self.suggestion(for: reason)
            )
        }
    }

    /// Whether the start already reported that events are held in memory.
    func isAwaiting(_ journal: Journal) -> Bool {
        code == .storageFailing && journal.isAwaitingStorage
    }

    private static func suggestion(for reason: DropReason) -> String {
        switch reason {
        case .storageAwaited: "Record fewer events before the device is unlocked; the memory buffer is full."
        case .storageFull: "Free some space."
        case .storageFailed: "Check that the storage folder exists and is writable, and check the limit on open files."
        case .journalFull: "Deliver events sooner, or raise storage.maximumBytes."
        case .tooLarge: "Record smaller events, or address fewer destinations."
        default: "Make the storage folder writable."
        }
    }
}
