// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import NIOCore
internal import TrackwayEvents
internal import TrackwayJournal

/// Putting admitted bodies of other formats on stable storage, and keeping what was refused as a whole.
struct VendorCommit: Sendable {
    let dependencies: CollectorDependencies

    /// How much is kept of a body whose sender keeps it too.
    static let excerptBytes = 4 << 10

    /// Returns once every event of a body, accepted or kept with its reason, is on stable storage.
    ///
    /// A body of more than one record may be stored in part when the disk refuses; sent again, what was stored is known.
    /// Of erased installations the count of their events is stored.
    func store(
        _ batch: VendorBatch,
        grant: KeyGrant,
        received: Timestamp,
        wireBytes: Int
    ) async throws(RequestFailure) {
        let counts = batch.erased.map { installation, events in
            ErasureRecord(received: received, key: grant.name, installation: installation, events: events).bytes
        }
        let records = batch.records.map { (FrameKind.intake, $0) } + counts.map { (FrameKind.erasedEvents, $0) }
        let outcomes = await withTaskGroup(of: IntakeError?.self) { group in
            for (kind, record) in records {
                group.addTask { [intake = dependencies.intake] in
                    do throws(IntakeError) {
                        _ = try await intake.commit(kind: kind, record: record)
                        return nil
                    } catch {
                        return error
                    }
                }
            }
            return await group.reduce(into: [IntakeError]()) { errors, error in if let error { errors.append(error) } }
        }
        if let error = outcomes.first { throw RequestFailure(error) }
        dependencies.statistics.withLock { $0.committed(batch, wireBytes: wireBytes) }
        dependencies.authorization.charge(grant, events: batch.count)
    }
}
