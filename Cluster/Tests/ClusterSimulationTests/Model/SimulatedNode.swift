// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import TrackwayCore

@testable internal import CollectorClickHouse
@testable internal import CollectorJetStream

/// A process and its state, in the product's own types. The state is lost when the process dies.
struct SimulatedNode {
    enum Role {
        case collector
        case forwarder
        /// Moves records to other streams while it runs.
        case streamChange
    }

    /// The state of one stream in a collector.
    struct Stream {
        var gate: StreamIntakeGate
        var durability = DurabilityState()
        /// The number of the current check; results of earlier ones are ignored.
        var checkNumber: Int32 = 0
        var isWatched = false
        var pending: (result: DurabilityState.CheckResult, last: UInt64?, knownEnd: UInt64, connection: UInt64?)?
    }

    /// How far a node has read the order.
    enum Status {
        case unknown
        case single
        /// It has read this number of entries.
        case ordered(Int)
    }

    let role: Role
    /// Increases whenever the node dies.
    var incarnation = 0
    var isAlive = false
    var asleepUntil: Int64 = 0
    var server: Int?
    var connection: UInt64 = 0
    var address = 0
    var streams: [Stream?] = Array(repeating: nil, count: Simulation.order)
    /// The attempts that it holds.
    var attempts: [Int32] = []

    var status = Status.unknown
    /// Whether the stream of the order is known to exist.
    var orderExists = false
    var knownEnds: [UInt64] = Array(repeating: 0, count: Simulation.order)
    var hasFreshEnd: [Bool] = Array(repeating: false, count: Simulation.order)
    var coordinator = OrderCoordinator()
    var readNumber: Int32 = 0
    var isWaiting = false
    var lastEndRequest: Int64 = 0

    var forwarder = Forwarder()
    var cutter: BlockCutter?
    var rows: (decision: BlockDecision, batches: [Int32])?

    init(_ role: Role) { self.role = role }

    /// Returns the same process after a restart.
    func restarted(delay: Int) -> SimulatedNode {
        var node = SimulatedNode(role)
        node.incarnation = incarnation + 1
        node.isAlive = true
        node.address = address
        node.connection = connection
        node.coordinator = OrderCoordinator(delay: .milliseconds(delay))
        return node
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
    var heldRecord = HeldRecord(at: MonotonicTime(milliseconds: 0))
    var lowestEnd: UInt64?
    var knownEnd: UInt64 = 0
    var isProbe = false
    var isHeld = false
    var isInFlight = false
    /// The number of remaining checks for other opened streams; set after a stream rejects the partition.
    var remainingChecks: Int?
    var round: Int32 = 0
    var server: Int?
    var connection: UInt64 = 0
    var slot = 0
}

/// An installation that sends its batches one at a time and repeats each until it is acknowledged.
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
    var isReachable = true
    /// The batches whose events each block has, as first written.
    var events: [UInt64: [Int32]] = [:]
    /// The lowest block that has a batch's ids; 0 for none.
    var ids: [UInt32]
    /// The blocks that count as written.
    var completed: Set<UInt64> = []

    init(batches: Int) { ids = Array(repeating: 0, count: batches) }
}

/// The state of a move of records to other streams: requested changes and progress.
struct SimulatedStreamChange {
    var requestedCounts: [Int] = []
    var planner: StreamChangePlanner?
    var isRunning = false
    /// The number of steps taken.
    var steps = 0
}
