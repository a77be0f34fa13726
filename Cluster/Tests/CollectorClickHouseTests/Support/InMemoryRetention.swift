// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// Retention of a stream in memory: record `n` arrived in hour `n`.
final class InMemoryRetention: StreamMaintenance {
    struct State: Sendable {
        var readers: [ReaderPosition] = []
        /// Called before the readers are returned, with the number of calls so far.
        var beforeReaders: @Sendable (Int, inout [ReaderPosition]) -> Void = { _, _ in }
        var readerReads = 0
        /// The number of purges that succeed before the rest fail; nil for no failures.
        var successfulPurges: Int?
        /// Whether a failing purge still takes effect.
        var losesAnswer = false
        /// The requested purges.
        var purgeRequests: [UInt64] = []
    }

    let stream: InMemoryStream
    let state = Locked(State())

    init(_ stream: InMemoryStream, readers: [(String, UInt64)] = []) {
        self.stream = stream
        state.withLock { $0.readers = readers.map { Self.reader($0.0, $0.1) } }
    }

    static func reader(_ name: String, _ next: UInt64) -> ReaderPosition {
        ReaderPosition(name: name, next: next, lastReport: hour(1))
    }

    static func hour(_ number: Int) -> Timestamp { Timestamp(milliseconds: Int64(number) * 3_600_000) }

    func extent() async throws(StreamMaintenanceError) -> StreamExtent {
        StreamExtent(first: UInt64(stream.state.withLock { $0.first }), last: stream.highest)
    }

    func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp? {
        let exists = stream.state.withLock { Int(sequence) >= $0.first && Int(sequence) <= $0.records.count }
        return exists ? Self.hour(Int(sequence)) : nil
    }

    func readers() async throws(StreamMaintenanceError) -> [ReaderPosition] {
        state.withLock { state in
            state.readerReads += 1
            state.beforeReaders(state.readerReads, &state.readers)
            return state.readers
        }
    }

    func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        let (succeeds, takesEffect) = state.withLock { state in
            state.purgeRequests.append(sequence)
            let succeeds = state.successfulPurges.map { state.purgeRequests.count <= $0 } ?? true
            return (succeeds, succeeds || state.losesAnswer)
        }
        let removed = stream.state.withLock { stream in
            let removed = max(0, Int(sequence) - stream.first)
            if takesEffect { stream.first += removed }
            return removed
        }
        guard succeeds else { throw StreamMaintenanceError("It could not be purged.") }
        return UInt64(removed)
    }
}
