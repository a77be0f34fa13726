// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// What removing records from a stream came to.
package struct PurgeReport: Sendable, Hashable {
    /// The stream's records afterwards; nil when that is not known.
    package var extent: StreamExtent?
    /// The sequence before which everything went, or would go; nil when nothing does.
    package var before: UInt64?
    /// How many records were removed.
    package var removed: UInt64 = 0
    /// Whether nothing was to be removed.
    package var isTrial = false
    /// Why no more was removed; nil when that was not found out.
    package var hold: StreamPurge.Hold?
    /// How far the indexes are.
    package var readers: [ReaderPlace] = []
    /// Why it could not be finished; nil when it was.
    package var trouble: String?

    /// Nothing yet.
    package init() {}

    /// Whether all that is old went, or what did not is on its way: an index that reads on, or nothing at all.
    ///
    /// - Parameter now: The time, by which collectors are silent.
    package func isGood(at now: Timestamp) -> Bool {
        guard trouble == nil else { return false }
        switch hold {
        case .young: return true
        case .reader(let reader): return !reader.isSilent(at: now)
        case .unheard, .erasing, .incomplete, nil: return false
        }
    }
}

extension StreamForwarding {
    /// Removes the records from the stream that may go: does what a ``StreamPurge`` orders. Several at once do no harm.
    ///
    /// - Parameters:
    ///   - stream: The stream that this carries into the tables.
    ///   - store: The tables.
    ///   - wishes: What may go.
    package func purge(
        _ stream: some StreamUpkeep,
        _ store: some AuditedStore,
        _ wishes: StreamPurge.Wishes
    ) async -> PurgeReport {
        var report = PurgeReport()
        report.isTrial = wishes.isTrial
        var purge = StreamPurge(wishes)
        do throws(StepFailure) {
            while purge.order != .end {
                if Task.isCancelled { throw StepFailure(reason: "It was told to end.") }
                if let fault = fault { throw StepFailure(reason: fault) }
                try await carryOut(purge.order, &purge, stream, store)
            }
            report.hold = purge.hold
            report.extent = try await upkeep { () throws(UpkeepFailure) in try await stream.extent() }
        } catch {
            report.trouble = error.reason
        }
        report.before = purge.before
        report.removed = purge.removed
        report.readers = purge.readers.sorted { ($0.next, $0.name) < ($1.next, $1.name) }
        return report
    }

    private func carryOut(
        _ order: StreamPurge.Order,
        _ purge: inout StreamPurge,
        _ stream: some StreamUpkeep,
        _ store: some AuditedStore
    ) async throws(StepFailure) {
        switch order {
        case .look:
            // Readers before the rest: what they have read does not become less.
            let readers = try await upkeep { () throws(UpkeepFailure) in try await stream.readers() }
            let extent = try await upkeep { () throws(UpkeepFailure) in try await stream.extent() }
            let completed = try await ask { () throws(ColumnFailure) in try await store.completed() }
            purge.looked(.init(extent: extent, completed: completed, readers: readers))
        case .date(let block):
            let decision = try await decided(block)
            let time = try await upkeep { () throws(UpkeepFailure) in try await stream.time(of: decision.last) }
            purge.dated(last: decision.last, at: time)
        case .sweep:
            purge.swept(try await ask { () throws(ColumnFailure) in try await store.remains() }.count)
        case .audit(let blocks):
            let last = try await decided(blocks.upperBound).last
            let extent = try await upkeep { () throws(UpkeepFailure) in try await stream.extent() }
            purge.audited(try await lacking(store, blocks, since: extent.first), last: last)
        case .hear:
            purge.heard(try await upkeep { () throws(UpkeepFailure) in try await stream.readers() })
        case .purge(let before):
            purge.purged(try await upkeep { () throws(UpkeepFailure) in try await stream.purge(before: before) })
        case .end: break
        }
    }

    private func upkeep<Result>(
        _ body: () async throws(UpkeepFailure) -> Result
    ) async throws(StepFailure) -> Result {
        do {
            return try await body()
        } catch {
            throw StepFailure(reason: error.description)
        }
    }
}
