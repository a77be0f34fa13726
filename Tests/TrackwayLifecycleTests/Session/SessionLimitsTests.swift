// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayLifecycle
import TrackwayTesting

@Suite("Sessions that end in the foreground")
struct SessionLimitsTests {
    private static let uniqueID = "0E6614B7-2D2C-4774-AB2F-B0A9E6C3BFAC"
    private static let idle = SessionLimits(timeout: .seconds(1800), idleTimeout: .seconds(600))
    private static let day = SessionLimits(timeout: .seconds(1800), maximumLength: .seconds(86_400))
    private static let both = SessionLimits(
        timeout: .seconds(1800),
        idleTimeout: .seconds(600),
        maximumLength: .seconds(86_400)
    )

    private func arrived(_ device: TestDevice, _ limits: SessionLimits) -> SessionMachine {
        var machine = SessionMachine()
        _ = machine.userArrived(at: device.now, uniqueID: Self.uniqueID, limits: limits)
        return machine
    }

    private func userActs(_ machine: inout SessionMachine, _ device: TestDevice, _ limits: SessionLimits) -> Int64? {
        let actions = machine.userActed(at: device.now, uniqueID: Self.uniqueID, limits: limits)
        for case .begin(let session) in actions { return session.number }
        return nil
    }

    @Test(
        arguments: [(0, nil), (1, nil), (599_999, nil), (600_000, 2), (600_001, 2), (90_000_000, 2)]
            as [(Int64, Int64?)],
        SessionMachineTests.ChangeWhileAway.allCases
    )
    func `activity starts a new session exactly from the idle timeout on, regardless of the wall clock`(
        idle: (milliseconds: Int64, number: Int64?),
        change: SessionMachineTests.ChangeWhileAway
    ) throws {
        var device = TestDevice()
        var machine = arrived(device, Self.idle)
        device.pass(.milliseconds(idle.milliseconds))
        try change.apply(to: &machine, &device)
        #expect(machine.isOverInForeground(at: device.now, Self.idle) == (idle.number != nil))
        #expect(userActs(&machine, device, Self.idle) == idle.number)
        #expect(machine.current?.number == idle.number ?? 1)
        if idle.number != nil { #expect(machine.current?.start == device.wall) }
        #expect(userActs(&machine, device, Self.idle) == nil, "the new session is not over")
    }

    @Test(
        arguments: [(86_399_999, nil), (86_400_000, 2), (604_800_000, 2)] as [(Int64, Int64?)],
        SessionMachineTests.ChangeWhileAway.allCases
    )
    func `activity starts a new session exactly from the maximum length on, regardless of the wall clock`(
        age: (milliseconds: Int64, number: Int64?),
        change: SessionMachineTests.ChangeWhileAway
    ) throws {
        var device = TestDevice()
        var machine = arrived(device, Self.day)
        device.pass(.milliseconds(age.milliseconds))
        try change.apply(to: &machine, &device)
        #expect(userActs(&machine, device, Self.day) == age.number)
    }

    @Test
    func `activity within the idle timeout continues a session indefinitely, and the maximum length splits it`() {
        for (limits, sessions) in [(Self.idle, 1), (Self.both, 8)] as [(SessionLimits, Int64)] {
            var device = TestDevice()
            var machine = arrived(device, limits)
            for _ in 0..<1_015 {
                device.pass(.seconds(599))
                _ = userActs(&machine, device, limits)
            }
            // Over a week, a session starts at the first activity of each day.
            #expect(machine.current?.number == sessions)
        }
    }

    @Test
    func `without foreground limits, neither the decisions nor the stored state change`() throws {
        let limits = SessionLimits(timeout: .seconds(1800))
        var device = TestDevice()
        var machine = arrived(device, limits)
        let before = machine
        for _ in 0..<10 {
            device.pass(.seconds(90_000))
            #expect(userActs(&machine, device, limits) == nil)
            machine.noteActivity(at: device.now, limits: limits)
        }
        #expect(machine == before)
        let reloaded = String(decoding: try JSONEncoder().encode(machine), as: UTF8.self)
        #expect(!reloaded.contains("lastUserActivity") && !reloaded.contains("began"))
    }

    @Test
    func `a running process does not count as activity`() {
        var device = TestDevice()
        var machine = arrived(device, Self.idle)
        for _ in 0..<20 {
            device.pass(.seconds(30))
            machine.noteUserPresence(at: device.now)
        }
        #expect(userActs(&machine, device, Self.idle) == 2)
    }

    @Test(arguments: [(599, 10, 1), (600, 10, 2), (599, 1_800, 2), (10, 1_799, 1)] as [(Int, Int, Int64)])
    func `a user who leaves after the idle timeout returns to a new session, even within the session timeout`(
        idle: Int,
        away: Int,
        number: Int64
    ) throws {
        var device = TestDevice()
        var machine = arrived(device, Self.idle)
        device.pass(.seconds(idle))
        machine.noteUserPresence(at: device.now)
        device.pass(.seconds(away))
        machine = try reloaded(machine)
        _ = machine.userArrived(at: device.now, uniqueID: Self.uniqueID, limits: Self.idle)
        #expect(machine.current?.number == number)
    }

    @Test
    func `a return after the maximum length starts a new session, measured by the wall clock across a restart`() throws
    {
        for (takes, number) in [(86_339, 1), (86_340, 2)] as [(Int, Int64)] {
            let limits = SessionLimits(timeout: .seconds(1_000_000), maximumLength: .seconds(86_400))
            var device = TestDevice()
            var machine = arrived(device, limits)
            device.pass(.seconds(60))
            machine.noteUserPresence(at: device.now)
            device.restart(takes: .seconds(takes))
            machine = try reloaded(machine)
            machine.startedInBackground(at: device.now, limits: limits)
            #expect((machine.current == nil) == (number == 2))
            _ = machine.userArrived(at: device.now, uniqueID: Self.uniqueID, limits: limits)
            #expect(machine.current?.number == number)
        }
    }

    @Test
    func `noted activity counts from its own time, and earlier activity changes nothing`() {
        var device = TestDevice()
        var machine = arrived(device, Self.idle)
        device.pass(.seconds(400))
        let noted = device.now
        machine.noteActivity(at: noted, limits: Self.idle)
        machine.noteActivity(at: noted.advanced(by: .seconds(-300)), limits: Self.idle)
        device.pass(.seconds(599))
        #expect(machine.lastActivity(before: device.now, Self.idle) == device.now)
        #expect(!machine.isOverInForeground(at: device.now, Self.idle))
        device.pass(.seconds(1))
        #expect(machine.lastActivity(before: device.now, Self.idle) == noted)
        #expect(userActs(&machine, device, Self.idle) == 2)
    }

    @Test
    func `a new idle timeout counts from when it is set, and a new maximum length from the start of the session`() {
        var device = TestDevice()
        var machine = arrived(device, SessionLimits(timeout: .seconds(1800)))
        device.pass(.seconds(80_000))
        machine.limitsChanged(to: Self.both, at: device.now)
        device.pass(.seconds(599))
        #expect(userActs(&machine, device, Self.both) == nil)
        for _ in 0..<10 {
            device.pass(.seconds(580))
            _ = userActs(&machine, device, Self.both)
        }
        #expect(machine.current?.number == 1)
        device.pass(.seconds(580))
        #expect(userActs(&machine, device, Self.both) == 2)
        machine.limitsChanged(to: SessionLimits(timeout: .seconds(1800)), at: device.now)
        device.pass(.seconds(1_000_000))
        #expect(userActs(&machine, device, SessionLimits(timeout: .seconds(1800))) == nil)
    }

    @Test
    func `on a long random walk, sessions end where a list of all activity requires it`() throws {
        let limits = SessionLimits(timeout: .seconds(1800), idleTimeout: .seconds(600), maximumLength: .seconds(7_200))
        var generator = SeededGenerator(seed: 47)
        var device = TestDevice()
        var machine = SessionMachine()
        // The reference decision uses all facts: the session's start, every activity in it, and the user's absence.
        var began: DeviceTime?
        var activity: [DeviceTime] = []
        var left: DeviceTime?
        var number: Int64 = 0
        var (idle, long, away) = (0, 0, 0)
        for step in 0..<50_000 {
            if step % 101 == 0 { machine = try reloaded(machine) }
            device.pass(.milliseconds(generator.next(below: generator.next(below: 4) == 0 ? 700_000 : 60_000)))
            let now = device.now
            func passed(_ time: DeviceTime?, _ limit: Int) -> Bool {
                time.flatMap { now.elapsed(since: $0) }.map { $0 >= .seconds(limit) } ?? false
            }
            if let leaving = left {
                guard generator.next(below: 3) == 0 else { continue }
                let wasIdle = activity.last.flatMap { leaving.elapsed(since: $0) }.map { $0 >= .seconds(600) } ?? false
                let isOver = passed(leaving, 1800) || passed(began, 7_200) || wasIdle
                _ = machine.userArrived(at: now, uniqueID: Self.uniqueID, limits: limits)
                if isOver { (number, began, away) = (number + 1, now, away + 1) }
                (activity, left) = ([now], nil)
            } else if began == nil {
                _ = machine.userArrived(at: now, uniqueID: Self.uniqueID, limits: limits)
                (number, began, activity) = (1, now, [now])
            } else if generator.next(below: 40) == 0 {
                machine.noteUserPresence(at: now)
                left = now
            } else if generator.next(below: 3) == 0 {
                machine.noteUserPresence(at: now)
            } else {
                let (isIdle, isLong) = (passed(activity.last, 600), passed(began, 7_200))
                let begun = userActs(&machine, device, limits)
                try #require((begun != nil) == (isIdle || isLong), "step \(step)")
                if begun != nil { (number, began) = (number + 1, now) }
                activity.append(now)
                idle += isIdle ? 1 : 0
                long += isLong ? 1 : 0
            }
            try #require(machine.current?.number == number, "step \(step)")
        }
        #expect(idle > 100 && long > 3 && away > 10)
    }
}
