// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
public import Trackway
internal import TrackwayEvents

/// A target's records at one moment.
///
/// Contains exactly the records stored before it was created, by any thread of this process, and those that other
/// processes had stored by then.
///
/// Reading streams the records: memory use stays constant regardless of their number, and storing continues during a
/// read. Thread-safe; every call reads files.
public final class UsageSnapshot: UsageSnapshotting, Sendable {
    /// Where a record is stored.
    enum Slot: Sendable, Hashable {
        /// In the log.
        case log(UsagePosition)
        /// In the file of withheld records.
        ///
        /// `isRefused` is whether a back end rejected it.
        case withheld(UsagePosition, isRefused: Bool)
        /// The start of a session that an upload began; see ``UsageSession``.
        case start
    }

    /// A record with everything the store knows about it.
    struct Item {
        let record: UsageRecord
        let slot: Slot
        /// The start of the record's session, for a withheld record.
        var start: String?
        /// The offset from UTC when the record was stored, in seconds.
        var zone: Int?
        /// The earlier removal that covers the record.
        ///
        /// Nil if the record is still stored.
        var removed: RemovedRange?
        /// Whether its date is within the snapshot's bounds.
        var isShown: Bool
    }

    /// The results of the last read.
    private struct Reading: Sendable {
        /// The last position read, by writer.
        var places: [WriterID: UInt64] = [:]
        /// The withheld records that were read.
        var withheld: Set<UsagePosition> = []
        /// Whether the start of an upload's session was read.
        var start = false
        /// The number of records passed to the caller.
        var count = 0
        /// The session in effect after the last record read.
        var session: UsageSession?
        /// Whether an error, rather than the caller, stopped the reading.
        var isFailed = false
    }

    private struct State: Sendable {
        var failure: TrackwayError?
        var reading: Reading?
    }

    let target: String
    let core: UsageStoreCore
    let session: UsageSession?
    private let snapshot: PendingEvents?
    private let removed: [RemovedRange]
    private let withheld: [WithheldRecord]
    private let bounds: RemovedRange
    private let state: Locked<State>

    init(
        of target: String,
        _ snapshot: PendingEvents?,
        in core: UsageStoreCore,
        without removed: [RemovedRange] = [],
        and withheld: [WithheldRecord] = [],
        in session: UsageSession? = nil,
        within bounds: RemovedRange,
        failed failure: TrackwayError? = nil
    ) {
        self.target = target
        self.snapshot = snapshot
        self.core = core
        self.removed = removed
        self.withheld = withheld
        self.session = session
        self.bounds = bounds
        state = Locked(State(failure: failure))
        if let failure { core.environment.report(failure, in: "snapshot(for:)") }
    }

    /// Why the last call failed, or nil if it succeeded.
    ///
    /// Reading stops at records that were removed, dropped or erased after the snapshot was created. The records read
    /// before that point are valid.
    public var failure: TrackwayError? { state.withLock { $0.failure } }

    /// Calls `body` with each record until it returns false.
    ///
    /// Records come in the order they were stored. If reading fails, it ends early with a ``failure``;
    /// ``removeRecords()`` then removes only the records read up to that point.
    ///
    /// - Parameter body: may report records, take snapshots, and remove this snapshot's records.
    public func records(_ body: (UsageRecord) -> Bool) {
        var reading = Reading()
        perform("records(_:)") {
            reading.isFailed = true
            try read { item in
                note(item, in: &reading)
                guard item.removed == nil, item.isShown else { return true }
                reading.count += 1
                return body(item.record)
            }
            reading.isFailed = false
        }
        let done = reading
        state.withLock { $0.reading = done }
    }

    /// The number of records.
    ///
    /// If there is a ``failure``, the number of readable records.
    public func recordCount() -> Int {
        var count = 0
        perform("recordCount()") {
            try read { item in
                if item.removed == nil, item.isShown { count += 1 }
                return true
            }
        }
        return count
    }

    /// Removes exactly these records.
    ///
    /// If this returns without a ``failure``, the removal survives power loss. A second call removes nothing. After a
    /// read that failed, this removes the records that were read, keeps the others, and sets ``failure``.
    public func removeRecords() {
        perform("removeRecords()") { try remove() }
    }

    // MARK: Reading

    private func perform(_ call: String, _ body: () throws -> Void) {
        guard snapshot != nil else { return }
        var failure: TrackwayError?
        do {
            try body()
        } catch {
            failure =
                error as? TrackwayError
                ?? TrackwayError(.storageUnavailable, "The records cannot be read.", cause: error)
        }
        let result = failure
        state.withLock { $0.failure = result }
        if let failure { core.environment.report(failure, in: call) }
    }

    /// Reads every record until `body` returns false.
    ///
    /// Includes records that were removed earlier and records outside the bounds.
    func read(_ body: (Item) throws -> Bool) throws {
        guard let snapshot else { return }
        var known: Set<UsagePosition> = []
        for kept in withheld {
            guard let place = kept.place, let record = UsageRecord(written: kept.record) else { continue }
            known.insert(place)
            var item = Item(
                record: record,
                slot: .withheld(place, isRefused: kept.isRefused == true),
                isShown: bounds.holds(date: record.seconds)
            )
            item.start = kept.start
            guard try body(item) else { return }
        }
        var start = session?.unsentStart
        func takeStart() throws -> Bool {
            guard let record = start else { return true }
            start = nil
            return try body(Item(record: record, slot: .start, isShown: bounds.holds(date: record.seconds)))
        }
        var isStopped = false
        try snapshot.readEvents { event in
            guard let record = UsageRecord(event) else { return true }
            let place = UsagePosition(writer: event.writer, sequence: event.sequence)
            // A withheld record was already read above; its copy in the log counts as removed.
            let isWithheld = !known.isEmpty && known.contains(place)
            let removed = isWithheld ? RemovedRange() : removed.first { $0.holds(place, date: record.seconds) }
            if removed == nil {
                // Skip the start of a session that is immediately followed by another: it has no records.
                if record.event == .sessionStart { start = nil }
                guard try takeStart() else {
                    isStopped = true
                    return false
                }
            }
            var item = Item(record: record, slot: .log(place), isShown: bounds.holds(date: record.seconds))
            item.removed = removed
            item.zone = event.context["device"]?["zone_offset_seconds"]?.integer.map { Int($0) }
            guard try body(item) else {
                isStopped = true
                return false
            }
            return true
        }
        if !isStopped { _ = try takeStart() }
    }

    private func note(_ item: Item, in reading: inout Reading) {
        switch item.slot {
        case .log(let place): reading.places[place.writer] = place.sequence
        case .withheld(let place, _): if item.isShown { reading.withheld.insert(place) }
        case .start: if item.isShown { reading.start = true }
        }
        if case .withheld = item.slot { return }
        reading.session = following(reading.session ?? session, item)
    }

    /// Returns the session in effect after a record.
    private func following(_ session: UsageSession?, _ item: Item) -> UsageSession? {
        guard item.removed == nil else { return session }
        switch item.record.event {
        case .sessionStart:
            guard let text = item.record.written().text else { return session }
            return UsageSession(start: text, isSent: true, isOpen: true)
        case .sessionEnd:
            var ended = session
            ended?.isOpen = false
            return ended
        case .event: return session
        }
    }

    // MARK: Removing

    private func remove() throws {
        guard let snapshot else { return }
        let reading = state.withLock { $0.reading }
        if let reading, reading.isFailed { return try remove(reading, of: snapshot) }
        guard bounds.from != nil || bounds.through != nil else { return try removeAll(snapshot, after: reading) }
        var session = session
        var matched: Set<RemovedRange> = []
        var builder = UsageRemovalBuilder(within: bounds, room: core.withheldRoom, session: session)
        try read { item in
            if let removed = item.removed { matched.insert(removed) }
            let start = session?.start
            if case .withheld = item.slot {} else { session = following(session, item) }
            switch item.slot {
            case .withheld(let place, _): if item.isShown { builder.removeWithheld(place) }
            case .start: break
            case .log(let place) where item.removed != nil:
                builder.pass(place.sequence...place.sequence, of: place.writer)
            case .log(let place) where item.isShown:
                var behind = session
                behind?.isSent = true
                builder.remove(place, session: behind)
            case .log(let place):
                guard let text = item.record.written().text else { return true }
                let own = item.record.event == .sessionStart ? nil : start
                builder.keep(WithheldRecord(text, at: place, start: own), at: place)
            }
            return true
        }
        var removal = builder.take()
        if let start = self.session?.unsentStart, bounds.holds(date: start.seconds), removal.session == self.session {
            removal.session?.isSent = true
        }
        try core.apply(removal, of: target, forgetting: removed.filter { !matched.contains($0) })
        core.moveLog(of: target, snapshot, through: removal.through)
    }

    /// Removes the records that were read before reading failed.
    private func remove(_ reading: Reading, of snapshot: PendingEvents) throws {
        var removal = UsageRemoval(goneWithheld: reading.withheld, session: reading.session ?? session, former: session)
        if reading.start { removal.session?.isSent = true }
        var range = RemovedRange(from: bounds.from, through: bounds.through)
        for (writer, last) in reading.places { range.add(0...last, of: writer) }
        if !range.isEmpty { removal.ranges = [range] }
        try core.apply(removal, of: target, forgetting: [])
        if bounds.from == nil, bounds.through == nil {
            core.moveLog(of: target, snapshot, through: reading.places)
        }
        let left = core.snapshot(for: target, through: snapshot.places, within: bounds).recordCount()
        guard left > 0 else { return }
        throw TrackwayError(
            .storageUnavailable,
            "The last read of the snapshot ended early, after \(reading.count) records. These were removed, and "
                + "\(left) others are still stored.",
            recoverySuggestion: "Take another snapshot for the rest."
        )
    }

    private func removeAll(_ snapshot: PendingEvents, after reading: Reading?) throws {
        var session = reading?.session
        if reading == nil {
            var found = self.session
            // Unreadable records cannot show which session comes last, but they are removed anyway.
            try? read { item in
                if case .withheld = item.slot { return true }
                found = following(found, item)
                return true
            }
            session = found
        }
        session?.isSent = true
        var removal = UsageRemoval(session: session ?? self.session, former: self.session)
        removal.goneWithheld = Set(withheld.compactMap(\.place))
        var range = RemovedRange()
        for (writer, last) in snapshot.places { range.add(0...last, of: writer) }
        // The session must change in the same write as the records that it began with.
        if removal.session != self.session || !removal.goneWithheld.isEmpty {
            if !range.isEmpty { removal.ranges = [range] }
            try core.apply(removal, of: target, forgetting: [])
        }
        do throws(TrackwayError) {
            try snapshot.remove()
        } catch {
            guard error.code == .deliveredElsewhere, !range.isEmpty else { throw error }
            // The other process advances the log; until then the saved removal hides the records.
            removal.ranges = [range]
            return try core.apply(removal, of: target, forgetting: [])
        }
        core.forget(removed + [range], of: target)
    }

    /// Advances the log past the removed records.
    func moveLog(through places: [WriterID: UInt64]) {
        if let snapshot { core.moveLog(of: target, snapshot, through: places) }
    }
}

extension UsageRecord {
    /// The date in seconds since 2001.
    fileprivate var seconds: Double { date.timeIntervalSinceReferenceDate }

    /// Decodes a record; nil for events that a store did not write.
    fileprivate init?(_ event: RecordedEvent) {
        guard event.name == UsageStoreCore.eventName, let text = event.attributes[UsageStoreCore.recordKey]?.string
        else { return nil }
        self.init(written: text)
    }
}
