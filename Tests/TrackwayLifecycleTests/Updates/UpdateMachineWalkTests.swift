// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayLifecycle
import TrackwayTesting

@Suite("Long random walk of updates")
struct UpdateMachineWalkTests {
    @Test
    func `an update is recorded exactly when a known version follows a different one, and first open only once`() throws
    {
        var generator = SeededGenerator(seed: 71)
        var machine = UpdateMachine()
        var known: [String?] = [nil, nil]
        var openings = 0
        var updates = 0
        for step in 0..<100_000 {
            if step < 1000 || step % 101 == 0 { machine = try reloaded(machine) }
            if generator.next(below: 4) == 0 {
                openings += machine.appOpened().count
                try #require(openings == 1)
                continue
            }
            let versions = (0..<2).map { _ in [nil, "", "1", "2"][generator.next(below: 4)] }
            var expected: [UpdateMachine.Action] = []
            for (place, version) in versions.enumerated() {
                guard let version, !version.isEmpty else { continue }
                if let before = known[place], before != version {
                    expected.append(place == 0 ? .appUpdated(from: before) : .systemUpdated(from: before))
                }
                known[place] = version
            }
            let actions = machine.processStarted(appVersion: versions[0], systemVersion: versions[1])
            try #require(actions == expected, "step \(step)")
            updates += actions.count
        }
        #expect(updates > 500)
    }
}
