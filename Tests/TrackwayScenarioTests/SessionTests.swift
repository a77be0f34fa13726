// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Sessions")
struct SessionTests {
    @Test(
        arguments: [
            (.seconds(1_799), 1), (.milliseconds(1_799_999), 1), (.seconds(1_800), 2), (.seconds(90_000), 2),
        ] as [(Duration, Int64)]
    )
    func `a session continues if the user returns within the timeout; otherwise a new one starts`(
        _ away: Duration,
        _ expected: Int64
    ) async throws {
        let device = try await ExpectedStories.visited()
        device.wait(away)
        try await device.open()
        #expect(device.events.last?.session?.number == expected)
        #expect(device.events(named: CapturedName.sessionStart).count == Int(expected))
    }

    @Test
    func `the app can choose the session timeout`() async throws {
        var configuration = SimulatedDevice.usualConfiguration
        configuration.sessions.timeout = .seconds(10)
        let device = SimulatedDevice(configuration)
        try await device.launch()
        try await device.goHome()
        device.wait(.milliseconds(9_999))
        try await device.open()
        #expect(device.events.last?.session?.number == 1)
        try await device.goHome()
        device.wait(.seconds(10))
        try await device.open()
        #expect(device.events.last?.session?.number == 2)
    }

    @Test
    func `a session never ends while the app is visible`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(86_400))
        device.analytics?.record("still here")
        try device.interrupt()
        device.wait(.seconds(7_200))
        try device.endInterruption()
        try await device.goHome()
        #expect(device.story == ExpectedStories.first + ["still here", "_app_end 93600s"])
    }

    @Test
    func `a session survives a kill and a restart within its timeout`() async throws {
        let device = try await ExpectedStories.visited()
        try device.kill()
        device.wait(.seconds(1_799))
        try await device.open()
        #expect(device.story == ExpectedStories.visit + ["_app_start cold"])
        let numbers = device.events.map { $0.session?.id }
        #expect(Set(numbers).count == 1)
        try device.kill()
        device.wait(.seconds(1_800))
        try await device.open()
        #expect(
            device.story == ExpectedStories.visit + [
                "_app_start cold", "_app_end 0s recovered", "_app_start cold", "_session_start 2",
            ]
        )
    }

    @Test(arguments: [(1_799, 1), (1_800, 2)] as [(Int, Int64)])
    func `across a reboot the wall clock measures the timeout`(_ off: Int, _ expected: Int64) async throws {
        let device = try await ExpectedStories.visited()
        device.reboot(after: .seconds(off))
        try await device.open()
        #expect(device.events.last?.session?.number == expected)
    }

    @Test(arguments: [-86_400 * 365, -3_600, -1, 1, 3_600, 86_400 * 365])
    func `setting the clock while the device runs does not affect the session`(_ seconds: Int) async throws {
        let device = try await ExpectedStories.visited()
        device.wait(.seconds(60))
        device.setClock(forward: .seconds(seconds))
        try await device.open()
        #expect(device.story == ExpectedStories.visit + ["_app_start hot"])
        device.wait(.seconds(20))
        device.setClock(back: .seconds(seconds))
        try await device.goHome()
        #expect(device.story == ExpectedStories.visit + ["_app_start hot", "_user_engagement 20s", "_app_end 20s"])
    }

    @Test
    func `a session ends if a reboot and a clock set back hide how long it was`() async throws {
        let device = try await ExpectedStories.visited()
        device.setClock(back: .seconds(86_400))
        device.reboot(after: .seconds(60))
        try await device.open()
        #expect(device.events.last?.session?.number == 2)
        let ids = Set(device.events.map { $0.session?.id })
        #expect(ids.count == 2, "the two sessions never share an ID")
    }

    @Test
    func `each session has a unique ID, its start time and the next number`() async throws {
        let device = SimulatedDevice()
        let begin = device.clock.now().wall
        try await device.launch()
        for _ in 0..<3 {
            try await device.goHome()
            device.wait(.seconds(1_800))
            try await device.open()
        }
        let sessions = device.events(named: CapturedName.sessionStart)
        #expect(sessions.map { $0.session?.number } == [1, 2, 3, 4])
        #expect(sessions.map { $0.session?.start } == (0..<4).map { begin.advanced(by: .seconds(1_800 * $0)) })
        #expect(Set(sessions.map { $0.session?.id }).count == 4)
        for session in sessions {
            #expect(session.attributes[CapturedKey.sessionID]?.string == session.session?.id)
            #expect(session.attributes[CapturedKey.sessionNumber]?.integer == session.session?.number)
        }
    }

    @Test
    func `events from every thread carry the session`() async throws {
        let device = SimulatedDevice()
        let analytics = try await device.launch()
        await withTaskGroup(of: Void.self) { group in
            for thread in 0..<4 {
                group.addTask {
                    for number in 0..<50 {
                        analytics.record("e", ["thread": .integer(Int64(thread)), "n": .integer(Int64(number))])
                    }
                }
            }
        }
        let events = device.events(named: "e")
        #expect(events.count == 200)
        #expect(events.allSatisfy { $0.session?.number == 1 })
    }
}
