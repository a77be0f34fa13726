// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayLifecycle

@Suite("Sessions")
struct SessionMachineTests {
    private let uniqueID = "0E6614B7-2D2C-4774-AB2F-B0A9E6C3BFAC"

    private func begun(_ actions: [SessionMachine.Action]) -> RecordedContext.Session? {
        for case .begin(let session) in actions { return session }
        return nil
    }

    /// Changes while the user is away, in addition to the passage of time.
    enum ChangeWhileAway: CaseIterable {
        case nothing
        case reloaded
        case clockSetBack
        case clockSetAhead

        func apply(to machine: inout SessionMachine, _ device: inout TestDevice) throws {
            switch self {
            case .nothing: break
            case .reloaded: machine = try TrackwayLifecycleTests.reloaded(machine)
            case .clockSetBack: device.wall = device.wall.advanced(by: .seconds(-100_000))
            case .clockSetAhead: device.wall = device.wall.advanced(by: .seconds(100_000))
            }
        }
    }

    @Test(
        arguments: [
            (0, true), (1, true), (1_799_999, true), (1_800_000, false), (1_800_001, false), (90_000_000, false),
        ]
            as [(Int64, Bool)],
        ChangeWhileAway.allCases
    )
    func `a session continues exactly when the user returns within the timeout, regardless of the wall clock`(
        away: (milliseconds: Int64, goesOn: Bool),
        change: ChangeWhileAway
    ) throws {
        var device = TestDevice()
        var machine = SessionMachine()
        _ = machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
        device.pass(.seconds(10_000))
        machine.noteUserPresence(at: device.now)
        let first = machine.current
        device.pass(.milliseconds(away.milliseconds))
        try change.apply(to: &machine, &device)
        let second = begun(
            machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
        )
        if away.goesOn {
            #expect(second == nil)
            #expect(machine.current == first)
        } else {
            #expect(second?.number == 2)
            #expect(second?.start == device.wall)
            #expect(machine.current == second)
        }
    }

    @Test(
        arguments: [
            (-1, 2), (0, 1), (1_799_999, 1), (1_800_000, 2), (100_000_000, 2),
        ] as [(Int64, Int64)]
    )
    func `across a device restart, the wall clock counts, and if it went back, a new session starts`(
        wallDifference: Int64,
        number: Int64
    ) throws {
        var device = TestDevice()
        var machine = SessionMachine()
        _ = machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
        device.restart(takes: .milliseconds(wallDifference))
        machine = try reloaded(machine)
        _ = machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
        #expect(machine.current?.number == number)
    }

    @Test(arguments: [(0, 2), (-5, 2), (59_999, 2), (60_000, 2), (60_001, 1), (Int64.max, 1)] as [(Int64, Int64)])
    func `the timeout in effect when the user returns applies`(timeout: Int64, number: Int64) {
        var device = TestDevice()
        var machine = SessionMachine()
        _ = machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
        device.pass(.seconds(60))
        _ = machine.userArrived(
            at: device.now,
            uniqueID: uniqueID,
            limits: SessionLimits(timeout: .milliseconds(timeout))
        )
        #expect(machine.current?.number == number)
    }

    @Test
    func `the first session has the number 1, an id from the user and the time, and is announced once`() {
        let device = TestDevice()
        var machine = SessionMachine()
        #expect(machine.markAnnounced() == nil)
        let session = begun(
            machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
        )
        #expect(session?.id == "E6C3BFAC-20231114-221320000")
        #expect(session?.number == 1)
        #expect(machine.markAnnounced() == session)
        #expect(machine.markAnnounced() == nil)
    }

    @Test(
        arguments: [0, 20, 10_000],
        [(5, true), (1_799, true), (1_800, false)]
    )
    func `the timeout counts from when the user left, even if the app counted as seen later`(
        seenLater: Int,
        away: (seconds: Int, goesOn: Bool)
    ) {
        let limits = SessionLimits(timeout: .seconds(1_800))
        var device = TestDevice()
        var machine = SessionMachine()
        _ = machine.userArrived(at: device.now, uniqueID: uniqueID, limits: limits)
        device.pass(.seconds(20))
        let left = device.now
        machine.noteUserPresence(at: left.advanced(by: .seconds(seenLater)))
        machine.userLeft(at: left)
        device.pass(.seconds(away.seconds))
        let second = begun(machine.userArrived(at: device.now, uniqueID: uniqueID, limits: limits))
        #expect((second == nil) == away.goesOn)
    }

    @Test
    func `a session has no maximum length by default`() {
        var device = TestDevice()
        var machine = SessionMachine()
        _ = machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
        for _ in 1...1000 {
            device.pass(.seconds(1799))
            machine.noteUserPresence(at: device.now)
        }
        #expect(
            begun(
                machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
            ) == nil
        )
    }

    @Test
    func `two sessions never share an id, even if they start at the same time`() {
        let device = TestDevice()
        var machine = SessionMachine()
        let ids = (1...2).map { _ in
            begun(machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .zero)))?.id
        }
        #expect(ids == ["E6C3BFAC-20231114-221320000", "E6C3BFAC-20231114-221320001"])
    }

    @Test
    func `an unseen process belongs to the latest session until that session is over, and starts none`() throws {
        for (away, isOver) in [(1799, false), (1800, true)] as [(Int, Bool)] {
            var device = TestDevice()
            var machine = SessionMachine()
            machine.startedInBackground(at: device.now, limits: SessionLimits(timeout: .seconds(1800)))
            #expect(machine.current == nil)
            _ = machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
            device.pass(.seconds(away))
            machine.startedInBackground(at: device.now, limits: SessionLimits(timeout: .seconds(1800)))
            machine.noteUserPresence(at: device.now.advanced(by: .seconds(isOver ? 5 : 0)))
            #expect((machine.current == nil) == isOver)
            machine = try reloaded(machine)
            _ = machine.userArrived(at: device.now, uniqueID: uniqueID, limits: SessionLimits(timeout: .seconds(1800)))
            #expect(machine.current?.number == (isOver ? 2 : 1))
        }
    }
}
