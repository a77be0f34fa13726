// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
public import Trackway
internal import TrackwayEvents

/// The records of a target at one moment: exactly those stored before, by any thread of this process, and what other processes
/// had stored.
///
/// Reading streams: memory stays constant however much is stored, and storing goes on meanwhile. Any thread; every call reads
/// files.
public final class UsageSnapshot: UsageSnapshotting, Sendable {
    /// Where a record lies.
    enum Slot: Sendable, Hashable {
        /// In the log.
        case log(UsagePlace)
        /// In the file of records that were withheld, which says whether a back end refused it.
        case withheld(UsagePlace, isRefused: Bool)
        /// It is the start of a session that an upload began; see ``UsageSession``.
        case start
    }

    /// A record with everything the store knows of it.
    struct Item {
        let record: UsageRecord
        let slot: Slot
        /// The start of its session, for a record that was withheld.
        var start: String?
        /// How far the zone in effect when it was stored was ahead of UTC, in seconds.
        var zone: Int?
        /// The earlier removal that covers it; nil when it is stored.
        var removed: RemovedRange?
        /// Whether its date is within the snapshot's bounds.
        var isShown: Bool
    }

    /// What the last reading gave out.
    private struct Reading: Sendable {
        /// The last place of each writer.
        var places: [WriterID: UInt64] = [:]
        /// The records that were withheld.
        var withheld: Set<UsagePlace> = []
        /// Whether the start of an upload's session was among them.
        var start = false
        /// How many records that were.
        var count = 0
        /// The session in effect behind them.
        var session: UsageSession?
        /// Whether reading ended before the snapshot did, through no decision of the body.
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

    /// Why the last call could not do what it says; nil when it could.
    ///
    /// Records that were removed, given up or erased since the snapshot was made end the reading: what was read before is
    /// right.
    public var failure: TrackwayError? { state.withLock { $0.failure } }

    /// Calls `body` with each record, in the order they were stored, until it returns false.
    ///
    /// Reading that cannot go on ends early, with a ``failure``. Then ``removeRecords()`` removes what was read until there,
    /// and nothing else.
    ///
    /// - Parameter body: may report, make snapshots, and remove this one.
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

    /// The number of records; of those that can be read, when there is a ``failure``.
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

    /// Removes exactly these records; when this returns without a ``failure``, that survives power loss.
    ///
    /// Called again, it removes nothing. After a reading that could not go on it removes the records that were read, keeps
    /// the others, and says so with a ``failure``.
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

    /// Reads every record until `body` returns false, those that were removed before and those outside of the bounds included.
    func read(_ body: (Item) throws -> Bool) throws {
        guard let snapshot else { return }
        var known: Set<UsagePlace> = []
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
            let place = UsagePlace(writer: event.writer, sequence: event.sequence)
            // One that was withheld is passed over here.
            let isWithheld = !known.isEmpty && known.contains(place)
            let removed = isWithheld ? RemovedRange() : removed.first { $0.holds(place, date: record.seconds) }
            if removed == nil {
                // Nothing belongs to a session that the next one follows at once.
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

    /// The session in effect behind a record.
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

    /// Removes what a reading gave out before it failed.
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
            "The last reading of the snapshot ended early, after \(reading.count) records. These were removed, and "
                + "\(left) others are still stored.",
            recoverySuggestion: "Take another snapshot for them."
        )
    }

    private func removeAll(_ snapshot: PendingEvents, after reading: Reading?) throws {
        var session = reading?.session
        if reading == nil {
            var found = self.session
            // Records that cannot be read cannot say which session comes last; they are removed all the same.
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
        // The session changes in one step with the records that it began with.
        if removal.session != self.session || !removal.goneWithheld.isEmpty {
            if !range.isEmpty { removal.ranges = [range] }
            try core.apply(removal, of: target, forgetting: [])
        }
        do throws(TrackwayError) {
            try snapshot.remove()
        } catch {
            guard error.code == .deliveredElsewhere, !range.isEmpty else { throw error }
            // The other process moves the log; until then the removal is remembered.
            removal.ranges = [range]
            return try core.apply(removal, of: target, forgetting: [])
        }
        core.forget(removed + [range], of: target)
    }

    /// Moves the log over what was removed.
    func moveLog(through places: [WriterID: UInt64]) {
        if let snapshot { core.moveLog(of: target, snapshot, through: places) }
    }
}

extension UsageRecord {
    /// The date in seconds since 2001.
    fileprivate var seconds: Double { date.timeIntervalSinceReferenceDate }

    /// Reads a record back; nil for events that are none of a store's.
    fileprivate init?(_ event: RecordedEvent) {
        guard event.name == UsageStoreCore.eventName, let text = event.attributes[UsageStoreCore.recordKey]?.string
        else { return nil }
        self.init(written: text)
    }
}
