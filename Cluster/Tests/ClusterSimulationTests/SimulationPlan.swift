// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting

/// The parameters of a simulation.
struct SimulationPlan: Sendable, CustomStringConvertible {
    /// A deliberate flaw, to verify that the simulation finds it.
    enum Flaw: String, Sendable, CaseIterable {
        /// The order leaves out the last records of each closed stream.
        case orderLeavesOut
        /// A collector publishes to a cluster without proof of its durability.
        case believesUnproven
        /// A leader acknowledges records that only it has.
        case acknowledgesAlone
        /// Closed streams are not given time for records in flight.
        case closesAtOnce
        /// New streams are opened before all records of the old ones are in the order.
        case opensTooEarly
        /// Blocks are decided without a check against the previous decision.
        case decidesTwice
        /// A forwarder does not check which events are known.
        case recognisesNothing
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
    var pause = 4_000
    /// When to move records to how many streams; times are in milliseconds.
    var growths: [(at: Int64, streams: Int)] = []
    /// The period in which faults begin, in milliseconds.
    var breaks: Int64 = 60_000
    /// The maximum time between two faults, in milliseconds.
    var calm = 6_000
    /// The maximum number of batches that a collector holds.
    var waiting = 24
    /// The maximum number of records in a block.
    var blockRecords = 40
    /// The maximum offset of collectors' clocks in either direction, in milliseconds.
    var clocks: Int64 = 120_000
    var flaw: Flaw?

    init(seed: UInt64) { self.seed = seed }

    /// A small cluster that ends with up to 6 streams, and has up to 12 collectors.
    static func small(_ seed: UInt64) -> SimulationPlan {
        var chance = SeededChance(seed: seed &* 7_919)
        var plan = SimulationPlan(seed: seed)
        plan.servers = chance.number(3...6)
        plan.collectors = chance.number(2...12)
        plan.forwarders = chance.number(1...3)
        plan.installations = chance.number(4...24)
        plan.batches = chance.number(4...14)
        plan.breaks = Int64(chance.number(20...60)) * 1_000
        plan.pause = 2 * Int(plan.breaks) / plan.batches
        plan.growths = [(Int64(chance.number(500...20_000)), chance.number(2...3))]
        if chance.chance(2) {
            plan.growths.append((plan.growths[0].at + Int64(chance.number(500...20_000)), chance.number(1...6)))
        }
        plan.waiting = chance.number(3...40)
        plan.blockRecords = chance.number(3...60)
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
        plan.pause = 8_000
        plan.breaks = max(60_000, Int64(plan.batches) * 4_000)
        plan.growths = [(plan.breaks / 8, 4), (plan.breaks / 3, 64)]
        plan.waiting = 1_024
        plan.blockRecords = 5_000
        plan.clocks = 50
        return plan
    }

    var description: String {
        "seed \(seed): \(servers) servers, \(collectors) collectors, \(forwarders) forwarders, \(installations) installations of \(batches) "
            + "batches each at most \(pause) ms apart, streams \(growths.map { "\($0.streams) at \($0.at) ms" }), \(waiting) batches held, "
            + "blocks of \(blockRecords)" + (flaw.map { ", flaw: \($0)" } ?? "")
    }
}

/// A fault that is repaired after a while.
struct SimulatedFault: Sendable, Hashable, CustomStringConvertible {
    enum Kind: String, Sendable, CaseIterable {
        /// A server dies.
        case kill
        /// A server stops, with its connections open.
        case pause
        /// A server, or a small group of servers, is cut off from the others.
        case cut
        /// A server restarts without syncing.
        case lazy
        /// A server's disk is slow.
        case slow
        /// Answers are lost.
        case lose
        /// All network messages are delayed.
        case late
        /// A collector or forwarder dies.
        case node
        /// A collector or forwarder is suspended.
        case sleep
        /// The tables cannot be reached.
        case tables
        /// The process that moves records to other streams dies.
        case growth
    }

    /// When it occurs, in milliseconds.
    var at: Int64
    var kind: Kind
    /// The server or node, modulo their number.
    var target: Int
    /// Its duration, in milliseconds.
    var lasts: Int64

    var description: String { "\(at) \(kind.rawValue) \(target) \(lasts)" }

    init(at: Int64, kind: Kind, target: Int, lasts: Int64) {
        self.at = at
        self.kind = kind
        self.target = target
        self.lasts = lasts
    }

    /// Parses a line of a script.
    init?(_ line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count == 4, let at = Int64(words[0]), let kind = Kind(rawValue: String(words[1])),
            let target = Int(words[2]), let lasts = Int64(words[3])
        else { return nil }
        self.init(at: at, kind: kind, target: target, lasts: lasts)
    }

    /// Generates the faults of a plan.
    static func all(of plan: SimulationPlan) -> [SimulatedFault] {
        var chance = SeededChance(seed: plan.seed &* 104_729 &+ 17)
        var faults: [SimulatedFault] = []
        var now: Int64 = 200
        while true {
            now += Int64(chance.number(50...plan.calm))
            if now >= plan.breaks { return faults }
            let kind = [
                Kind.kill, .kill, .pause, .cut, .cut, .lazy, .slow, .lose, .late, .node, .node, .node, .sleep, .tables,
                .growth, .growth,
            ][chance.number(0...15)]
            let lasts: ClosedRange<Int> =
                switch kind {
                case .kill: 100...12_000
                case .pause, .cut: 500...20_000
                case .lazy: 20_000...30_000
                case .slow: 1_000...15_000
                case .lose, .late: 500...8_000
                case .node, .growth: 50...3_000
                case .sleep: chance.chance(6) ? 130_000...150_000 : 1_000...20_000
                case .tables: 500...10_000
                }
            let fault = SimulatedFault(
                at: now,
                kind: kind,
                target: chance.number(0...10_000),
                lasts: Int64(chance.number(lasts))
            )
            faults.append(fault)
            // Two servers at a time, so that no group has a majority for a while.
            if [.kill, .pause].contains(kind), chance.chance(3) {
                faults.append(.init(at: now, kind: kind, target: fault.target + 1, lasts: fault.lasts))
            }
        }
    }
}
