// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import TrackwayCore
internal import TrackwayJournal

/// A stream in memory, and the decisions about its blocks.
final class InMemoryStream: RecordStream, BlockDecisions {
    struct Failure: Error, CustomStringConvertible { let description: String }

    struct State: Sendable {
        var records: [(kind: FrameKind?, payload: [UInt8])] = []
        var decisions: [BlockDecision] = []
        /// The first record that was not purged.
        var first = 1
        /// Deleted records of erased installations.
        var deleted: Set<Int> = []
        /// The list of such records.
        var listed: [Int: DeletedRecordEntry] = [:]
        /// The maximum number of records in one read.
        var maxReadCount = 3
        /// Decides the result of the next decision.
        var outcome: @Sendable () -> InMemoryTables.Outcome = { .succeeds }
        /// Why the stream is unavailable; nil if it is available.
        var unavailableReason: String?
        /// The number of reads.
        var readCount = 0
    }

    let state = Locked(State())

    func append(_ payload: [UInt8], kind: FrameKind? = .intake) {
        state.withLock { $0.records.append((kind, payload)) }
    }

    var highest: UInt64 { state.withLock { UInt64($0.records.count) } }

    /// The source for a forwarding runner.
    var source: ForwardingRunner.Source {
        ForwardingRunner.Source(
            records: self,
            number: 0,
            highest: { self.highest },
            decisions: self,
            isPermanentlyMissing: { ($0 as? Failure)?.description.contains("gone") ?? false }
        )
    }

    func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord] {
        let first = max(Int(start.streamSequence), 1)
        return try state.withLock { state in
            state.readCount += 1
            if let reason = state.unavailableReason { throw Failure(description: reason) }
            guard first >= state.first else { throw Failure(description: "record \(first) is gone") }
            guard first <= state.records.count else { throw Failure(description: "record \(first) does not exist") }
            return try (first...min(first + state.maxReadCount - 1, state.records.count)).map { number in
                let start = LogPosition(stream: 0, sequence: UInt64(number))
                let end = LogPosition(stream: 0, sequence: UInt64(number + 1))
                if state.deleted.contains(number) {
                    guard let record = state.listed[number] else {
                        throw Failure(description: "record \(number) is gone")
                    }
                    return record.replacementRecord(from: start, to: end)
                }
                let (kind, payload) = state.records[number - 1]
                return StreamedRecord(kind: kind, start: start, end: end, payload: payload)
            }
        }
    }

    func decision(_ block: UInt64) async throws(BlockDecisionFailure) -> BlockDecision? {
        state.withLock { Int(block) <= $0.decisions.count ? $0.decisions[Int(block) - 1] : nil }
    }

    func decide(_ decision: BlockDecision) async throws(BlockDecisionFailure) -> Bool {
        let outcome = state.withLock { $0.outcome }()
        if case .fails = outcome { throw BlockDecisionFailure("It is not decided.") }
        let isOurs = state.withLock { state in
            guard state.decisions.count == Int(decision.block) - 1 else { return false }
            state.decisions.append(decision)
            return true
        }
        if case .answerLost = outcome { throw BlockDecisionFailure("It is unknown whether it is decided.") }
        return isOurs
    }
}
