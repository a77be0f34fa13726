// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// The deletion list of a stream in memory, which fails when a test wants it to.
final class InMemoryDeletionList: DeletedRecordList {
    /// The result of a request.
    enum Outcome: Sendable {
        case succeeds
        /// The request is carried out, but the answer is lost.
        case answerLost
        case fails
    }

    struct State: Sendable {
        var progress = ErasureProgress()
        var isPrepared = false
        /// Decides the results of the next requests.
        var outcome: @Sendable () -> Outcome = { .succeeds }
        /// Whether a record was deleted before it was listed.
        var deletedUnlisted = false
        /// Deleted records, in order of the requests.
        var deletions: [UInt64] = []
    }

    let stream: InMemoryStream
    let state = Locked(State())

    init(_ stream: InMemoryStream) { self.stream = stream }

    private func perform(_ body: (inout State) -> Void) throws(StreamMaintenanceError) {
        let outcome = state.withLock { $0.outcome }()
        if case .fails = outcome { throw StreamMaintenanceError("It fails.") }
        state.withLock { body(&$0) }
        if case .answerLost = outcome { throw StreamMaintenanceError("The answer was lost.") }
    }

    func prepare() async throws(StreamMaintenanceError) { try perform { $0.isPrepared = true } }

    func progress() async throws(StreamMaintenanceError) -> ErasureProgress { state.withLock { $0.progress } }

    func save(_ progress: ErasureProgress) async throws(StreamMaintenanceError) {
        try perform { $0.progress = progress }
    }

    func append(_ record: DeletedRecordEntry) async throws(StreamMaintenanceError) {
        try perform { _ in stream.state.withLock { $0.listed[Int(record.sequence)] = record } }
    }

    func delete(_ sequence: UInt64) async throws(StreamMaintenanceError) {
        let stream = stream
        try perform { state in
            state.deletions.append(sequence)
            stream.state.withLock { stream in
                if stream.listed[Int(sequence)] == nil { state.deletedUnlisted = true }
                stream.deleted.insert(Int(sequence))
            }
        }
    }
}
