// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

public import TrackwayEvents

/// What an installation's folder holds, as ``JournalInspector`` found it.
public struct JournalReport: Sendable, Hashable {
    /// The installation; nil when its file is missing or damaged.
    public var installation: InstallationID?
    /// Its writers, oldest first.
    public var writers: [Writer] = []
    /// Events that became dead letters and are kept for inspection.
    public var deadLetters = 0
    /// Counts of writers whose folders are gone already.
    public var settled = Ledger()

    /// One process's part of the journal.
    public struct Writer: Sendable, Hashable {
        /// The writer.
        public var id: WriterID
        /// When it started, by the wall clock then; nil when no segment says so any more.
        public var started: Timestamp?
        /// The boot it ran in.
        public var boot: String?
        /// Its segments, in order.
        public var segments: [Segment] = []
        /// How far each destination has come.
        public var cursors: [Position] = []
        /// Why it could not be read; nil when it could.
        public var problem: String?
    }

    /// One file of records.
    public struct Segment: Sendable, Hashable {
        /// Its number; the first is 1.
        public var number: UInt32
        /// The file's size in bytes, reserved space included.
        public var bytes: Int
        /// Intact events in it.
        public var events = 0
        /// Intact records of any kind.
        public var records = 0
        /// The first and the last event's sequence number; nil when it holds none.
        public var sequences: ClosedRange<UInt64>?
        /// What had to be stepped over.
        public var damage = LogDamage()
    }

    /// One destination's cursor in a writer's log.
    public struct Position: Sendable, Hashable {
        /// The destination.
        public var destination: DestinationID
        /// Where reading goes on.
        public var position: LogPosition
        /// The first sequence number not settled.
        public var next: UInt64
        /// Events accepted.
        public var delivered: UInt64
        /// Events given up, by reason.
        public var dropped: [DropReason: UInt64]
        /// Events addressed to other destinations only.
        public var skipped: UInt64
        /// Whether the cursor's own numbers add up.
        public var isBalanced: Bool
    }

    /// Intact events in all segments.
    public var events: Int { writers.flatMap(\.segments).reduce(0) { $0 + $1.events } }

    /// Whether anything is damaged.
    public var isDamaged: Bool { writers.flatMap(\.segments).contains { !$0.damage.isEmpty } }
}
