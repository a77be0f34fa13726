// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// A cluster's streams, each created on first use.
///
/// A stream has an intake, readers, retention, and a durability watch.
///
/// Safe from any thread.
final class EngineStreams: Sendable {
    /// A stream.
    struct Stream: Sendable {
        let intake: StreamIntake
        let follower: StreamFollower
        /// A second reader, for scans of old records.
        let beside: StreamFollower
        let keeping: StreamRetention
        let erased: DeletionIndex
        let watch: DurabilityWatch
    }

    private let make: @Sendable (Int) -> Stream
    private let streams = Locked<[Int: Stream]>([:])

    /// Creates streams with this closure.
    init(_ make: @escaping @Sendable (Int) -> Stream) {
        self.make = make
    }

    /// Returns the stream with a number.
    subscript(number: Int) -> Stream {
        if let known = streams.withLock({ $0[number] }) { return known }
        let made = make(number)
        // If two threads create it at once, the first one is kept.
        return streams.withLock { streams in
            let stream = streams[number] ?? made
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
/// Comparing sets shows which to start and which to stop.
enum EngineTask: Sendable, Hashable {
    /// Checks a stream's durability.
    case watch(Int)
    /// Checks the durability of the order.
    case watchOrder
    /// Polls for new records of the only stream.
    case follow

    /// Returns the tasks that must run now.
    static func all(_ standing: OrderFollower.Standing) -> Set<EngineTask> {
        switch standing {
        case .unknown: [.watch(0)]
        case .single: [.watch(0), .follow]
        // The first stream has the records acknowledged before there were others, and everything else was derived from
        // it.
        case .ordered(let line): Set(line.streams.map { .watch($0) } + [.watch(0), .watchOrder])
        }
    }

    /// Returns the durability requirements for a stream, depending on the known order.
    static func demands(on stream: Int, _ standing: OrderFollower.Standing) -> DurabilityGate.Demands {
        var demands = DurabilityGate.Demands()
        switch standing {
        // Its required subjects are not known yet.
        case .unknown: demands.subjects = []
        case .single: demands.closedSubject = StreamNames(number: stream).closedSubject
        case .ordered(let line) where line.streams.contains(stream):
            demands.closedSubject = StreamNames(number: stream).closedSubject
            demands.subjects = StreamNames.subjects(of: line.partitions(of: stream))
        case .ordered: demands.subjects = [StreamNames(number: stream).closedSubject]
        }
        return demands
    }
}

extension DurabilityState.Standing {
    /// Combines several states.
    ///
    /// The result is a fault if any has one, otherwise unknown if any is unknown.
    init(_ standings: [DurabilityState.Standing]) {
        var faults: [DurabilityFault] = []
        var unknown: String?
        for standing in standings {
            switch standing {
            case .proven: break
            case .unknown(let reason): unknown = unknown ?? reason
            // A fault of a server is reported once, although it affects each of its streams.
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
