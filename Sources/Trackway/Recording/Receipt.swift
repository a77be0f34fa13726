// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents
internal import TrackwayJournal

/// What became of one recorded event.
public struct Receipt: Sendable, Hashable {
    /// What the event survives now.
    public enum Durability: String, Sendable, Hashable, CaseIterable {
        /// It lies on stable storage and survives power loss.
        case disk
        /// The system has it: it survives a crash and `kill -9` of the app.
        case kernel
        /// Storage fails at the moment: the event is held in memory and written as soon as storage works again.
        case memory
        /// It was not recorded; ``Receipt/dropped`` says why.
        case none
    }

    /// The event's id. An event that was not recorded has one too, which nobody will ever see.
    public let id: EventID
    /// The event's place among everything this process recorded, counted from 1; 0 when it was not recorded.
    public let sequence: UInt64
    /// What the event survives now.
    public let durability: Durability
    /// Why it was not recorded; nil when it was.
    public let dropped: DropReason?

    package init(id: EventID, sequence: UInt64, durability: Durability, dropped: DropReason? = nil) {
        self.id = id
        self.sequence = sequence
        self.durability = durability
        self.dropped = dropped
    }
}

extension Receipt {
    /// What the journal's answer means for an event.
    init(_ outcome: AppendOutcome, id: EventID) {
        switch outcome {
        case .kept(let sequence):
            self.init(id: id, sequence: sequence, durability: .kernel)
        case .held(let sequence):
            self.init(id: id, sequence: sequence, durability: .memory)
        case .dropped(let sequence, let reason):
            self.init(id: id, sequence: sequence, durability: .none, dropped: reason)
        case .closed:
            self.init(id: id, sequence: 0, durability: .none, dropped: .closed)
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
                remedy: "Free some space or make the storage folder writable; until then events are held in memory, as "
                    + "many as fit."
            )
        case .dropped(_, let reason):
            self.init(
                code: .notKept,
                field: "storage",
                value: name,
                remedy: "The event is lost and counted as \(reason). " + Self.remedy(for: reason)
            )
        }
    }

    /// Whether it says of an event that waits in memory what was said at the start: that all of them do.
    func isAwaiting(_ journal: Journal) -> Bool {
        code == .storageFailing && journal.isAwaitingStorage
    }

    private static func remedy(for reason: DropReason) -> String {
        switch reason {
        case .storageAwaited: "Record less before the device is unlocked: there is no more room in memory."
        case .storageFull: "Free some space."
        case .storageFailed: "Make the storage folder exist and be writable, and see that the app has descriptors left."
        case .journalFull: "Let destinations take events sooner, or raise maximumJournalBytes."
        case .tooLarge: "Record smaller events, or name fewer destinations."
        default: "Make the storage folder writable."
        }
    }
}
