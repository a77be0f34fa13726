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
    private let target: String
    private let snapshot: TargetSnapshot?
    private let core: UsageStoreCore
    private let removed: [RemovedRange]
    private let bounds: RemovedRange
    private let state: Locked<TrackwayError?>

    init(
        of target: String,
        _ snapshot: TargetSnapshot?,
        in core: UsageStoreCore,
        without removed: [RemovedRange],
        within bounds: RemovedRange,
        failed failure: TrackwayError? = nil
    ) {
        self.target = target
        self.snapshot = snapshot
        self.core = core
        self.removed = removed
        self.bounds = bounds
        state = Locked(failure)
        if let failure { core.environment.report(failure, in: "snapshot(for:)") }
    }

    /// Why the last call could not do what it says; nil when it could. Records that were removed, given up or erased since the
    /// snapshot was made end the reading: what was read before is right.
    public var failure: TrackwayError? { state.withLock { $0 } }

    /// Calls `body` with each record, in the order they were stored, until it returns false.
    ///
    /// - Parameter body: may report, make snapshots, and remove this one.
    public func records(_ body: (UsageRecord) -> Bool) {
        perform("records(_:)") { try each { record, _ in body(record) } }
    }

    /// The same with each record's place.
    func records(_ body: (UsageRecord, UsagePlace) -> Bool) {
        perform("records(_:)") { try each(body) }
    }

    /// How many records there are; as far as they can be read, when ``failure`` says that something is in the way.
    public func recordCount() -> Int {
        var count = 0
        perform("recordCount()") {
            try each { _, _ in
                count += 1
                return true
            }
        }
        return count
    }

    /// Removes exactly these records; when this returns without a ``failure``, that survives power loss. Again, it removes
    /// nothing.
    public func removeRecords() {
        perform("removeRecords()") { try remove() }
    }

    /// Removes these records but those at positions that stay, which are counted from 0 in the order they are read.
    func removeRecords(staying isStaying: (Int) -> Bool) {
        perform("removeRecords()") { try remove(staying: isStaying) }
    }

    // MARK: Doing it

    private func perform(_ call: String, _ body: () throws -> Void) {
        guard snapshot != nil else { return }
        var failure: TrackwayError?
        do {
            try body()
        } catch {
            failure =
                error as? TrackwayError
                ?? TrackwayError(.storageUnavailable, "the records cannot be read", cause: error)
        }
        let told = failure
        state.withLock { $0 = told }
        if let failure { core.environment.report(failure, in: call) }
    }

    private func each(_ body: (UsageRecord, UsagePlace) -> Bool) throws {
        try readAll { record, place, isRemoved in
            isRemoved == nil && bounds.holds(date: record.seconds) ? body(record, place) : true
        }
    }

    /// Reads on through what was removed and what the bounds leave out, too.
    private func readAll(_ body: (UsageRecord, UsagePlace, _ isRemoved: RemovedRange?) -> Bool) throws {
        try snapshot?.readEvents { event in
            guard let record = UsageRecord(event) else { return true }
            let place = UsagePlace(writer: event.writer, sequence: event.sequence)
            return body(record, place, removed.first { $0.holds(place, date: record.seconds) })
        }
    }

    private func remove() throws {
        guard let snapshot else { return }
        guard bounds.from != nil || bounds.through != nil else { return try removeAll(snapshot) }
        // Of a part, the places are remembered; if nothing stays, it is all of it.
        var gone = bounds
        var staying = 0
        var matched: Set<RemovedRange> = []
        try readAll { record, place, isRemoved in
            if let isRemoved {
                matched.insert(isRemoved)
            } else if bounds.holds(date: record.seconds) {
                gone.add(place)
            } else {
                staying += 1
            }
            return true
        }
        guard staying > 0 else { return try removeAll(snapshot) }
        try remember([gone], forgetting: removed.filter { !matched.contains($0) })
    }

    private func remove(staying isStaying: (Int) -> Bool) throws {
        guard let snapshot else { return }
        // In runs, through what was removed before: so there are never more of them than stretches of records that stay.
        var runs: [RemovedRange] = []
        var run = RemovedRange()
        var staying = 0
        var position = 0
        var matched: Set<RemovedRange> = []
        try readAll { record, place, isRemoved in
            if let isRemoved {
                matched.insert(isRemoved)
                run.add(place)
                return true
            }
            let isShown = bounds.holds(date: record.seconds)
            let isGone = isShown && !isStaying(position)
            if isShown { position += 1 }
            if isGone {
                run.add(place)
            } else {
                staying += 1
                if !run.isEmpty { runs.append(run) }
                run = RemovedRange()
            }
            return true
        }
        if !run.isEmpty { runs.append(run) }
        guard staying > 0 else { return try removeAll(snapshot) }
        try remember(runs, forgetting: removed.filter { !matched.contains($0) })
    }

    private func remember(_ ranges: [RemovedRange], forgetting past: [RemovedRange]) throws(TrackwayError) {
        guard core.remember(ranges, of: target, forgetting: past) else {
            throw TrackwayError(.storageUnavailable, "the removal could not be written down; call again")
        }
    }

    private func removeAll(_ snapshot: TargetSnapshot) throws(TrackwayError) {
        try snapshot.remove()
        core.forget(removed, of: target)
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
