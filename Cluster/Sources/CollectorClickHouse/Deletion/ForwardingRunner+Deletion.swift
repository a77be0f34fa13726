// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore
internal import TrackwayJournal

/// The table operations needed to delete erased records from a stream.
package protocol ErasureStore: ColumnStore {
    /// Returns all erased installations.
    ///
    /// - Throws: ``ColumnFailure``.
    func erased() async throws(ColumnFailure) -> Set<InstallationID>

    /// Returns, in order, the blocks in which data from erased installations arrived.
    ///
    /// Data includes events that arrived but were not stored.
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
    /// The number of blocks still to search; nil if unknown.
    package var remainingBlocks: Int?
    /// Why no more records were deleted; nil if unknown.
    package var stopReason: DeletionPlanner.StopReason?
    /// Why the search could not be finished; nil if it was finished.
    package var failure: String?

    /// Creates an empty report.
    package init() {}
}

extension ForwardingRunner {
    /// The pause after reading a block.
    private static let pause: Duration = .milliseconds(20)

    /// Deletes the stream's records that belong only to erased installations.
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
        _ store: some ErasureStore
    ) async -> DeletionReport {
        var report = DeletionReport()
        var planner = DeletionPlanner()
        do throws(StepFailure) {
            var erased: Set<InstallationID>?
            var first: UInt64 = 1
            while planner.nextStep != .end {
                if Task.isCancelled { throw StepFailure(reason: "The operation was canceled.") }
                if let fault = fault { throw StepFailure(reason: fault) }
                switch planner.nextStep {
                case .readStatus:
                    let snapshot = try await snapshot(list, stream, store)
                    first = snapshot.extent.first
                    planner.statusRead(snapshot)
                case .findBlocks(let done, let goal, let from):
                    planner.blocksFound(
                        try await query { () throws(ColumnFailure) in
                            try await store.erasedBlocks(after: done, upTo: goal, from: from)
                        }
                    )
                case .read(let block):
                    let owners: Set<InstallationID>
                    if let known = erased {
                        owners = known
                    } else {
                        owners = try await query { () throws(ColumnFailure) in try await store.erased() }
                        erased = owners
                    }
                    planner.recordsRead(try await records(of: owners, in: block, since: first))
                    await sleep(Self.pause)
                case .prepare, .list, .delete, .saveProgress, .end:
                    do throws(StreamMaintenanceError) {
                        try await perform(&planner, list)
                    } catch {
                        throw StepFailure(reason: error.description)
                    }
                }
            }
            report.stopReason = planner.stopReason
        } catch {
            report.failure = error.reason
        }
        report.deleted = planner.deleted
        report.remainingBlocks = planner.remainingBlocks
        return report
    }

    private func snapshot(
        _ list: some DeletedRecordList,
        _ stream: some StreamMaintenance,
        _ store: some ErasureStore
    ) async throws(StepFailure) -> DeletionPlanner.Snapshot {
        let completed = try await query { () throws(ColumnFailure) in try await store.completed() }
        do throws(StreamMaintenanceError) {
            return DeletionPlanner.Snapshot(
                extent: try await stream.extent(),
                completed: completed,
                readers: try await stream.readers(),
                progress: try await list.progress()
            )
        } catch {
            throw StepFailure(reason: error.description)
        }
    }

    private func perform(
        _ planner: inout DeletionPlanner,
        _ list: some DeletedRecordList
    ) async throws(StreamMaintenanceError) {
        switch planner.nextStep {
        case .prepare:
            try await list.prepare()
            planner.listPrepared()
        case .list(let record):
            try await list.append(record)
            planner.recordListed()
        case .delete(let sequence):
            try await list.delete(sequence)
            planner.recordDeleted()
        case .saveProgress(let progress):
            try await list.save(progress)
            planner.progressSaved()
        case .readStatus, .findBlocks, .read, .end: break
        }
    }

    /// Returns a block's records that belong only to erased installations.
    ///
    /// - Parameter first: The first record that is still in the stream.
    private func records(
        of erased: Set<InstallationID>,
        in block: UInt64,
        since first: UInt64
    ) async throws(StepFailure) -> [DeletedRecordEntry] {
        let decision = try await requiredDecision(block)
        var next = max(decision.first, first)
        var found: [DeletedRecordEntry] = []
        while next <= decision.last {
            for record in try await records(from: next) where record.start.streamSequence <= decision.last {
                next = record.start.streamSequence + 1
                guard let owner = owner(of: record), erased.contains(owner.installation) else { continue }
                if let origin = try await rejectedOrigin(of: owner, since: first) { found.append(origin) }
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
        return RecordOwner(parse(record), at: record.start, limits: limits)
    }

    /// Returns the rejected batch that a record replays.
    ///
    /// Returns nil unless the batch was rejected as a whole and is still in the stream. Such a batch does not name its
    /// installation, and would be listed as rejected again if only the record that replays it were deleted.
    private func rejectedOrigin(of owner: RecordOwner, since first: UInt64) async throws(StepFailure)
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
