// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// A process and its state, in the product's own values. The state is lost when the process dies.
struct SimulatedNode {
    enum Role {
        case collector
        case forwarder
        /// Moves records to other streams while it runs.
        case growth
    }

    /// The state of one stream in a collector.
    struct Stream {
        var gate: StreamIntakeGate
        var durability = DurabilityState()
        /// The number of the current check; results of earlier ones are ignored.
        var look: Int32 = 0
        var isWatched = false
        var pending: (look: DurabilityState.Look, last: UInt64?, floor: UInt64, connection: UInt64?)?
    }

    /// How far a node has read the order.
    enum Standing {
        case unknown
        case single
        /// It has read this number of entries.
        case ordered(Int)
    }

    let role: Role
    /// Increases whenever the node dies.
    var life = 0
    var isAlive = false
    var asleepUntil: Int64 = 0
    var server: Int?
    var connection: UInt64 = 0
    var address = 0
    var streams: [Stream?] = Array(repeating: nil, count: Simulation.order)
    /// The attempts that it holds.
    var attempts: [Int32] = []

    var standing = Standing.unknown
    /// Whether the stream of the order is known to exist.
    var isThere = false
    var known: [UInt64] = Array(repeating: 0, count: Simulation.order)
    var heard: [Bool] = Array(repeating: false, count: Simulation.order)
    var keeping = OrderCoordinator()
    var follow: Int32 = 0
    var isPausing = false
    var asked: Int64 = 0

    var forwarder = Forwarder()
    var cutter: BlockCutter?
    var rows: (decision: BlockDecision, batches: [Int32])?

    init(_ role: Role) { self.role = role }

    /// Returns the same process after a restart.
    func startedAnew(delay: Int) -> SimulatedNode {
        var fresh = SimulatedNode(role)
        fresh.life = life + 1
        fresh.isAlive = true
        fresh.address = address
        fresh.connection = connection
        fresh.keeping = OrderCoordinator(delay: .milliseconds(delay))
        return fresh
    }
}

/// A call of a collector's intake with one batch.
struct SimulatedAttempt {
    var serial: Int32 = 0
    var isUsed = false
    var node = 0
    var batch: Int32 = 0
    var stream = 0
    /// The number of the entry that had opened the streams when a stream was chosen.
    var opened: UInt64 = 0
    var held = HeldRecord(at: MonotonicTime(milliseconds: 0))
    var first: UInt64?
    var floor: UInt64 = 0
    var isProbe = false
    var isHeld = false
    var isInFlight = false
    /// The remaining checks whether other streams were opened; set after a stream rejects the partition.
    var looks: Int?
    var round: Int32 = 0
    var server: Int?
    var connection: UInt64 = 0
    var listed = 0
}

/// An installation that sends its batches one after the other, each until it is acknowledged.
struct SimulatedInstallation {
    let partition: Int
    var next = 0
    /// The number of the current send of the batch; answers to earlier ones are ignored.
    var round: Int32 = 0
    var outstanding = 0
    /// The time of the next send.
    var due: Int64 = -1
}

/// The contents of the tables.
struct SimulatedTables {
    var isReached = true
    /// The batches whose events each block has, as first written.
    var events: [UInt64: [Int32]] = [:]
    /// The lowest block that has a batch's ids; 0 for none.
    var ids: [UInt32]
    /// The blocks that count as written.
    var completed: Set<UInt64> = []

    init(batches: Int) { ids = Array(repeating: 0, count: batches) }
}

/// The state of moving records to other streams: requested changes and progress.
struct SimulatedGrowth {
    var wanted: [Int] = []
    var growth: StreamChangePlanner?
    var isAtWork = false
    /// The number of steps taken.
    var steps = 0
}
