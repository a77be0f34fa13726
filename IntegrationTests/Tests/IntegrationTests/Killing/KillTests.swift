// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Glibc
internal import IntegrationTestSupport
internal import Testing

/// Kills a process with SIGKILL at any point after `record` returned and its number was printed.
///
/// A second process on the same folder delivers the rest.
@Suite("Kills while recording")
struct KillTests {
    @Test(.timeLimit(.minutes(30)))
    func `one thread: no printed event is lost or arrives twice`() throws {
        try runTrials(KillMode(name: "one thread", threads: 1, processes: 1))
    }

    @Test(.timeLimit(.minutes(30)))
    func `four threads: no printed event is lost or arrives twice`() throws {
        try runTrials(KillMode(name: "four threads", threads: 4, processes: 1))
    }

    @Test(.timeLimit(.minutes(30)))
    func `three processes of one installation: no printed event is lost or arrives twice`() throws {
        try runTrials(KillMode(name: "three processes", threads: 1, processes: 3))
    }

    @Test(.timeLimit(.minutes(30)))
    func `two processes with four threads and encryption: no printed event is lost or arrives twice`() throws {
        try runTrials(KillMode(name: "encrypted", threads: 4, processes: 2, arguments: ["--encrypt", "7"]))
    }

    private func runTrials(_ mode: KillMode) throws {
        let collector = try Collector()
        var total = KillTally()
        for seed in TrialBudget(trials: Settings.killTrials) {
            var trial = KillTrial(mode, seed: seed, collector)
            let tally = try trial.run()
            if tally.lost + tally.duplicated > 0 {
                Issue.record("\(mode.name), seed \(seed): \(tally)")
            }
            total.add(tally)
        }
        print("kill test, \(mode.name), seeds from \(Settings.seed): \(total)")
        #expect(total.lost == 0)
        #expect(total.duplicated == 0)
    }
}
