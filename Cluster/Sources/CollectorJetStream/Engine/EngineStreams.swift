// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

/// An engine's streams, each made when it is first asked for: intake, reader, upkeep, and the watch over its durability. Safe from any
/// thread.
final class EngineStreams: Sendable {
    /// One of them.
    struct Stream: Sendable {
        let intake: StreamIntake
        let follower: StreamFollower
        /// Reads beside it, for whoever looks through what came long ago.
        let beside: StreamFollower
        let keeping: StreamKeeping
        let erased: ErasedList
        let watch: DurabilityWatch
    }

    private let make: @Sendable (Int) -> Stream
    private let streams = Locked<[Int: Stream]>([:])

    /// Streams that are made so.
    init(_ make: @escaping @Sendable (Int) -> Stream) {
        self.make = make
    }

    /// The stream of a number.
    subscript(number: Int) -> Stream {
        if let known = streams.withLock({ $0[number] }) { return known }
        let made = make(number)
        // Whoever was first has made the one that is used.
        return streams.withLock { streams in
            let stream = streams[number] ?? made
            streams[number] = stream
            return stream
        }
    }

    /// Those that were asked for, by their numbers.
    var all: [(number: Int, stream: Stream)] {
        streams.withLock { $0.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }
    }

    /// The connection changed: every watch looks at once.
    func connectionChanged() {
        for (_, stream) in all { stream.watch.connectionChanged() }
    }
}

/// Which watches and readers work, for what is known of the order: a value for each, so that what is new is begun and what is over ends.
enum EngineTask: Sendable, Hashable {
    /// Looks at a stream's durability.
    case watch(Int)
    /// Looks at the durability of the order.
    case watchOrder
    /// Looks for new records of the stream that alone takes them.
    case follow

    /// Those that work now.
    static func all(_ standing: OrderFollower.Standing) -> Set<EngineTask> {
        switch standing {
        case .unknown: [.watch(0)]
        case .single: [.watch(0), .follow]
        // The first stream has what was acknowledged before there were others, and is what everything else was made of.
        case .ordered(let line): Set(line.streams.map { .watch($0) } + [.watch(0), .watchOrder])
        }
    }

    /// What is asked of a stream, for what is known of the order.
    static func demands(on stream: Int, _ standing: OrderFollower.Standing) -> DurabilityGate.Demands {
        var demands = DurabilityGate.Demands()
        switch standing {
        // Which subjects it is to have is not known yet.
        case .unknown: demands.subjects = []
        case .single: demands.closedSubject = StreamPlace(number: stream).closedSubject
        case .ordered(let line) where line.streams.contains(stream):
            demands.closedSubject = StreamPlace(number: stream).closedSubject
            demands.subjects = StreamPlace.subjects(of: line.partitions(of: stream))
        case .ordered: demands.subjects = [StreamPlace(number: stream).closedSubject]
        }
        return demands
    }
}

extension DurabilityState.Standing {
    /// What several come to: what is wrong with any of them is wrong, and what is not known of any is not known.
    init(_ standings: [DurabilityState.Standing]) {
        var faults: [DurabilityFault] = []
        var unknown: String?
        for standing in standings {
            switch standing {
            case .proven: break
            case .unknown(let reason): unknown = unknown ?? reason
            // What is wrong with a server is wrong with each stream that it keeps.
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
