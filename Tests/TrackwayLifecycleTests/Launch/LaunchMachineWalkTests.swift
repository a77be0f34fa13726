// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Long random walk of app starts and exits")
struct LaunchMachineWalkTests {
    @Test
    func `starts and exits alternate, a process has at most one cold start, and durations equal the visible time`()
        throws
    {
        var generator = SeededGenerator(seed: 31)
        var device = TestDevice()
        var machine = LaunchMachine()
        var seenSince: DeviceTime?
        var lastAlive = device.now
        var coldStarts = 0
        var starts = 0
        var counts: [StartKind: Int] = [:]
        for step in 0..<100_000 {
            if step < 1000 || step % 101 == 0 { machine = try reloaded(machine) }
            let actions: [LaunchMachine.Action]
            switch generator.next(below: 20) {
            case 0:
                if generator.nextBool() { device.restart() }
                let state = AppState.allCases[generator.next(below: AppState.allCases.count)]
                actions = machine.processStarted(in: state, at: device.now)
                coldStarts = 0
                try #require(actions.count == (seenSince == nil ? 1 : 2))
            case 1: device.wall = device.wall.advanced(by: .seconds(generator.next(below: 20_000) - 10_000)); continue
            case 2..<8: device.pass(.milliseconds(generator.next(below: 100_000))); continue
            case 8:
                machine.noteRunning(at: device.now)
                lastAlive = device.now
                continue
            default:
                let changes = LifecycleChange.allCases
                actions = machine.lifecycleChanged(changes[generator.next(below: changes.count)], at: device.now)
                try #require(actions.count <= 1)
            }
            for action in actions {
                switch action {
                case .exit(let exit):
                    let began = try #require(seenSince, "step \(step): an exit without a start")
                    try #require(exit.at == (exit.isRecovered ? lastAlive : device.now))
                    try #require(exit.duration == exit.at.elapsed(since: began))
                    seenSince = nil
                case .start(let start):
                    try #require(seenSince == nil, "step \(step): a start before the exit")
                    try #require(start.isFirstEver == (starts == 0))
                    starts += 1
                    counts[start.kind, default: 0] += 1
                    if start.kind == .cold { coldStarts += 1 }
                    try #require(coldStarts <= 1)
                    if start.kind != .passive { seenSince = device.now }
                }
            }
            lastAlive = device.now
            try #require(machine.isInForeground == (seenSince != nil))
        }
        for kind in StartKind.allCases { #expect(counts[kind, default: 0] > 500) }
    }
}
