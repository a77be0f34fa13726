// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import Stage
internal import Testing

/// Kills a process with SIGKILL at any point after `record` returned and its number was printed.
///
/// A second process on the same folder delivers the rest.
@Suite("Kills while recording")
struct KillTests {
    @Test("one thread: no printed event is lost or arrives twice", .timeLimit(.minutes(30)))
    func oneThread() throws {
        try killAgainAndAgain(KillMode(name: "one thread", threads: 1, processes: 1))
    }

    @Test("four threads: no printed event is lost or arrives twice", .timeLimit(.minutes(30)))
    func fourThreads() throws {
        try killAgainAndAgain(KillMode(name: "four threads", threads: 4, processes: 1))
    }

    @Test(
        "three processes of one installation: no printed event is lost or arrives twice",
        .timeLimit(.minutes(30))
    )
    func threeProcesses() throws {
        try killAgainAndAgain(KillMode(name: "three processes", threads: 1, processes: 3))
    }

    @Test(
        "two processes with four threads and encryption: no printed event is lost or arrives twice",
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
