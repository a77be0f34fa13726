// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import TrackwayEvents

/// What a removal changes in a store.
struct UsageRemoval: Sendable {
    /// The records that are gone from the log.
    var ranges: [RemovedRange] = []
    /// The records that leave the log and stay in the store.
    var withheld: [WithheldRecord] = []
    /// The records that were withheld before and are gone.
    var goneWithheld: Set<UsagePlace> = []
    /// The session in effect at the first record that is left.
    var session: UsageSession?
    /// The session that was in effect before; where another call changed it since, that one counts.
    var former: UsageSession?
    /// The places up to which the log can move, by writer.
    var through: [WriterID: UInt64] = [:]
}

/// Collects what a removal changes, record by record in the order of the log.
///
/// A log moves forward only. A record that stays in front of removed ones is therefore withheld, as long as there is room;
/// otherwise the removed ones behind it are remembered as ranges, and the log of that writer stays.
struct UsageRemovalBuilder {
    private let from: Double?
    private let until: Double?
    private var room: Int
    private var closed: [RemovedRange] = []
    private var run: RemovedRange
    private var waiting: [WriterID: [WithheldRecord]] = [:]
    private var blocked: Set<WriterID> = []
    private var withheld: [WithheldRecord] = []
    private var goneWithheld: Set<UsagePlace> = []
    private(set) var through: [WriterID: UInt64] = [:]
    private(set) var session: UsageSession?
    private let former: UsageSession?
    /// Whether a record of the log stays.
    var isAnythingLeft: Bool { !blocked.isEmpty || waiting.contains { !$0.value.isEmpty } }

    /// A builder with no record yet.
    ///
    /// - Parameters:
    ///   - bounds: the dates within which records are removed.
    ///   - room: the bytes that can be withheld.
    ///   - session: the session in effect at the first record.
    init(within bounds: RemovedRange = RemovedRange(), room: Int, session: UsageSession?) {
        from = bounds.from
        until = bounds.through
        run = RemovedRange(from: bounds.from, through: bounds.through)
        self.room = room
        self.session = session
        former = session
    }

    /// The record at a place is removed.
    ///
    /// - Parameter session: the session in effect behind it.
    mutating func remove(_ place: UsagePlace, session: UsageSession?) {
        if !blocked.contains(place.writer) {
            withheld += waiting.removeValue(forKey: place.writer) ?? []
            through[place.writer] = place.sequence
        }
        run.add(place)
        if !isAnythingLeft { self.session = session }
    }

    /// The records at these places were removed or withheld before.
    mutating func pass(_ sequences: ClosedRange<UInt64>, of writer: WriterID) {
        guard !blocked.contains(writer), waiting[writer]?.isEmpty ?? true else { return }
        through[writer] = sequences.upperBound
        run.add(sequences, of: writer)
    }

    /// The record at a place stays.
    mutating func keep(_ record: WithheldRecord, at place: UsagePlace) {
        guard !blocked.contains(place.writer) else { return close() }
        guard record.bytes <= room else {
            room += (waiting.removeValue(forKey: place.writer) ?? []).reduce(0) { $0 + $1.bytes }
            blocked.insert(place.writer)
            return close()
        }
        room -= record.bytes
        waiting[place.writer, default: []].append(record)
    }

    /// A record that was withheld before is removed.
    mutating func removeWithheld(_ place: UsagePlace) {
        goneWithheld.insert(place)
    }

    private mutating func close() {
        if !run.isEmpty { closed.append(run) }
        run = RemovedRange(from: from, through: until)
    }

    /// What changed since the last call. Ranges grow, and come again as long as they do.
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
