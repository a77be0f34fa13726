// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Long random walk of sessions")
struct SessionMachineWalkTests {
    @Test
    func
        `session numbers grow by one and ids differ across clock changes, restarts and restores; only absence ends one`()
        throws
    {
        var generator = SeededGenerator(seed: 41)
        var device = TestDevice()
        var machine = SessionMachine()
        var latest: RecordedContext.Session?
        var lastSeen: DeviceTime?
        var sessions = 0
        var returns = 0
        for step in 0..<100_000 {
            if step < 1000 || step % 101 == 0 { machine = try reloaded(machine) }
            switch generator.next(below: 10) {
            case 0: device.wall = device.wall.advanced(by: .seconds(generator.next(below: 8000) - 4000))
            case 1: device.restart(takes: .seconds(generator.next(below: 4000)))
            case 2: device.pass(.milliseconds(1_799_999 + generator.next(below: 2)))
            case 3, 4: device.pass(.milliseconds(generator.next(below: 2_000_000)))
            case 5, 6:
                machine.noteUserPresence(at: device.now)
                // Only a measurable time advances the last-seen time.
                if lastSeen.flatMap({ device.now.elapsed(since: $0) }) != nil { lastSeen = device.now }
            case 7: machine.startedInBackground(at: device.now, limits: SessionLimits(timeout: .seconds(1800)))
            default:
                let wasOver = machine.current == nil
                let actions = machine.userArrived(
                    at: device.now,
                    uniqueID: "12345678",
                    limits: SessionLimits(timeout: .seconds(1800))
                )
                let away = lastSeen.flatMap { device.now.elapsed(since: $0) }
                if !wasOver, let away, away < .seconds(1800) {
                    try #require(actions == [], "step \(step)")
                    returns += 1
                } else {
                    let session = try #require(machine.current)
                    try #require(actions == [.begin(session)], "step \(step)")
                    try #require(session.number == (latest?.number ?? 0) + 1)
                    try #require(session.id != latest?.id)
                    try #require(session.start == device.wall)
                    latest = session
                    sessions += 1
                }
                lastSeen = device.now
            }
            if let current = machine.current { try #require(current == latest) }
        }
        #expect(sessions > 500)
        #expect(returns > 500)
    }
}
