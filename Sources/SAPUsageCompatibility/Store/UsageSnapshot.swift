// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
public import Trackway
internal import TrackwayCore

/// A target's records at one point in time.
///
/// A snapshot contains exactly the records that any thread of this process or another process stored before the
/// snapshot was created.
///
/// Reading streams the records: memory use stays constant regardless of their number, and storing continues during a
/// read. Thread-safe; every call reads files.
public final class UsageSnapshot: UsageSnapshotting, Sendable {
    /// The place where a record is stored.
    enum Slot: Sendable, Hashable {
        /// The record is in the log.
        case log(UsagePosition)
        /// The record is in the file of withheld records.
        ///
        /// `isRefused` is true if a back end rejected the record.
        case withheld(UsagePosition, isRefused: Bool)
        /// The start of a session that an upload began; see ``UsageSession``.
        case start
    }

    /// A record with the store's information about it.
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
        /// Whether the record's date is within the snapshot's bounds.
        var isShown: Bool
    }

    /// The results of the last read.
    private struct ReadProgress: Sendable {
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
        var progress: ReadProgress?
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
        removed: [RemovedRange] = [],
        withheld: [WithheldRecord] = [],
        session: UsageSession? = nil,
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

    /// The error of the last call; nil if it succeeded.
    ///
    /// Reading stops at records that were removed, dropped, or erased after the snapshot was created. The records
    /// read before that point are valid.
    public var failure: TrackwayError? { state.withLock { $0.failure } }

    /// Calls `body` with each record until it returns false.
    ///
    /// Records are passed in the order in which they were stored. If reading fails, it ends early and sets
    /// ``failure``; ``removeRecords()`` then removes only the records read up to that point.
    ///
    /// - Parameter body: may report records, take snapshots, and remove this snapshot's records.
    public func records(_ body: (UsageRecord) -> Bool) {
        var progress = ReadProgress()
        perform("records(_:)") {
            progress.isFailed = true
            try read { item in
                recordProgress(of: item, in: &progress)
                guard item.removed == nil, item.isShown else { return true }
                progress.count += 1
                return body(item.record)
            }
            progress.isFailed = false
        }
        let done = progress
        state.withLock { $0.progress = done }
    }

    /// The number of records.
    ///
    /// If there is a ``failure``, this is the number of readable records.
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

    /// Removes exactly the snapshot's records.
    ///
    /// If this method returns without a ``failure``, the removal survives power loss. A second call has no effect.
    /// After a failed read, this method removes the records that were read, keeps the others, and sets ``failure``.
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
        for entry in withheld {
            guard let position = entry.position, let record = UsageRecord(encoded: entry.record) else { continue }
            known.insert(position)
            var item = Item(
                record: record,
                slot: .withheld(position, isRefused: entry.isRefused == true),
                isShown: bounds.contains(date: record.seconds)
            )
            item.start = entry.start
            guard try body(item) else { return }
        }
        var start = session?.unsentStart
        func readStart() throws -> Bool {
            guard let record = start else { return true }
            start = nil
            return try body(Item(record: record, slot: .start, isShown: bounds.contains(date: record.seconds)))
        }
        var events = snapshot.events.makeAsyncIterator()
        while let event = try events.next() {
            guard let record = UsageRecord(event) else { continue }
            let position = UsagePosition(writer: event.writer, sequence: event.sequence)
            // A withheld record was already read above; its copy in the log counts as removed.
            let isWithheld = !known.isEmpty && known.contains(position)
            let removed = isWithheld ? RemovedRange() : removed.first { $0.contains(position, date: record.seconds) }
            if removed == nil {
                // Skip the start of a session that is immediately followed by another session, because it has no
                // records.
                if record.event == .sessionStart { start = nil }
                guard try readStart() else { return }
            }
            var item = Item(record: record, slot: .log(position), isShown: bounds.contains(date: record.seconds))
            item.removed = removed
            item.zone = event.context["device"]?["zone_offset_seconds"]?.integer.map { Int($0) }
            guard try body(item) else { return }
        }
        _ = try readStart()
    }

    private func recordProgress(of item: Item, in progress: inout ReadProgress) {
        switch item.slot {
        case .log(let position): progress.places[position.writer] = position.sequence
        case .withheld(let position, _): if item.isShown { progress.withheld.insert(position) }
        case .start: if item.isShown { progress.start = true }
        }
        if case .withheld = item.slot { return }
        progress.session = sessionInEffect(after: item, from: progress.session ?? session)
    }

    /// Returns the session in effect after a record.
    private func sessionInEffect(after item: Item, from session: UsageSession?) -> UsageSession? {
        guard item.removed == nil else { return session }
        switch item.record.event {
        case .sessionStart:
            guard let text = item.record.encoded().text else { return session }
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
        let progress = state.withLock { $0.progress }
        if let progress, progress.isFailed { return try remove(progress, of: snapshot) }
        guard bounds.from != nil || bounds.through != nil else { return try removeAll(snapshot, after: progress) }
        var session = session
        var matched: Set<RemovedRange> = []
        var builder = UsageRemovalBuilder(within: bounds, remainingBytes: core.remainingWithheldBytes, session: session)
        try read { item in
            if let removed = item.removed { matched.insert(removed) }
            let start = session?.start
            if case .withheld = item.slot {} else { session = sessionInEffect(after: item, from: session) }
            switch item.slot {
            case .withheld(let position, _): if item.isShown { builder.removeWithheld(position) }
            case .start: break
            case .log(let position) where item.removed != nil:
                builder.skip(position.sequence...position.sequence, of: position.writer)
            case .log(let position) where item.isShown:
                var sessionAfter = session
                sessionAfter?.isSent = true
                builder.remove(position, session: sessionAfter)
            case .log(let position):
                guard let text = item.record.encoded().text else { return true }
                let own = item.record.event == .sessionStart ? nil : start
                builder.retain(WithheldRecord(text, at: position, start: own), at: position)
            }
            return true
        }
        var removal = builder.takeRemoval()
        if let start = self.session?.unsentStart, bounds.contains(date: start.seconds), removal.session == self.session
        {
            removal.session?.isSent = true
        }
        try core.apply(removal, of: target, forgetting: removed.filter { !matched.contains($0) })
        core.advanceLog(of: target, snapshot, through: removal.through)
    }

    /// Removes the records that were read before reading failed.
    private func remove(_ progress: ReadProgress, of snapshot: PendingEvents) throws {
        var removal = UsageRemoval(
            removedWithheld: progress.withheld,
            session: progress.session ?? session,
            previousSession: session
        )
        if progress.start { removal.session?.isSent = true }
        var range = RemovedRange(from: bounds.from, through: bounds.through)
        for (writer, last) in progress.places { range.add(0...last, of: writer) }
        if !range.isEmpty { removal.ranges = [range] }
        try core.apply(removal, of: target, forgetting: [])
        if bounds.from == nil, bounds.through == nil {
            core.advanceLog(of: target, snapshot, through: progress.places)
        }
        let remaining = core.snapshot(for: target, through: snapshot.places, within: bounds).recordCount()
        guard remaining > 0 else { return }
        throw TrackwayError(
            .storageUnavailable,
            "The last read of the snapshot ended early, after \(progress.count) records. These were removed, and "
                + "\(remaining) others are still stored.",
            recoverySuggestion: "Take another snapshot for the rest."
        )
    }

    private func removeAll(_ snapshot: PendingEvents, after progress: ReadProgress?) throws {
        var session = progress?.session
        if progress == nil {
            var found = self.session
            // If records are unreadable, the last session is unknown, but the records are removed anyway.
            try? read { item in
                if case .withheld = item.slot { return true }
                found = sessionInEffect(after: item, from: found)
                return true
            }
            session = found
        }
        session?.isSent = true
        var removal = UsageRemoval(session: session ?? self.session, previousSession: self.session)
        removal.removedWithheld = Set(withheld.compactMap(\.position))
        var range = RemovedRange()
        for (writer, last) in snapshot.places { range.add(0...last, of: writer) }
        // The session and its first records must be changed in the same write.
        if removal.session != self.session || !removal.removedWithheld.isEmpty {
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
    func advanceLog(through places: [WriterID: UInt64]) {
        if let snapshot { core.advanceLog(of: target, snapshot, through: places) }
    }
}

extension UsageRecord {
    /// The date in seconds since 2001.
    fileprivate var seconds: Double { date.timeIntervalSinceReferenceDate }

    /// Decodes a record; nil for events that a store did not write.
    fileprivate init?(_ event: RecordedEvent) {
        guard event.name == UsageStoreCore.eventName, let text = event.attributes[UsageStoreCore.recordKey]?.string
        else { return nil }
        self.init(encoded: text)
    }
}
