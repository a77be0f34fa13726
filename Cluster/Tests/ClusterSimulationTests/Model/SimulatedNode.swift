// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import TrackwayEvents

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// A process: what it knows, in the product's own values. It forgets all of it when it dies.
struct SimulatedNode {
    enum Role {
        case collector
        case forwarder
        /// Has other streams take the records, while it lives.
        case growth
    }

    /// One stream, as a collector knows it.
    struct Stream {
        var gate: StreamIntakeGate
        var durability = DurabilityState()
        /// Which look counts.
        var look: Int32 = 0
        var isWatched = false
        var pending: (look: DurabilityState.Look, last: UInt64?, floor: UInt64, connection: UInt64?)?
    }

    /// What a node knows of the order.
    enum Standing {
        case unknown
        case single
        /// It has taken so many entries.
        case ordered(Int)
    }

    let role: Role
    /// Grows whenever it dies.
    var life = 0
    var isAlive = false
    var asleepUntil: Int64 = 0
    var server: Int?
    var connection: UInt64 = 0
    var address = 0
    var streams: [Stream?] = Array(repeating: nil, count: Simulation.order)
    /// What it holds.
    var attempts: [Int32] = []

    var standing = Standing.unknown
    /// Whether the stream of the order is known to be there.
    var isThere = false
    var known: [UInt64] = Array(repeating: 0, count: Simulation.order)
    var heard: [Bool] = Array(repeating: false, count: Simulation.order)
    var keeping = OrderKeeping()
    var follow: Int32 = 0
    var isPausing = false
    var asked: Int64 = 0

    var forwarder = Forwarder()
    var cutter: BlockCutter?
    var rows: (decision: BlockDecision, batches: [Int32])?

    init(_ role: Role) { self.role = role }

    /// The same process, started anew.
    func startedAnew(delay: Int) -> SimulatedNode {
        var fresh = SimulatedNode(role)
        fresh.life = life + 1
        fresh.isAlive = true
        fresh.address = address
        fresh.connection = connection
        fresh.keeping = OrderKeeping(delay: .milliseconds(delay))
        return fresh
    }
}

/// One call of a collector's intake with one batch.
struct SimulatedAttempt {
    var serial: Int32 = 0
    var isUsed = false
    var node = 0
    var batch: Int32 = 0
    var stream = 0
    /// Which entry had opened the streams when it chose one.
    var opened: UInt64 = 0
    var held = HeldRecord(at: MonotonicTime(milliseconds: 0))
    var first: UInt64?
    var floor: UInt64 = 0
    var isProbe = false
    var isHeld = false
    var isInFlight = false
    /// Refused by a stream that does not take its partition: looks whether others were opened, so often still.
    var looks: Int?
    var round: Int32 = 0
    var server: Int?
    var connection: UInt64 = 0
    var listed = 0
}

/// Sends its batches one after the other, each until it is acknowledged.
struct SimulatedInstallation {
    let partition: Int
    var next = 0
    /// Which sending of the batch counts.
    var round: Int32 = 0
    var outstanding = 0
    /// When it sends next.
    var due: Int64 = -1
}

/// What lies in the tables.
struct SimulatedTables {
    var isReached = true
    /// The batches whose events each block has, as it was written first.
    var events: [UInt64: [Int32]] = [:]
    /// The lowest block that has a batch's ids; 0 for none.
    var ids: [UInt32]
    /// The blocks that count as written.
    var completed: Set<UInt64> = []

    init(batches: Int) { ids = Array(repeating: 0, count: batches) }
}

/// Whoever has other streams take the records: what is wanted, and what it has come to.
struct SimulatedGrowth {
    var wanted: [Int] = []
    var growth: StreamGrowth?
    var isAtWork = false
    /// What was noted in each stream that is closed.
    var steps = 0
}
