// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing

/// A whole cluster in virtual time: the product's state machines, and a model of everything around them.
///
/// `TRACKWAY_SIMULATION=full` adds a cluster of 64 streams and 200 collectors with 1,000,000 batches, and thousands of
/// small clusters.
@Suite("Cluster simulation")
struct SimulationTests {
    private static let isFull = ProcessInfo.processInfo.environment["TRACKWAY_SIMULATION"] == "full"
    private static let seeds = isFull ? 300 : 5

    /// The seed that found each flaw, so that a run need not search for it again.
    private static let knownSeeds: [SimulationPlan.Flaw: UInt64] = [
        .omitsLastRecords: 3, .acknowledgesUnreplicated: 1, .publishesUnproven: 24, .opensBeforeDrained: 1,
        .skipsDecisionCheck: 3,
        .skipsCloseDelay: 51, .forgetsIDs: 1, .ignoresKnownIDs: 23,
    ]

    @Test(arguments: 0..<8)
    func `small clusters keep all invariants under random faults`(part: Int) {
        for seed in part * Self.seeds + 1...(part + 1) * Self.seeds {
            expectValid(Simulation(SimulationPlan.small(UInt64(seed))))
        }
    }

    @Test(arguments: UInt64(1)...2)
    func `a cluster with more streams and clocks minutes apart keeps all invariants`(seed: UInt64) {
        var plan = SimulationPlan.small(10_000 + seed)
        plan.servers = 7
        plan.collectors = 12
        plan.installations = 40
        plan.streamChanges = [(4_000, 6), (16_000, 16)]
        expectValid(Simulation(plan))
    }

    @Test(.enabled(if: isFull))
    func `a cluster with 200 collectors, 64 streams and 1,000,000 batches keeps all invariants`() {
        let simulation = Simulation(SimulationPlan.large(1, batches: 1_000_000))
        let outcome = simulation.run()
        #expect(outcome.violations == [], "\(simulation.reproductionScript)")
        #expect(outcome.acknowledged == 1_000_000 && outcome.events == 1_000_000)
        print("\(simulation.plan)\n\(outcome)")
    }

    @Test(arguments: SimulationPlan.Flaw.allCases)
    func `every deliberate flaw is found, and its script reproduces the fault`(flaw: SimulationPlan.Flaw) throws {
        // Try the stored seed for the flaw first.
        let found = ((Self.knownSeeds[flaw].map { [$0] } ?? []) + Array(1...400)).lazy.map { seed in
            var plan = SimulationPlan.small(seed)
            plan.flaw = flaw
            let simulation = Simulation(plan)
            return (simulation, simulation.run())
        }.first { !$0.1.violations.isEmpty }
        let (simulation, outcome) = try #require(found)
        // Use the printed lines.
        let script = simulation.reproductionScript.split(separator: "\n").compactMap { SimulatedFault($0) }
        #expect(script == simulation.script)
        #expect(Simulation(simulation.plan, script: script).run() == outcome)
        // Without the flaw, the run has no faults.
        var plan = simulation.plan
        plan.flaw = nil
        #expect(Simulation(plan, script: script).run().violations == [])
    }

    @Test
    func `the shortest script that reproduces a fault is a part of the full script`() throws {
        var plan = SimulationPlan.small(4)
        plan.flaw = .acknowledgesUnreplicated
        let simulation = Simulation(plan)
        #expect(simulation.run().violations != [])
        // This flaw needs no other fault.
        #expect(simulation.shortest == [])
    }

    @Test
    func `equal seeds give equal runs, and different seeds different runs`() {
        let runs = [3, 3, 4].map { Simulation(SimulationPlan.small($0)).run() }
        #expect(runs[0] == runs[1] && runs[0] != runs[2])
        #expect(runs[0].acknowledged > 0 && runs[0].entries > 0 && runs[0].blocks > 0)
    }

    private func expectValid(_ simulation: Simulation) {
        let outcome = simulation.run()
        if outcome.violations != [] {
            let shortest = simulation.shortest.map(\.description).joined(separator: "\n")
            Issue.record("\(simulation.reproductionScript)\nshortest:\n\(shortest)")
        }
        #expect(outcome.acknowledged == simulation.plan.installations * simulation.plan.batches)
        #expect(outcome.events == outcome.acknowledged && outcome.orderedRecords >= outcome.events)
    }
}

extension Simulation {
    /// The faults of a failed run, reduced to those required for the failure.
    var shortest: [SimulatedFault] {
        var rest = script
        for fault in script {
            let fewer = rest.filter { $0 != fault }
            if !Simulation(plan, script: fewer).run().violations.isEmpty { rest = fewer }
        }
        return rest
    }
}
