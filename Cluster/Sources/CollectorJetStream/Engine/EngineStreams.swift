// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

/// A cluster's streams, each created on first use.
///
/// A stream has an intake, readers, retention, and a durability watch.
///
/// Safe from any thread.
final class EngineStreams: Sendable {
    /// A stream with its intake, readers, retention, and watch.
    struct Stream: Sendable {
        let intake: StreamIntake
        let follower: StreamFollower
        /// A second reader, for scans of old records.
        let scanFollower: StreamFollower
        let retention: StreamRetention
        let deletionIndex: DeletionIndex
        let rewrites: RewrittenRecords
        let watch: DurabilityWatch
    }

    private let make: @Sendable (Int) -> Stream
    private let streams = Locked<[Int: Stream]>([:])

    /// Creates an empty set of streams, which the given closure fills on demand.
    init(_ make: @escaping @Sendable (Int) -> Stream) {
        self.make = make
    }

    /// The stream with the given number, created on first use.
    subscript(number: Int) -> Stream {
        if let known = streams.withLock({ $0[number] }) { return known }
        let new = make(number)
        // If two threads create the stream at once, the first one is kept.
        return streams.withLock { streams in
            let stream = streams[number] ?? new
            streams[number] = stream
            return stream
        }
    }

    /// All streams created so far, by number.
    var all: [(number: Int, stream: Stream)] {
        streams.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// Makes every watch check immediately, because the connection changed.
    func connectionChanged() {
        for (_, stream) in all { stream.watch.connectionChanged() }
    }
}

/// A watch or reader that must run for a given order.
///
/// Comparing two sets of tasks shows which tasks to start and which to stop.
enum EngineTask: Sendable, Hashable {
    /// Checks a stream's durability.
    case watch(Int)
    /// Checks the durability of the order.
    case watchOrder
    /// Polls for new records in the only stream.
    case follow

    /// Returns the tasks that must run for the given status.
    static func all(_ status: OrderFollower.Status) -> Set<EngineTask> {
        switch status {
        case .unknown: [.watch(0)]
        case .single: [.watch(0), .follow]
        // The first stream has the records that were acknowledged before other streams existed, and everything else was
        // derived from it.
        case .ordered(let streamOrder): Set(streamOrder.streams.map { .watch($0) } + [.watch(0), .watchOrder])
        }
    }

    /// Returns the durability requirements for a stream, depending on the known order.
    static func requirements(on stream: Int, _ status: OrderFollower.Status) -> DurabilityGate.Requirements {
        var requirements = DurabilityGate.Requirements()
        switch status {
        // The stream's required subjects are not known yet.
        case .unknown: requirements.subjects = []
        case .single: requirements.closedSubject = StreamNames(number: stream).closedSubject
        case .ordered(let streamOrder) where streamOrder.streams.contains(stream):
            requirements.closedSubject = StreamNames(number: stream).closedSubject
            requirements.subjects = StreamNames.subjects(of: streamOrder.partitions(of: stream))
        case .ordered: requirements.subjects = [StreamNames(number: stream).closedSubject]
        }
        return requirements
    }
}

extension DurabilityState.Status {
    /// Combines several statuses.
    ///
    /// The result is unproven if any status is unproven, otherwise unknown if any status is unknown.
    init(_ statuses: [DurabilityState.Status]) {
        var faults: [DurabilityFault] = []
        var unknown: String?
        for status in statuses {
            switch status {
            case .proven: break
            case .unknown(let reason): unknown = unknown ?? reason
            // A server's fault is reported once, even though it affects each of the server's streams.
            case .unproven(let found): faults += found.filter { !faults.contains($0) }
            }
        }
        if !faults.isEmpty {
            self = .unproven(faults)
        } else if let unknown {
            self = .unknown(unknown)
        } else {
            self = .proven
        }
    }
}
