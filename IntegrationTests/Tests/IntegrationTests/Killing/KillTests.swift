// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Stage
internal import Testing

/// A process that printed a number after `record` had returned is killed with -9, anywhere; a second process on the same
/// folder delivers what it left.
@Suite("Killed with -9")
struct KillTests {
    @Test("one thread: nothing printed is lost, nothing arrives twice", .timeLimit(.minutes(30)))
    func oneThread() throws {
        try killAgainAndAgain(KillMode(name: "one thread", threads: 1, processes: 1))
    }

    @Test("four threads: nothing printed is lost, nothing arrives twice", .timeLimit(.minutes(30)))
    func fourThreads() throws {
        try killAgainAndAgain(KillMode(name: "four threads", threads: 4, processes: 1))
    }

    @Test(
        "three processes of one installation: nothing printed is lost, nothing arrives twice",
        .timeLimit(.minutes(30))
    )
    func threeProcesses() throws {
        try killAgainAndAgain(KillMode(name: "three processes", threads: 1, processes: 3))
    }

    @Test(
        "two processes with four threads and a key: nothing printed is lost, nothing arrives twice",
        .timeLimit(.minutes(30))
    )
    func encrypted() throws {
        try killAgainAndAgain(KillMode(name: "encrypted", threads: 4, processes: 2, arguments: ["--encrypt", "7"]))
    }

    private func killAgainAndAgain(_ mode: KillMode) throws {
        let collector = try Collector()
        var total = KillTally()
        for seed in TrialBudget(trials: Settings.killTrials) {
            var trial = KillTrial(mode, seed: seed, collector)
            let tally = try trial.run()
            if tally.lost + tally.twice > 0 {
                Issue.record("\(mode.name), seed \(seed): \(tally)")
            }
            total.add(tally)
        }
        print("kill test, \(mode.name), seeds from \(Settings.seed): \(total)")
        #expect(total.lost == 0)
        #expect(total.twice == 0)
    }
}
