// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayJournal

/// The result of recording one event.
public struct Receipt: Sendable, Hashable {
    /// What happened to the event.
    public enum Outcome: Sendable, Hashable {
        /// It was recorded, and survives what the durability says.
        case recorded(Durability)
        /// It was not recorded, for this reason.
        case dropped(DropReason)
    }

    /// What a recorded event survives.
    public enum Durability: String, Sendable, Hashable, CaseIterable {
        /// It is on stable storage and survives power loss.
        case disk
        /// The operating system has it: it survives a crash and `kill -9` of the app.
        case kernel
        /// Storage fails at the moment: the event is in memory and is written as soon as storage works again.
        case memory
    }

    /// The event's id, also of an event that was not recorded.
    public let id: EventID
    /// The event's number among the events that this process recorded, from 1; 0 if it was not recorded.
    public let sequence: UInt64
    /// What happened to the event.
    public let outcome: Outcome

    /// Whether the event was recorded.
    public var isRecorded: Bool { durability != nil }

    /// What the event survives; nil if it was not recorded.
    package var durability: Durability? {
        if case .recorded(let durability) = outcome { durability } else { nil }
    }

    /// The reason for which it was not recorded; nil if it was.
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
    /// What the journal's answer means for an event.
    init(_ outcome: AppendOutcome, id: EventID) {
        switch outcome {
        case .kept(let sequence):
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
    /// What is to be told when the journal could not keep an event as it should; nil when it could.
    init?(_ outcome: AppendOutcome, _ name: String) {
        switch outcome {
        case .kept, .closed:
            return nil
        case .held:
            self.init(
                code: .storageFailing,
                field: "storage",
                value: name,
                message: "The event \(name.quoted) could not be written. Events are held in memory, as many as fit, "
                    + "until the storage works again.",
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

    /// Whether it says of an event that waits in memory what was said at the start: that all of them do.
    func isAwaiting(_ journal: Journal) -> Bool {
        code == .storageFailing && journal.isAwaitingStorage
    }

    private static func suggestion(for reason: DropReason) -> String {
        switch reason {
        case .storageAwaited: "Record less before the device is unlocked; the memory buffer is full."
        case .storageFull: "Free some space."
        case .storageFailed: "Make the storage folder exist and be writable, and check the limit of open files."
        case .journalFull: "Deliver events sooner, or raise storage.maximumBytes."
        case .tooLarge: "Record smaller events, or address fewer destinations."
        default: "Make the storage folder writable."
        }
    }
}
