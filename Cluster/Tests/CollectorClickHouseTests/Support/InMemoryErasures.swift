// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import CollectorTesting
internal import TrackwayCore
internal import TrackwayJournal

/// A cluster in memory for erasures: stream, replacements, tables and journal, of which any step can fail.
final class InMemoryErasures: Sendable {
    struct State: Sendable {
        /// The number of steps that succeed before one fails; nil for no failures.
        var stepsLeft: Int?
        /// Whether a failing step still takes effect.
        var takesEffect = false
        var steps = 0
        /// The users of the rows in the tables, by record.
        var rows: [UInt64: String] = [:]
        /// Users whose rows appear after the next removal, as if a collector had accepted them late.
        var late: [String] = []
        var rewrites: [UInt64: RecordRewrite] = [:]
        var requests: [String: ErasurePlan] = [:]
        var plans: [String: (ErasurePlan, Int)] = [:]
        var receipts: [ErasureReceipt] = []
        var problem: String?
        var readers: [ReaderPosition] = []
        var installations: [UserInstallation] = []
        var waitedForParts = 0
    }

    let key = ErasureKey(randomUInt64: { 5 })
    let stream = InMemoryStream()
    let state = Locked(State())

    /// Counts a step, which fails if it is time.
    ///
    /// - Returns: Whether the step takes effect.
    private func step() -> (takesEffect: Bool, fails: Bool) {
        state.withLock { state in
            state.steps += 1
            guard let left = state.stepsLeft else { return (true, false) }
            state.stepsLeft = left - 1
            return left == 0 ? (state.takesEffect, true) : (true, false)
        }
    }

    fileprivate func change(_ body: (inout State) -> Void) throws(StreamMaintenanceError) {
        let (takesEffect, fails) = step()
        if takesEffect { state.withLock { body(&$0) } }
        if fails { throw StreamMaintenanceError("The process was killed.") }
    }

    fileprivate func changeTables(_ body: (inout State) -> Void) throws(ColumnFailure) {
        let (takesEffect, fails) = step()
        if takesEffect { state.withLock { body(&$0) } }
        if fails { throw ColumnFailure(.unreachable, "The process was killed.") }
    }

    /// Adds a batch of a user, whose rows are in the tables.
    func add(_ user: String?, _ numbers: ClosedRange<UInt64>, more: [String] = []) {
        var batch = SentBatch(1, numbers)
        batch.user = user
        batch.more = more
        stream.append(batch.record)
        let sequence = stream.highest
        if let user { state.withLock { $0.rows[sequence] = user } }
    }

    /// Requests an erasure.
    @discardableResult
    func request(_ user: String, at time: Int64 = 1_764_500_000_000) -> String {
        let record = UserErasureRecord(
            received: Timestamp(milliseconds: time),
            key: "officer",
            identity: key.hash(user: user),
            user: user
        )
        let plan = ErasurePlan(record, user: user)
        state.withLock { $0.requests[plan.id] = plan }
        return plan.id
    }

    var runner: ErasureRunner {
        let append: ErasureRunner.Append = { [self] kind, record, _ throws(StreamMaintenanceError) in
            try change { _ in stream.append(record, kind: kind) }
            return stream.highest
        }
        return ErasureRunner(
            ErasureRunner.Source(records: self, stream: self, rewriter: self, append: append),
            journal: self,
            store: self,
            clock: SystemClock(),
            sleep: { _ in }
        )
    }

    /// The records with a text, by sequence.
    func records(with text: String) -> [Int] {
        stream.state.withLock { stream in
            stream.records.indices.filter { String(decoding: stream.records[$0].payload, as: UTF8.self).contains(text) }
                .map { $0 + 1 }
        }
    }
}

extension InMemoryErasures: RecordStream {
    func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord] {
        try await stream.records(from: start, upTo: limit).map { record in
            var record = record
            record.rewrite = state.withLock { $0.rewrites[record.start.streamSequence] }
            return record
        }
    }
}

extension InMemoryErasures: StreamMaintenance {
    func extent() async throws(StreamMaintenanceError) -> StreamExtent { StreamExtent(first: 1, last: stream.highest) }
    func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp? { nil }
    func readers() async throws(StreamMaintenanceError) -> [ReaderPosition] { state.withLock { $0.readers } }
    func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 { 0 }
}

extension InMemoryErasures: RecordRewriting {
    func prepareRewriting() async throws(StreamMaintenanceError) { try change { _ in } }

    func replace(
        _ sequence: UInt64,
        _ kind: FrameKind,
        _ payload: [UInt8],
        _ rewrite: RecordRewrite
    ) async throws(StreamMaintenanceError) {
        try change { state in
            stream.state.withLock { $0.records[Int(sequence) - 1].payload = payload }
            state.rewrites[sequence] = rewrite
        }
    }

    func removeSuperseded() async throws(StreamMaintenanceError) { try change { _ in } }
}

extension InMemoryErasures: ErasureJournal {
    var identities: Set<IdentityHash> {
        state.withLock { state in Set(state.requests.values.map(\.identity) + state.receipts.map(\.identity)) }
    }

    var incomplete: [PendingErasure] {
        state.withLock { state in
            state.requests.values.map { request in
                var erasure = PendingErasure(plan: request)
                if let (plan, events) = state.plans[request.id] {
                    erasure.plan = plan
                    erasure.isPlanned = true
                    erasure.indexedEvents = events
                }
                erasure.isSigned = state.receipts.contains { $0.id == request.id }
                return erasure
            }.sorted { $0.plan.requested < $1.plan.requested }
        }
    }

    var receiptCount: Int { state.withLock { $0.receipts.count } }

    func refresh() async throws(StreamMaintenanceError) {}

    func save(_ plan: ErasurePlan, indexedEvents: Int) async throws(StreamMaintenanceError) {
        try change { $0.plans[plan.id] = (plan, indexedEvents) }
    }

    func save(_ receipt: ErasureReceipt) async throws(StreamMaintenanceError) {
        try change { state in
            if !state.receipts.contains(where: { $0.id == receipt.id }) { state.receipts.append(receipt) }
        }
    }

    func forget(_ id: String) async throws(StreamMaintenanceError) {
        try change { state in
            state.requests[id] = nil
            state.plans[id] = nil
        }
    }

    func report(_ problem: String?) async throws(StreamMaintenanceError) { state.withLock { $0.problem = problem } }
}

extension InMemoryErasures: UserErasureStore {
    func lastRecord() async throws(ColumnFailure) -> UInt64 { stream.highest }
    func completed() async throws(ColumnFailure) -> UInt64 { stream.highest }

    func installations(of user: String, _: @Sendable (String) -> Bool) async throws(ColumnFailure) -> [UserInstallation]
    {
        state.withLock { state in state.rows.values.contains(user) ? state.installations : [] }
    }

    func eventCount(of user: String, _: @Sendable (String) -> Bool) async throws(ColumnFailure) -> Int {
        state.withLock { state in state.rows.values.count { $0 == user } }
    }

    func users(after block: UInt64) async throws(ColumnFailure) -> [String] {
        state.withLock { state in Array(Set(state.rows.filter { $0.key > block }.values)) }
    }

    func removeRows(of plan: ErasurePlan, rejections: [Int64]) async throws(ColumnFailure) {
        try changeTables { state in
            state.rows = state.rows.filter { $0.value != plan.user }
            for user in state.late {
                var batch = SentBatch(1, 90...91)
                batch.user = user
                stream.append(batch.record)
                state.rows[stream.highest] = user
            }
            state.late = []
        }
    }

    func remainingRows(of plan: ErasurePlan) async throws(ColumnFailure) -> Int {
        state.withLock { state in state.rows.values.count { $0 == plan.user } }
    }

    func waitForRemovedParts(_ sleep: @Sendable (Duration) async -> Void) async throws(ColumnFailure) {
        try changeTables { $0.waitedForParts += 1 }
    }
}
