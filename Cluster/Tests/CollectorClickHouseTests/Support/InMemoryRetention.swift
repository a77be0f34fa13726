// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// Retention of a stream in memory: record `n` arrived in hour `n`.
final class InMemoryRetention: StreamMaintenance {
    struct State: Sendable {
        var readers: [ReaderPosition] = []
        /// Called before the readers are returned, with the number of calls so far.
        var beforeReaders: @Sendable (Int, inout [ReaderPosition]) -> Void = { _, _ in }
        var asked = 0
        /// The number of purges before they fail; nil for no failures.
        var purges: Int?
        /// Whether a failing purge still takes effect.
        var isUnheard = false
        /// The requested purges.
        var orders: [UInt64] = []
    }

    let stream: StreamMemory
    let state = Locked(State())

    init(_ stream: StreamMemory, readers: [(String, UInt64)] = []) {
        self.stream = stream
        state.withLock { $0.readers = readers.map { Self.reader($0.0, $0.1) } }
    }

    static func reader(_ name: String, _ next: UInt64) -> ReaderPosition {
        ReaderPosition(name: name, next: next, heard: hour(1))
    }

    static func hour(_ number: Int) -> Timestamp { Timestamp(milliseconds: Int64(number) * 3_600_000) }

    func extent() async throws(StreamMaintenanceError) -> StreamExtent {
        StreamExtent(first: UInt64(stream.state.withLock { $0.first }), last: stream.highest)
    }

    func time(of sequence: UInt64) async throws(StreamMaintenanceError) -> Timestamp? {
        let isThere = stream.state.withLock { Int(sequence) >= $0.first && Int(sequence) <= $0.records.count }
        return isThere ? Self.hour(Int(sequence)) : nil
    }

    func readers() async throws(StreamMaintenanceError) -> [ReaderPosition] {
        state.withLock { state in
            state.asked += 1
            state.beforeReaders(state.asked, &state.readers)
            return state.readers
        }
    }

    func purge(before sequence: UInt64) async throws(StreamMaintenanceError) -> UInt64 {
        let (works, arrives) = state.withLock { state in
            state.orders.append(sequence)
            let works = state.purges.map { state.orders.count <= $0 } ?? true
            return (works, works || state.isUnheard)
        }
        let removed = stream.state.withLock { stream in
            let removed = max(0, Int(sequence) - stream.first)
            if arrives { stream.first += removed }
            return removed
        }
        guard works else { throw StreamMaintenanceError("It could not be purged.") }
        return UInt64(removed)
    }
}
