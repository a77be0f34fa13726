// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting

/// The parameters of a simulation.
struct SimulationPlan: Sendable, CustomStringConvertible {
    /// A deliberate flaw, to verify that the simulation finds it.
    enum Flaw: String, Sendable, CaseIterable {
        /// The order leaves out the last records of each closed stream.
        case omitsLastRecords
        /// A collector publishes to a cluster without proof of its durability.
        case publishesUnproven
        /// A leader acknowledges records that only it has.
        case acknowledgesUnreplicated
        /// Closed streams do not wait for records in flight.
        case skipsCloseDelay
        /// New streams are opened before all records of the old ones are in the order.
        case opensBeforeDrained
        /// Blocks are decided without a check against the previous decision.
        case skipsDecisionCheck
        /// A forwarder does not check which events are known.
        case ignoresKnownIDs
        /// A collector that holds a record forgets its id when it retries.
        case forgetsIDs
    }

    var seed: UInt64
    var servers = 5
    var collectors = 4
    var forwarders = 2
    var installations = 20
    /// The number of batches that each installation sends.
    var batches = 12
    /// The maximum time before an installation's next batch, in milliseconds.
    var maxPause = 4_000
    /// The stream changes: the time of each, in milliseconds, and the new number of streams.
    var streamChanges: [(at: Int64, streams: Int)] = []
    /// The period in which faults begin, in milliseconds.
    var faultPeriod: Int64 = 60_000
    /// The maximum time between two faults, in milliseconds.
    var maxFaultInterval = 6_000
    /// The maximum number of batches that a collector holds.
    var maxHeldBatches = 24
    /// The maximum number of records in a block.
    var blockRecords = 40
    /// The maximum offset of collectors' clocks in either direction, in milliseconds.
    var maxClockOffset: Int64 = 120_000
    var flaw: Flaw?

    init(seed: UInt64) { self.seed = seed }

    /// A small cluster that ends with up to 6 streams, and has up to 12 collectors.
    static func small(_ seed: UInt64) -> SimulationPlan {
        var random = SeededNumberGenerator(seed: seed &* 7_919)
        var plan = SimulationPlan(seed: seed)
        plan.servers = random.number(3...6)
        plan.collectors = random.number(2...12)
        plan.forwarders = random.number(1...3)
        plan.installations = random.number(4...24)
        plan.batches = random.number(4...14)
        plan.faultPeriod = Int64(random.number(20...60)) * 1_000
        plan.maxPause = 2 * Int(plan.faultPeriod) / plan.batches
        plan.streamChanges = [(Int64(random.number(500...20_000)), random.number(2...3))]
        if random.oneIn(2) {
            plan.streamChanges.append(
                (plan.streamChanges[0].at + Int64(random.number(500...20_000)), random.number(1...6))
            )
        }
        plan.maxHeldBatches = random.number(3...40)
        plan.blockRecords = random.number(3...60)
        return plan
    }

    /// A cluster of 200 collectors that ends with 64 streams.
    static func large(_ seed: UInt64, batches: Int) -> SimulationPlan {
        var plan = SimulationPlan(seed: seed)
        plan.servers = 9
        plan.collectors = 200
        plan.forwarders = 3
        plan.installations = 20_000
        plan.batches = max(1, batches / plan.installations)
        plan.maxPause = 8_000
        plan.faultPeriod = max(60_000, Int64(plan.batches) * 4_000)
        plan.streamChanges = [(plan.faultPeriod / 8, 4), (plan.faultPeriod / 3, 64)]
        plan.maxHeldBatches = 1_024
        plan.blockRecords = 5_000
        plan.maxClockOffset = 50
        return plan
    }

    var description: String {
        "seed \(seed): \(servers) servers, \(collectors) collectors, \(forwarders) forwarders, \(installations) installations of \(batches) "
            + "batches each at most \(maxPause) ms apart, streams \(streamChanges.map { "\($0.streams) at \($0.at) ms" }), \(maxHeldBatches) batches held, "
            + "blocks of \(blockRecords)" + (flaw.map { ", flaw: \($0)" } ?? "")
    }
}

/// A fault that is repaired after a while.
struct SimulatedFault: Sendable, Hashable, CustomStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        /// A server dies.
        case killServer
        /// A server stops while its connections stay open.
        case pauseServer
        /// A server, or a small group of servers, is cut off from the others.
        case isolateServers
        /// A server restarts without syncing.
        case disableSync
        /// A server's disk is slow.
        case slowDisk
        /// Answers are lost.
        case loseAnswers
        /// All network messages are delayed.
        case delayMessages
        /// A collector or forwarder dies.
        case killNode
        /// A collector or forwarder is suspended.
        case suspendNode
        /// The tables cannot be reached.
        case disconnectTables
        /// The process that moves records to other streams dies.
        case killStreamChange
    }

    /// When it occurs, in milliseconds.
    var at: Int64
    var kind: Kind
    /// The server or node, modulo their number.
    var target: Int
    /// Its duration, in milliseconds.
    var duration: Int64

    var description: String { "\(at) \(kind.rawValue) \(target) \(duration)" }

    init(at: Int64, kind: Kind, target: Int, duration: Int64) {
        self.at = at
        self.kind = kind
        self.target = target
        self.duration = duration
    }

    /// Parses a line of a script.
    init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 4, let at = Int64(words[0]), let kind = Kind(rawValue: String(words[1])),
            let target = Int(words[2]), let duration = Int64(words[3])
        else { return nil }
        self.init(at: at, kind: kind, target: target, duration: duration)
    }

    /// Generates the faults of a plan.
    static func all(of plan: SimulationPlan) -> [SimulatedFault] {
        var random = SeededNumberGenerator(seed: plan.seed &* 104_729 &+ 17)
        var faults: [SimulatedFault] = []
        var now: Int64 = 200
        while true {
            now += Int64(random.number(50...plan.maxFaultInterval))
            if now >= plan.faultPeriod { return faults }
            let kind = [
                Kind.killServer, .killServer, .pauseServer, .isolateServers, .isolateServers, .disableSync, .slowDisk,
                .loseAnswers, .delayMessages, .killNode, .killNode, .killNode, .suspendNode, .disconnectTables,
                .killStreamChange, .killStreamChange,
            ][random.number(0...15)]
            let duration: ClosedRange<Int> =
                switch kind {
                case .killServer: 100...12_000
                case .pauseServer, .isolateServers: 500...20_000
                case .disableSync: 20_000...30_000
                case .slowDisk: 1_000...15_000
                case .loseAnswers, .delayMessages: 500...8_000
                case .killNode, .killStreamChange: 50...3_000
                case .suspendNode: random.oneIn(6) ? 130_000...150_000 : 1_000...20_000
                case .disconnectTables: 500...10_000
                }
            let fault = SimulatedFault(
                at: now,
                kind: kind,
                target: random.number(0...10_000),
                duration: Int64(random.number(duration))
            )
            faults.append(fault)
            // Two servers at a time, so that no group has a majority for a while.
            if [.killServer, .pauseServer].contains(kind), random.oneIn(3) {
                faults.append(.init(at: now, kind: kind, target: fault.target + 1, duration: fault.duration))
            }
        }
    }
}
