// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// The changes that a removal makes to a store.
struct UsageRemoval: Sendable {
    /// The records removed from the log.
    var ranges: [RemovedRange] = []
    /// The records that leave the log but stay in the store.
    var withheld: [WithheldRecord] = []
    /// The previously withheld records that are removed.
    var goneWithheld: Set<UsagePosition> = []
    /// The session in effect at the first remaining record.
    var session: UsageSession?
    /// The session in effect before the removal.
    ///
    /// If another call has changed the session since, that change is kept.
    var former: UsageSession?
    /// The positions that the log can advance to, by writer.
    var through: [WriterID: UInt64] = [:]
}

/// Collects the changes of a removal, record by record, in log order.
///
/// A log only advances. A record that stays before removed ones is therefore withheld while there is capacity.
/// Otherwise the removed records after it are saved as ranges, and that writer's log does not advance.
struct UsageRemovalBuilder {
    private let from: Double?
    private let until: Double?
    private var room: Int
    private var closed: [RemovedRange] = []
    private var run: RemovedRange
    private var waiting: [WriterID: [WithheldRecord]] = [:]
    private var blocked: Set<WriterID> = []
    private var withheld: [WithheldRecord] = []
    private var goneWithheld: Set<UsagePosition> = []
    private(set) var through: [WriterID: UInt64] = [:]
    private(set) var session: UsageSession?
    private let former: UsageSession?
    /// Whether any record of the log stays.
    var isAnythingLeft: Bool { !blocked.isEmpty || waiting.contains { !$0.value.isEmpty } }

    /// Creates a builder without records.
    ///
    /// - Parameters:
    ///   - bounds: the dates within which records are removed.
    ///   - room: the number of bytes that can be withheld.
    ///   - session: the session in effect at the first record.
    init(within bounds: RemovedRange = RemovedRange(), room: Int, session: UsageSession?) {
        from = bounds.from
        until = bounds.through
        run = RemovedRange(from: bounds.from, through: bounds.through)
        self.room = room
        self.session = session
        former = session
    }

    /// Adds a record that is removed.
    ///
    /// - Parameter session: the session in effect after it.
    mutating func remove(_ place: UsagePosition, session: UsageSession?) {
        if !blocked.contains(place.writer) {
            withheld += waiting.removeValue(forKey: place.writer) ?? []
            through[place.writer] = place.sequence
        }
        run.add(place)
        if !isAnythingLeft { self.session = session }
    }

    /// Adds records that were removed or withheld earlier.
    mutating func pass(_ sequences: ClosedRange<UInt64>, of writer: WriterID) {
        guard !blocked.contains(writer), waiting[writer]?.isEmpty ?? true else { return }
        through[writer] = sequences.upperBound
        run.add(sequences, of: writer)
    }

    /// Adds a record that stays.
    mutating func keep(_ record: WithheldRecord, at place: UsagePosition) {
        guard !blocked.contains(place.writer) else { return close() }
        guard record.bytes <= room else {
            room += (waiting.removeValue(forKey: place.writer) ?? []).reduce(0) { $0 + $1.bytes }
            blocked.insert(place.writer)
            return close()
        }
        room -= record.bytes
        waiting[place.writer, default: []].append(record)
    }

    /// Adds a previously withheld record that is removed.
    mutating func removeWithheld(_ place: UsagePosition) {
        goneWithheld.insert(place)
    }

    private mutating func close() {
        if !run.isEmpty { closed.append(run) }
        run = RemovedRange(from: from, through: until)
    }

    /// Returns the changes since the last call.
    ///
    /// A range that has grown since is returned again.
    mutating func take() -> UsageRemoval {
        var removal = UsageRemoval(session: session, former: former, through: through)
        removal.ranges = closed + (run.isEmpty ? [] : [run])
        removal.withheld = withheld
        removal.goneWithheld = goneWithheld
        closed = []
        withheld = []
        goneWithheld = []
        return removal
    }
}
