// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// The deletion list of a stream in memory, which fails when a test wants it to.
final class InMemoryDeletionList: DeletedRecordList {
    /// The result of an order.
    enum Fate: Sendable {
        case works
        /// It is carried out, but the answer is lost.
        case unheard
        case fails
    }

    struct State: Sendable {
        var progress = ErasureProgress()
        var isMade = false
        /// Decides the results of the next orders.
        var fate: @Sendable () -> Fate = { .works }
        /// Whether a record was deleted before it was listed.
        var isCareless = false
        /// Deleted records, in order of the requests.
        var orders: [UInt64] = []
    }

    let stream: StreamMemory
    let state = Locked(State())

    init(_ stream: StreamMemory) { self.stream = stream }

    private func order(_ body: (inout State) -> Void) throws(StreamMaintenanceError) {
        let fate = state.withLock { $0.fate }()
        if case .fails = fate { throw StreamMaintenanceError("It fails.") }
        state.withLock { body(&$0) }
        if case .unheard = fate { throw StreamMaintenanceError("Its answer is lost.") }
    }

    func prepare() async throws(StreamMaintenanceError) { try order { $0.isMade = true } }

    func progress() async throws(StreamMaintenanceError) -> ErasureProgress { state.withLock { $0.progress } }

    func note(_ progress: ErasureProgress) async throws(StreamMaintenanceError) { try order { $0.progress = progress } }

    func list(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError) {
        try order { _ in stream.state.withLock { $0.listed[Int(record.sequence)] = record } }
    }

    func delete(_ sequence: UInt64) async throws(StreamMaintenanceError) {
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
