// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
internal import TrackwayJournal

/// The tables, as used for deleting erased records from their stream.
package protocol ErasedStore: ColumnStore {
    /// Returns all erased installations.
    ///
    /// - Throws: ``ColumnFailure``.
    func erased() async throws(ColumnFailure) -> Set<InstallationID>

    /// Returns the blocks in which data of erased installations arrived, in order.
    ///
    /// This includes events that were not stored.
    ///
    /// - Parameters:
    ///   - done: Blocks up to this one are omitted for installations that were erased in one of them.
    ///   - goal: The last block to consider, for arrivals and for erasures.
    ///   - first: The first block to return.
    /// - Throws: ``ColumnFailure``.
    func erasedBlocks(
        after done: UInt64,
        upTo goal: UInt64,
        from first: UInt64
    ) async throws(ColumnFailure) -> [UInt64]
}

/// The result of deleting the records of erased installations.
package struct DeletionReport: Sendable, Hashable {
    /// The number of deleted records.
    package var deleted = 0
    /// The number of blocks still to be searched; nil if unknown.
    package var left: Int?
    /// Why no more records were deleted; nil if unknown.
    package var hold: DeletionPlanner.Hold?
    /// Why the search could not be finished; nil if it was.
    package var trouble: String?

    /// Creates an empty report.
    package init() {}
}

extension ForwardingRunner {
    /// The pause after reading a block.
    private static let pause: Duration = .milliseconds(20)

    /// Deletes the stream's records that belong to erased installations only.
    ///
    /// Runs a ``DeletionPlanner`` once. Concurrent runs are safe.
    ///
    /// - Parameters:
    ///   - list: The list of deleted records.
    ///   - stream: The stream.
    ///   - store: The tables.
    package func eraseRecords(
        _ list: some DeletedRecordList,
        _ stream: some StreamMaintenance,
        _ store: some ErasedStore
    ) async -> DeletionReport {
        var report = DeletionReport()
        var erasure = DeletionPlanner()
        do throws(StepFailure) {
            var erased: Set<InstallationID>?
            var first: UInt64 = 1
            while erasure.order != .end {
                if Task.isCancelled { throw StepFailure(reason: "The operation was canceled.") }
                if let fault = fault { throw StepFailure(reason: fault) }
                switch erasure.order {
                case .look:
                    let look = try await look(list, stream, store)
                    first = look.extent.first
                    erasure.looked(look)
                case .find(let done, let goal, let from):
                    erasure.found(
                        try await ask { () throws(ColumnFailure) in
                            try await store.erasedBlocks(after: done, upTo: goal, from: from)
                        }
                    )
                case .read(let block):
                    let whose: Set<InstallationID>
                    if let known = erased {
                        whose = known
                    } else {
                        whose = try await ask { () throws(ColumnFailure) in try await store.erased() }
                        erased = whose
                    }
                    erasure.read(try await records(of: whose, in: block, since: first))
                    await sleep(Self.pause)
                case .prepare, .list, .delete, .note, .end:
                    do throws(StreamMaintenanceError) {
                        try await carryOut(&erasure, list)
                    } catch {
                        throw StepFailure(reason: error.description)
                    }
                }
            }
            report.hold = erasure.hold
        } catch {
            report.trouble = error.reason
        }
        report.deleted = erasure.deleted
        report.left = erasure.left
        return report
    }

    private func look(
        _ list: some DeletedRecordList,
        _ stream: some StreamMaintenance,
        _ store: some ErasedStore
    ) async throws(StepFailure) -> DeletionPlanner.Look {
        let completed = try await ask { () throws(ColumnFailure) in try await store.completed() }
        do throws(StreamMaintenanceError) {
            return DeletionPlanner.Look(
                extent: try await stream.extent(),
                completed: completed,
                readers: try await stream.readers(),
                progress: try await list.progress()
            )
        } catch {
            throw StepFailure(reason: error.description)
        }
    }

    private func carryOut(
        _ erasure: inout DeletionPlanner,
        _ list: some DeletedRecordList
    ) async throws(StreamMaintenanceError) {
        switch erasure.order {
        case .prepare:
            try await list.prepare()
            erasure.prepared()
        case .list(let record):
            try await list.list(record)
            erasure.listed()
        case .delete(let sequence):
            try await list.delete(sequence)
            erasure.removed()
        case .note(let progress):
            try await list.note(progress)
            erasure.noted()
        case .look, .find, .read, .end: break
        }
    }

    /// Returns a block's records that belong to erased installations only.
    ///
    /// - Parameter first: The first record that is still in the stream.
    private func records(
        of erased: Set<InstallationID>,
        in block: UInt64,
        since first: UInt64
    ) async throws(StepFailure) -> [DeletedRecordEntry] {
        let decision = try await decided(block)
        var next = max(decision.first, first)
        var found: [DeletedRecordEntry] = []
        while next <= decision.last {
            for record in try await records(from: next) where record.start.streamSequence <= decision.last {
                next = record.start.streamSequence + 1
                guard let owner = owner(of: record), erased.contains(owner.installation) else { continue }
                if let origin = try await refused(before: owner, since: first) { found.append(origin) }
                found.append(
                    DeletedRecordEntry(
                        sequence: record.start.streamSequence,
                        installation: owner.installation,
                        events: owner.events
                    )
                )
            }
        }
        return found
    }

    private func owner(of record: StreamedRecord) -> RecordOwner? {
        guard record.kind == .intake else { return nil }
        return RecordOwner(kept(record), at: record.start, limits: limits)
    }

    /// Returns the rejected batch that a record replays.
    ///
    /// Nil unless the batch was rejected as a whole and is still in the stream. It does not name its installation, and
    /// would be listed as rejected again if only the record that replays it were deleted.
    private func refused(before owner: RecordOwner, since first: UInt64) async throws(StepFailure)
        -> DeletedRecordEntry?
    {
        guard let origin = owner.origin, origin.stream == source.number, origin.streamSequence >= first else {
            return nil
        }
        let sequence = origin.streamSequence
        guard let record = try await records(from: sequence).first, record.start.streamSequence == sequence,
            record.kind == .quarantine
        else { return nil }
        return DeletedRecordEntry(sequence: sequence, installation: owner.installation, events: 0)
    }
}
