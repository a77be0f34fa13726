// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import TrackwayEvents
internal import TrackwayJournal

/// A stream in memory, and what is decided about its blocks.
final class StreamMemory: RecordStream, BlockDecisions {
    struct Failure: Error, CustomStringConvertible { let description: String }

    struct State: Sendable {
        var records: [(kind: FrameKind?, payload: [UInt8])] = []
        var decisions: [BlockDecision] = []
        /// Records before this one are gone.
        var first = 1
        /// Records that were deleted since they were erased.
        var deleted: Set<Int> = []
        /// What is listed of such records.
        var listed: [Int: ErasedRecord] = [:]
        /// So many are handed out at once.
        var window = 3
        /// What becomes of the next decision.
        var fate: @Sendable () -> TableMemory.Fate = { .works }
        /// Why nothing can be had.
        var trouble: String?
        /// How often records were asked for.
        var read = 0
    }

    let state = Locked(State())

    func append(_ payload: [UInt8], kind: FrameKind? = .intake) {
        state.withLock { $0.records.append((kind, payload)) }
    }

    var highest: UInt64 { state.withLock { UInt64($0.records.count) } }

    /// What a forwarding reads.
    var source: StreamForwarding.Source {
        StreamForwarding.Source(
            records: self,
            number: 0,
            highest: { self.highest },
            decisions: self,
            isGone: { ($0 as? Failure)?.description.contains("gone") ?? false }
        )
    }

    func records(from start: LogPosition, upTo limit: LogPosition) async throws -> [StreamedRecord] {
        let first = max(Int(start.streamSequence), 1)
        return try state.withLock { state in
            state.read += 1
            if let trouble = state.trouble { throw Failure(description: trouble) }
            guard first >= state.first else { throw Failure(description: "record \(first) is gone") }
            guard first <= state.records.count else { throw Failure(description: "there is no record \(first)") }
            return try (first...min(first + state.window - 1, state.records.count)).map { number in
                let start = LogPosition(stream: 0, sequence: UInt64(number))
                let end = LogPosition(stream: 0, sequence: UInt64(number + 1))
                if state.deleted.contains(number) {
                    guard let record = state.listed[number] else {
                        throw Failure(description: "record \(number) is gone")
                    }
                    return record.substitute(from: start, to: end)
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
        let fate = state.withLock { $0.fate }()
        if case .fails = fate { throw BlockDecisionFailure("It is not decided.") }
        let isOurs = state.withLock { state in
            guard state.decisions.count == Int(decision.block) - 1 else { return false }
            state.decisions.append(decision)
            return true
        }
        if case .unheard = fate { throw BlockDecisionFailure("Nobody knows whether it is decided.") }
        return isOurs
    }
}
