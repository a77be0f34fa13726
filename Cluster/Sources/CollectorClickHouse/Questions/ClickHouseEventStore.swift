// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

package import Collector
package import TrackwayEvents

/// Answers questions that go over many events from the tables in ClickHouse. Callable from any task.
///
/// ClickHouse leaves out, groups and counts, as far as it does that exactly; what is left comes here row by row, and the same tallies
/// as those of an index in SQLite make the answer of it.
package final class ClickHouseEventStore: AnalysisStore {
    /// Longer than a question may take: so much its connection may take beside.
    private static let grace = Duration.seconds(5)

    struct State: Sendable {
        /// The last of the blocks that were there without a gap.
        var block: UInt64 = 0
        /// From when on events are kept; nil for all.
        var kept: Kept?
        /// Who was erased, as far as was looked.
        var erased: Set<InstallationID> = []
        /// Who was erased by records that the tables do not have yet, with the sequence of each record.
        var ordered: [InstallationID: UInt64] = [:]
        /// How far the tables are behind what was taken.
        var lag = TableLag()
        /// The numbers of the whole, and up to which block they count.
        var totals: (block: UInt64, totals: StoreTotals)?
        /// The sequence of the last record that the tables have.
        var last: UInt64?
        /// Why they cannot be asked.
        var trouble: String?
        /// The server's version, once its tables are known to be right.
        var version: ClickHouseVersion?
    }

    /// From when on events are kept, by when they arrived.
    struct Kept: Sendable {
        let week: Int64
        /// No block before this one has any that are.
        let block: UInt64

        var from: Timestamp { TableExpiry.beginning(of: week) }
    }

    let client: ClickHouseClient
    private let origin: @Sendable () -> String?
    private let end: @Sendable () -> UInt64?
    let budget: QuestionBudget
    let clock: any EventClock
    /// What events are looked at by; nil for nothing.
    let plan: PlanChecker?
    let state = Locked(State())
    let signal = ProgressSignal(at: .start)

    /// A store.
    ///
    /// - Parameters:
    ///   - client: Where the tables are.
    ///   - origin: The stream of records that they have to be made of, as ``ColumnOrigin/records`` has it; nil while it is not known.
    ///   - end: The sequence of the last record that was taken; nil while it is not known.
    ///   - budget: What one question may cost.
    ///   - clock: Measures how long a question takes.
    ///   - plan: What events are looked at by when somebody asks; nil for nothing.
    package init(
        _ client: ClickHouseClient,
        origin: @escaping @Sendable () -> String? = { nil },
        end: @escaping @Sendable () -> UInt64? = { nil },
        budget: QuestionBudget = QuestionBudget(),
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

    /// How the tables are doing, since the last question or the last ``look()``.
    package var report: AnalysisReport {
        state.withLock {
            AnalysisReport(address: "\(client.address)", last: $0.last, trouble: $0.trouble, keptFrom: $0.kept?.from)
        }
    }

    /// Sees how far the tables are filled, who was erased, and whether they can be asked at all; whoever follows hears of it.
    ///
    /// - Returns: Why they cannot be asked, and whether that stays so until somebody does something about it; nil while they can.
    @discardableResult
    package func look() async -> (reason: String, isLasting: Bool)? {
        // Before the tables are: what is taken meanwhile is not what they are behind of.
        let taken = end()
        do throws(ColumnFailure) {
            let store = try await opened()
            let (block, week) = try await store.completed(from: state.withLock { $0.block })
            let kept = try await kept(week, upTo: block, store)
            let last = try await store.numbers(
                "SELECT toInt64(max(last)) FROM blocks WHERE block = \(block)",
                columns: 1
            )
            let erased = try await store.erased()
            let sequence = UInt64(clamping: last.first ?? 0)
            let now = clock.now().monotonic
            state.withLock { state in
                state.block = block
                state.kept = kept
                state.last = sequence
                state.erased = erased
                state.ordered = state.ordered.filter { $0.value > sequence }
                state.lag.see(last: sequence, end: taken, at: now)
                state.trouble = nil
            }
            signal.advance(to: Self.position(behind: sequence))
            return nil
        } catch {
            return (failure(error).message, error.isLasting)
        }
    }

    /// An installation is erased by a record of the stream, which the tables may not have yet.
    package func ordered(_ installation: InstallationID, at sequence: UInt64) {
        state.withLock { state in
            guard sequence > state.last ?? 0 else { return }
            state.ordered[installation] = max(sequence, state.ordered[installation] ?? 0)
        }
    }

    /// The sequence of the last record that the tables have; nil before they were reached. Answers from memory.
    package var written: UInt64? { state.withLock { $0.last } }

    /// The place behind a record; the start where there is none.
    private static func position(behind sequence: UInt64) -> EventPosition {
        sequence > 0 ? EventPosition(stream: 0, sequence: sequence + 1) : .start
    }

    /// Looks again and again, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - interval: How long it waits between two looks.
    ///   - sleep: Waits; ends early when it is cancelled.
    ///   - told: Called with what is wrong, once, and with nil when it is over.
    package func watch(
        every interval: Duration,
        sleep: @Sendable (Duration) async -> Void,
        told: @Sendable (String?) -> Void
    ) async {
        var known: String?
        while !Task.isCancelled {
            await look()
            let trouble = report.trouble
            if trouble != known, !Task.isCancelled { told(trouble) }
            known = trouble
            await sleep(interval)
        }
    }

    /// The last of the blocks that are there without a gap.
    func completed() async throws(StoreError) -> UInt64 {
        do throws(ColumnFailure) {
            let store = try await opened()
            let (block, week) = try await store.completed(from: state.withLock { $0.block })
            let kept = try await kept(week, upTo: block, store)
            state.withLock { state in
                state.trouble = nil
                state.block = block
                state.kept = kept
            }
            return block
        } catch {
            throw failure(error)
        }
    }

    /// Events that arrived before this moment went by age, as far as was looked; nil when none did. Answers from memory.
    package var keptFrom: Timestamp? { state.withLock { $0.kept }?.from }

    /// ` AND …` that an event is kept, about a row of ``ColumnTable/events``; empty where all are.
    var isKept: String { keptFrom.map { " AND received >= \($0.milliseconds)" } ?? "" }

    private func kept(
        _ week: Int64?,
        upTo block: UInt64,
        _ store: ClickHouseStore
    ) async throws(ColumnFailure) -> Kept? {
        guard let week else { return nil }
        if let known = state.withLock({ $0.kept }), known.week == week { return known }
        let found = try await store.numbers(
            "SELECT toInt64(count()), toInt64(min(block)) FROM places WHERE kind = \(ArrivalSums.PlaceKind.all.rawValue) "
                + "AND whose = '' AND block <= \(block) AND arrived >= \(TableExpiry.beginning(of: week).milliseconds)",
            columns: 2
        )
        return Kept(week: week, block: found[0] > 0 ? UInt64(clamping: found[1]) : block + 1)
    }

    /// The tables, which are looked at until they are known to be right.
    private func opened() async throws(ColumnFailure) -> ClickHouseStore {
        if let version = state.withLock({ $0.version }) { return ClickHouseStore(client, version: version) }
        let (store, version) = try await ClickHouseTables(client).open(ofRecords: origin())
        // Without the stream's name it is not known yet whether they are of it.
        if origin() != nil { state.withLock { $0.version = version } }
        return store
    }

    /// Asks, and hands on row by row.
    ///
    /// - Parameter tables: Tables that are sent along.
    /// - Throws: ``StoreError``, also where ClickHouse says that the question takes too much.
    func rows<Row>(
        _ query: String,
        with tables: [ClickHouseClient.External] = [],
        _ meter: inout QuestionMeter,
        _ decode: (inout RowCursor) throws(RowFault) -> Row,
        _ take: (Row) throws(StoreError) -> Void
    ) async throws(StoreError) {
        do {
            let seconds = max(1, budget.time.components.seconds)
            var reader = RowReader()
            var used = meter
            func counted(_ row: Row) throws {
                try used.countEvent()
                try take(row)
            }
            // The end of a question's time is looked at by ClickHouse as well, which otherwise would work on for nobody.
            try await client.read(
                query + " FORMAT RowBinary",
                with: tables,
                [("max_execution_time", "\(seconds)"), ("timeout_before_checking_execution_speed", "0")]
                    + (state.withLock { $0.version }?.questionSettings ?? []),
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
            throw .analysis("ClickHouse at \(client.address.server) answers with what cannot be read.")
        } catch {
            throw .analysis("The question was given up.")
        }
    }

    /// What a failure means for who asked.
    func failure(_ failure: ColumnFailure) -> StoreError {
        switch failure.number {
        case 159, 160:
            return .overBudget(
                "from",
                "it takes ClickHouse longer than \(budget.time): choose a shorter time, an event's name, or fewer conditions"
            )
        case 241:
            return .overBudget("from", "it takes more memory than ClickHouse gives one question: choose a shorter time")
        case 164:
            return noted(
                "ClickHouse at \(client.address.server) does not let its user say what a question may cost (readonly = 1). Set readonly "
                    + "to 2 for the user of \(client.option)-credentials."
            )
        default:
            return noted(failure.description)
        }
    }

    private func noted(_ sentence: String) -> StoreError {
        state.withLock {
            $0.trouble = sentence
            // Whatever it was, the tables may be others when it is over.
            $0.version = nil
            $0.block = 0
            $0.kept = nil
            $0.totals = nil
        }
        return .analysis(sentence)
    }
}
