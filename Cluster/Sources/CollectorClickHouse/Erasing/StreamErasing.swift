// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents
internal import TrackwayJournal

/// What is asked of tables by whoever deletes what was erased from their stream.
package protocol ErasedStore: ColumnStore {
    /// Everybody who was erased.
    ///
    /// - Throws: ``ColumnFailure``.
    func erased() async throws(ColumnFailure) -> Set<InstallationID>

    /// The blocks in which anything of installations that were erased came, whether it was kept or not, in their order.
    ///
    /// - Parameters:
    ///   - done: Blocks up to this one are left out for whoever was erased in one of them.
    ///   - goal: The last block that counts, for what came and for who was erased.
    ///   - first: The first block that is told.
    /// - Throws: ``ColumnFailure``.
    func erasedBlocks(
        after done: UInt64,
        upTo goal: UInt64,
        from first: UInt64
    ) async throws(ColumnFailure) -> [UInt64]
}

/// What deleting the records of erased installations came to.
package struct ErasingReport: Sendable, Hashable {
    /// How many records were deleted.
    package var deleted = 0
    /// How many blocks are still to be looked through; nil when that is not known.
    package var left: Int?
    /// Why no more was deleted; nil when that was not found out.
    package var hold: StreamErasure.Hold?
    /// Why it could not be finished; nil when it was.
    package var trouble: String?

    /// Nothing yet.
    package init() {}
}

extension StreamForwarding {
    /// Between two blocks that are read.
    private static let pause: Duration = .milliseconds(20)

    /// Deletes the records from the stream that are of erased installations alone: does what a ``StreamErasure`` orders, once. Several at
    /// once do no harm.
    ///
    /// - Parameters:
    ///   - list: Where it is listed what is deleted.
    ///   - stream: The stream.
    ///   - store: The tables.
    package func eraseRecords(
        _ list: some ErasedRecords,
        _ stream: some StreamUpkeep,
        _ store: some ErasedStore
    ) async -> ErasingReport {
        var report = ErasingReport()
        var erasure = StreamErasure()
        do throws(StepFailure) {
            var erased: Set<InstallationID>?
            var first: UInt64 = 1
            while erasure.order != .end {
                if Task.isCancelled { throw StepFailure(reason: "It was told to end.") }
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
                    do throws(UpkeepFailure) {
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
        _ list: some ErasedRecords,
        _ stream: some StreamUpkeep,
        _ store: some ErasedStore
    ) async throws(StepFailure) -> StreamErasure.Look {
        let completed = try await ask { () throws(ColumnFailure) in try await store.completed() }
        do throws(UpkeepFailure) {
            return StreamErasure.Look(
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
        _ erasure: inout StreamErasure,
        _ list: some ErasedRecords
    ) async throws(UpkeepFailure) {
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

    /// The records of a block that are of erased installations alone.
    ///
    /// - Parameter first: The first record that the stream has still.
    private func records(
        of erased: Set<InstallationID>,
        in block: UInt64,
        since first: UInt64
    ) async throws(StepFailure) -> [ErasedRecord] {
        let decision = try await decided(block)
        var next = max(decision.first, first)
        var found: [ErasedRecord] = []
        while next <= decision.last {
            for record in try await records(from: next) where record.start.streamSequence <= decision.last {
                next = record.start.streamSequence + 1
                guard let owner = owner(of: record), erased.contains(owner.installation) else { continue }
                if let origin = try await refused(before: owner, since: first) { found.append(origin) }
                found.append(
                    ErasedRecord(
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

    /// The batch that was refused as a whole at first, of a record that admits it again. It names nobody by itself, and would stand there
    /// as refused again if only the record that admits it went.
    private func refused(before owner: RecordOwner, since first: UInt64) async throws(StepFailure) -> ErasedRecord? {
        guard let origin = owner.origin, origin.stream == source.number, origin.streamSequence >= first else {
            return nil
        }
        let sequence = origin.streamSequence
        guard let record = try await records(from: sequence).first, record.start.streamSequence == sequence,
            record.kind == .quarantine
        else { return nil }
        return ErasedRecord(sequence: sequence, installation: owner.installation, events: 0)
    }
}
