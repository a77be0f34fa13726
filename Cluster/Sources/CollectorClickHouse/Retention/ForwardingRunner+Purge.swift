// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// The result of removing records from a stream.
package struct PurgeReport: Sendable, Hashable {
    /// The range of the stream's records afterward; nil if unknown.
    package var extent: StreamExtent?
    /// The sequence before which everything was or would be removed.
    ///
    /// Nil if nothing was or would be removed.
    package var before: UInt64?
    /// The number of removed records.
    package var removed: UInt64 = 0
    /// Whether this was a dry run, which removes nothing.
    package var isDryRun = false
    /// Why no more records were removed; nil if unknown.
    package var stopReason: PurgePlanner.StopReason?
    /// The positions of the indexes.
    package var readers: [ReaderPosition] = []
    /// Why the purge could not be finished; nil if it was finished.
    package var failure: String?

    /// Creates an empty report.
    package init() {}

    /// Whether all old records have been removed, or the rest are only waiting for the index of an active collector.
    ///
    /// - Parameter now: The time that determines which collectors are silent.
    package func isSuccess(at now: Timestamp) -> Bool {
        guard failure == nil else { return false }
        switch stopReason {
        case .tooRecent: return true
        case .reader(let reader): return !reader.isSilent(at: now)
        case .noReaders, .pendingErasures, .incomplete, nil: return false
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
    ///   - options: What may be removed.
    package func purge(
        _ stream: some StreamMaintenance,
        _ store: some AuditStore,
        _ options: PurgePlanner.Options
    ) async -> PurgeReport {
        var report = PurgeReport()
        report.isDryRun = options.isDryRun
        var planner = PurgePlanner(options)
        do throws(StepFailure) {
            while planner.nextStep != .end {
                if Task.isCancelled { throw StepFailure(reason: "The operation was canceled.") }
                if let fault = fault { throw StepFailure(reason: fault) }
                try await perform(planner.nextStep, &planner, stream, store)
            }
            report.stopReason = planner.stopReason
            report.extent = try await maintain { () throws(StreamMaintenanceError) in try await stream.extent() }
        } catch {
            report.failure = error.reason
        }
        report.before = planner.before
        report.removed = planner.removed
        report.readers = planner.readers.sorted { ($0.next, $0.name) < ($1.next, $1.name) }
        return report
    }

    private func perform(
        _ step: PurgePlanner.Step,
        _ planner: inout PurgePlanner,
        _ stream: some StreamMaintenance,
        _ store: some AuditStore
    ) async throws(StepFailure) {
        switch step {
        case .readStatus:
            // The readers' positions are read first, because they never move backward.
            let readers = try await maintain { () throws(StreamMaintenanceError) in try await stream.readers() }
            let extent = try await maintain { () throws(StreamMaintenanceError) in try await stream.extent() }
            let completed = try await query { () throws(ColumnFailure) in try await store.completed() }
            planner.statusRead(.init(extent: extent, completed: completed, readers: readers))
        case .readTime(let block):
            let decision = try await requiredDecision(block)
            let time = try await maintain { () throws(StreamMaintenanceError) in
                try await stream.time(of: decision.last)
            }
            planner.blockTimeRead(last: decision.last, at: time)
        case .countErased:
            planner.erasedCounted(
                try await query { () throws(ColumnFailure) in try await store.erasedWithRows() }.count
            )
        case .audit(let blocks):
            let last = try await requiredDecision(blocks.upperBound).last
            let extent = try await maintain { () throws(StreamMaintenanceError) in try await stream.extent() }
            planner.blocksAudited(try await findMissingRows(store, blocks, since: extent.first), last: last)
        case .readPositions:
            planner.positionsRead(
                try await maintain { () throws(StreamMaintenanceError) in try await stream.readers() }
            )
        case .purge(let before):
            planner.recordsPurged(
                try await maintain { () throws(StreamMaintenanceError) in try await stream.purge(before: before) }
            )
        case .end: break
        }
    }

    private func maintain<Result>(
        _ body: () async throws(StreamMaintenanceError) -> Result
    ) async throws(StepFailure) -> Result {
        do {
            return try await body()
        } catch {
            throw StepFailure(reason: error.description)
        }
    }
}
