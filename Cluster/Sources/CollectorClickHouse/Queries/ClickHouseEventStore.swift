// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import CollectorCore
package import TrackwayCore

/// Answers queries over many events from the tables in ClickHouse.
///
/// Callable from any task.
///
/// ClickHouse filters, groups, and counts where its results are exact. The remaining rows are read one by one, and the
/// same tallies as in an SQLite index compute the result.
package final class ClickHouseEventStore: AnalysisStore {
    /// The time that a connection may take beyond a query's time limit.
    private static let grace = Duration.seconds(5)

    struct State: Sendable {
        /// The last of the consecutive blocks.
        var block: UInt64 = 0
        /// The time from which events are kept; nil if all are kept.
        var retentionStart: RetentionStart?
        /// The erased installations, as of the last refresh.
        var erased: Set<InstallationID> = []
        /// Installations erased by records that the tables lack, with the records' sequences.
        var pendingErasures: [InstallationID: UInt64] = [:]
        /// The tables' lag behind the stream.
        var lag = TableLag()
        /// The statements about merged users, as of the last query.
        var merges = KnownMerges()
        /// The totals, the last block that they include, and the number of completed erasures of users.
        var totals: (block: UInt64, receipts: Int, totals: StoreTotals)?
        /// The cluster's erasures of users; nil if users cannot be erased.
        var journal: (any ErasureJournal)?
        /// The sequence of the tables' last record.
        var last: UInt64?
        /// Why the tables cannot be queried; nil if they can.
        var failureReason: String?
        /// The server's version, once its tables are verified.
        var version: ClickHouseVersion?
    }

    /// The time of arrival from which events are kept.
    struct RetentionStart: Sendable {
        let week: Int64
        /// The first block that may have kept events.
        let block: UInt64

        var from: Timestamp { ExpiryPlanner.start(ofWeek: week) }
    }

    let client: ClickHouseClient
    private let origin: @Sendable () -> String?
    private let end: @Sendable () -> UInt64?
    let budget: QueryBudget
    let clock: any EventClock
    /// The plan that events are checked against; nil for none.
    let plan: PlanChecker?
    let state = Locked(State())
    let signal = ProgressSignal(at: .start)

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - client: Access to the tables.
    ///   - origin: Returns the stream of records that the tables must be filled from, in the form of
    ///     ``ColumnOrigin/records``; nil while it is unknown.
    ///   - end: Returns the sequence of the last accepted record; nil while it is unknown.
    ///   - budget: The budget of one query.
    ///   - clock: Measures the duration of queries.
    ///   - plan: The plan that events are checked against on request; nil for none.
    package init(
        _ client: ClickHouseClient,
        origin: @escaping @Sendable () -> String? = { nil },
        end: @escaping @Sendable () -> UInt64? = { nil },
        budget: QueryBudget = QueryBudget(),
        clock: any EventClock = SystemClock(),
        plan: PlanChecker? = nil
    ) {
        self.client = client
        self.origin = origin
        self.end = end
        self.budget = budget
        self.clock = clock
        self.plan = plan
    }

    /// The status of the tables, as of the last query or ``refresh()``.
    package var report: AnalysisReport {
        state.withLock {
            AnalysisReport(
                address: "\(client.address)",
                last: $0.last,
                failureReason: $0.failureReason,
                retainedSince: $0.retentionStart?.from
            )
        }
    }

    /// Refreshes the status of the tables, and notifies followers.
    ///
    /// The status includes how far the tables are filled, which installations are erased, and whether the tables can
    /// be queried at all.
    ///
    /// - Returns: Why the tables cannot be queried, and whether that lasts until an operator fixes the cause; nil if
    ///   they can be queried.
    @discardableResult
    package func refresh() async -> (reason: String, isPermanent: Bool)? {
        // Read before the tables, so that records accepted in the meantime do not count as lag.
        let accepted = end()
        do throws(ColumnFailure) {
            let store = try await verifiedStore()
            let (block, week) = try await store.completed(from: state.withLock { $0.block })
            let start = try await retentionStart(week, upTo: block, store)
            let last = try await store.numbers(
                "SELECT toInt64(max(last)) FROM blocks WHERE block = \(block)",
                columns: 1
            )
            let erased = try await store.erased()
            let sequence = UInt64(clamping: last.first ?? 0)
            let now = clock.now().monotonic
            state.withLock { state in
                state.block = block
                state.retentionStart = start
                state.last = sequence
                state.erased = erased
                state.pendingErasures = state.pendingErasures.filter { $0.value > sequence }
                state.lag.update(last: sequence, end: accepted, at: now)
                state.failureReason = nil
            }
            signal.advance(to: Self.position(after: sequence))
            return nil
        } catch {
            return (failure(error).message, error.isPermanent)
        }
    }

    /// Adds an installation whose erasure the tables might not contain yet.
    package func addPendingErasure(of installation: InstallationID, at sequence: UInt64) {
        state.withLock { state in
            guard sequence > state.last ?? 0 else { return }
            state.pendingErasures[installation] = max(sequence, state.pendingErasures[installation] ?? 0)
        }
    }

    /// The sequence of the tables' last record.
    ///
    /// Nil until the tables have been reached.
    ///
    /// Reads from memory.
    package var written: UInt64? { state.withLock { $0.last } }

    /// Returns the position after a record; the start for 0.
    private static func position(after sequence: UInt64) -> EventPosition {
        sequence > 0 ? EventPosition(stream: 0, sequence: sequence + 1) : .start
    }

    /// Refreshes the status repeatedly until the task is canceled.
    ///
    /// - Parameters:
    ///   - interval: The pause between two refreshes.
    ///   - sleep: Sleeps; returns early when the task is canceled.
    ///   - onProblemChange: Called once with each problem, and with nil when the problem is resolved.
    package func watch(
        every interval: Duration,
        sleep: @Sendable (Duration) async -> Void,
        onProblemChange: @Sendable (String?) -> Void
    ) async {
        var known: String?
        while !Task.isCancelled {
            await refresh()
            let failureReason = report.failureReason
            if failureReason != known, !Task.isCancelled { onProblemChange(failureReason) }
            known = failureReason
            await sleep(interval)
        }
    }

    /// Returns the last of the consecutive blocks.
    func completed() async throws(StoreError) -> UInt64 {
        do throws(ColumnFailure) {
            let store = try await verifiedStore()
            let (block, week) = try await store.completed(from: state.withLock { $0.block })
            let start = try await retentionStart(week, upTo: block, store)
            let merges = try await Self.merges(after: state.withLock { $0.merges }, upTo: block, store)
            state.withLock { state in
                state.merges = merges
                state.failureReason = nil
                state.block = block
                state.retentionStart = start
            }
            return block
        } catch {
            throw failure(error)
        }
    }

    /// The time of arrival before which events have expired.
    ///
    /// Nil if no events have expired.
    ///
    /// As of the last refresh; reads from memory.
    package var retainedSince: Timestamp? { state.withLock { $0.retentionStart }?.from }

    /// The condition ` AND …` that limits rows of ``ColumnTable/events`` to those kept.
    ///
    /// Empty if all rows are kept.
    var keptCondition: String { retainedSince.map { " AND received >= \($0.milliseconds)" } ?? "" }

    private func retentionStart(
        _ week: Int64?,
        upTo block: UInt64,
        _ store: ClickHouseStore
    ) async throws(ColumnFailure) -> RetentionStart? {
        guard let week else { return nil }
        if let known = state.withLock({ $0.retentionStart }), known.week == week { return known }
        let found = try await store.numbers(
            "SELECT toInt64(count()), toInt64(min(block)) FROM places WHERE kind = \(PlaceAggregates.OwnerKind.all.rawValue) "
                + "AND whose = '' AND block <= \(block) AND arrived >= \(ExpiryPlanner.start(ofWeek: week).milliseconds)",
            columns: 2
        )
        return RetentionStart(week: week, block: found[0] > 0 ? UInt64(clamping: found[1]) : block + 1)
    }

    /// Returns the tables, verifying them unless they are already known to be correct.
    func verifiedStore() async throws(ColumnFailure) -> ClickHouseStore {
        if let version = state.withLock({ $0.version }) { return ClickHouseStore(client, version: version) }
        let (store, version) = try await ClickHouseTables(client).open(ofRecords: origin())
        // Until the stream's name is known, it is unknown whether the tables belong to the stream.
        if origin() != nil { state.withLock { $0.version = version } }
        return store
    }

    /// Runs a query and delivers its result row by row.
    ///
    /// A query that names the table of merged users gets it.
    ///
    /// - Parameter tables: Other external tables to send with the query.
    /// - Throws: ``StoreError``, including when ClickHouse reports that the query exceeds a limit.
    func rows<Row>(
        _ query: String,
        with tables: [ClickHouseClient.ExternalTable] = [],
        _ meter: inout QueryMeter,
        _ decode: (inout RowCursor) throws(RowFault) -> Row,
        _ take: (Row) throws(StoreError) -> Void
    ) async throws(StoreError) {
        do {
            let seconds = max(1, budget.time.components.seconds)
            var reader = RowReader()
            var used = meter
            let tables = tables + (query.contains(MergedUsers.tableName) ? [merged.table] : [])
            func counted(_ row: Row) throws {
                try used.countEvent()
                try take(row)
            }
            // ClickHouse enforces the time limit as well; otherwise it would continue a query whose result is no longer
            // needed.
            try await client.read(
                query + " FORMAT RowBinary",
                with: tables,
                [("max_execution_time", "\(seconds)"), ("timeout_before_checking_execution_speed", "0")]
                    + (state.withLock { $0.version }?.querySettings ?? []),
                within: budget.time + Self.grace
            ) { piece in
                try reader.append(piece, decode, counted)
                try used.checkTime()
            }
            try reader.finish(decode, counted)
            meter = used
        } catch let error as StoreError {
            throw error
        } catch let error as ColumnFailure {
            throw failure(error)
        } catch is RowFault {
            throw .analysis("ClickHouse at \(client.address.server) sent a response that cannot be parsed.")
        } catch {
            throw .analysis("The query was canceled.")
        }
    }

    /// Returns the query error for a table failure.
    func failure(_ failure: ColumnFailure) -> StoreError {
        switch failure.number {
        case 159, 160:
            return .overBudget(
                "from",
                "it takes longer than \(budget.time): choose a shorter time range, an event's name, or fewer conditions"
            )
        case 241:
            return .overBudget("from", "it needs more memory than ClickHouse allows: choose a shorter time range")
        case 164:
            return recordProblem(
                "ClickHouse at \(client.address.server) does not let the user of \(client.option)-credentials "
                    + "limit the cost of a query (readonly = 1). Set readonly to 2 for this user."
            )
        default:
            return recordProblem(failure.description)
        }
    }

    private func recordProblem(_ sentence: String) -> StoreError {
        state.withLock {
            $0.failureReason = sentence
            // Whatever the problem is, the tables may have been replaced by the time it is resolved.
            $0.version = nil
            $0.block = 0
            $0.retentionStart = nil
            $0.totals = nil
            $0.merges = KnownMerges()
        }
        return .analysis(sentence)
    }
}
