// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

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
