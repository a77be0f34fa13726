// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// The result of removing records from a stream.
package struct PurgeReport: Sendable, Hashable {
    /// The range of the stream's records afterward; nil if unknown.
    package var extent: StreamExtent?
    /// The sequence before which everything was or would be removed; nil for nothing.
    package var before: UInt64?
    /// The number of removed records.
    package var removed: UInt64 = 0
    /// Whether this was a trial, which removes nothing.
    package var isTrial = false
    /// Why no more records were removed; nil if unknown.
    package var hold: PurgePlanner.Hold?
    /// The positions of the indexes.
    package var readers: [ReaderPosition] = []
    /// Why the purge could not be finished; nil if it was.
    package var trouble: String?

    /// Creates an empty report.
    package init() {}

    /// Whether all old records are removed, or wait only for an active index.
    ///
    /// - Parameter now: The time that decides which collectors are silent.
    package func isGood(at now: Timestamp) -> Bool {
        guard trouble == nil else { return false }
        switch hold {
        case .young: return true
        case .reader(let reader): return !reader.isSilent(at: now)
        case .unheard, .erasing, .incomplete, nil: return false
        }
    }
}

extension ForwardingRunner {
    /// Removes the stream's removable records, as directed by a ``PurgePlanner``.
    ///
    /// Concurrent runs are safe.
    ///
    /// - Parameters:
    ///   - stream: The stream that fills the tables.
    ///   - store: The tables.
    ///   - wishes: What may be removed.
    package func purge(
        _ stream: some StreamMaintenance,
        _ store: some AuditedStore,
        _ wishes: PurgePlanner.Wishes
    ) async -> PurgeReport {
        var report = PurgeReport()
        report.isTrial = wishes.isTrial
        var purge = PurgePlanner(wishes)
        do throws(StepFailure) {
            while purge.order != .end {
                if Task.isCancelled { throw StepFailure(reason: "The operation was canceled.") }
                if let fault = fault { throw StepFailure(reason: fault) }
                try await carryOut(purge.order, &purge, stream, store)
            }
            report.hold = purge.hold
            report.extent = try await upkeep { () throws(StreamMaintenanceError) in try await stream.extent() }
        } catch {
            report.trouble = error.reason
        }
        report.before = purge.before
        report.removed = purge.removed
        report.readers = purge.readers.sorted { ($0.next, $0.name) < ($1.next, $1.name) }
        return report
    }

    private func carryOut(
        _ order: PurgePlanner.Order,
        _ purge: inout PurgePlanner,
        _ stream: some StreamMaintenance,
        _ store: some AuditedStore
    ) async throws(StepFailure) {
        switch order {
        case .look:
            // Read the readers' positions first, because they never go back.
            let readers = try await upkeep { () throws(StreamMaintenanceError) in try await stream.readers() }
            let extent = try await upkeep { () throws(StreamMaintenanceError) in try await stream.extent() }
            let completed = try await ask { () throws(ColumnFailure) in try await store.completed() }
            purge.looked(.init(extent: extent, completed: completed, readers: readers))
        case .date(let block):
            let decision = try await decided(block)
            let time = try await upkeep { () throws(StreamMaintenanceError) in try await stream.time(of: decision.last)
            }
            purge.dated(last: decision.last, at: time)
        case .sweep:
            purge.swept(try await ask { () throws(ColumnFailure) in try await store.remains() }.count)
        case .audit(let blocks):
            let last = try await decided(blocks.upperBound).last
            let extent = try await upkeep { () throws(StreamMaintenanceError) in try await stream.extent() }
            purge.audited(try await lacking(store, blocks, since: extent.first), last: last)
        case .hear:
            purge.heard(try await upkeep { () throws(StreamMaintenanceError) in try await stream.readers() })
        case .purge(let before):
            purge.purged(
                try await upkeep { () throws(StreamMaintenanceError) in try await stream.purge(before: before) }
            )
        case .end: break
        }
    }

    private func upkeep<Result>(
        _ body: () async throws(StreamMaintenanceError) -> Result
    ) async throws(StepFailure) -> Result {
        do {
            return try await body()
        } catch {
            throw StepFailure(reason: error.description)
        }
    }
}
