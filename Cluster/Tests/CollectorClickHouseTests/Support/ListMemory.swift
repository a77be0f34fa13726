// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The list of what is deleted from a stream in memory, which fails where a test wants it.
final class ListMemory: ErasedRecords {
    /// What becomes of an order.
    enum Fate: Sendable {
        case works
        /// It is carried out, and nobody hears so.
        case unheard
        case fails
    }

    struct State: Sendable {
        var progress = ErasureProgress()
        var isMade = false
        /// What becomes of the next orders.
        var fate: @Sendable () -> Fate = { .works }
        /// Whether a record was ever deleted that was not listed.
        var isCareless = false
        /// Records that were deleted, in the order of the orders.
        var orders: [UInt64] = []
    }

    let stream: StreamMemory
    let state = Locked(State())

    init(_ stream: StreamMemory) { self.stream = stream }

    private func order(_ body: (inout State) -> Void) throws(UpkeepFailure) {
        let fate = state.withLock { $0.fate }()
        if case .fails = fate { throw UpkeepFailure("It fails.") }
        state.withLock { body(&$0) }
        if case .unheard = fate { throw UpkeepFailure("Its answer is lost.") }
    }

    func prepare() async throws(UpkeepFailure) { try order { $0.isMade = true } }

    func progress() async throws(UpkeepFailure) -> ErasureProgress { state.withLock { $0.progress } }

    func note(_ progress: ErasureProgress) async throws(UpkeepFailure) { try order { $0.progress = progress } }

    func list(_ record: ErasedRecord) async throws(UpkeepFailure) {
        try order { _ in stream.state.withLock { $0.listed[Int(record.sequence)] = record } }
    }

    func delete(_ sequence: UInt64) async throws(UpkeepFailure) {
        let stream = stream
        try order { state in
            state.orders.append(sequence)
            stream.state.withLock { stream in
                if stream.listed[Int(sequence)] == nil { state.isCareless = true }
                stream.deleted.insert(Int(sequence))
            }
        }
    }
}
