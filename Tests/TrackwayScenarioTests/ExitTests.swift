// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

/// Edge cases of recording app exits, by name.
@Suite("App exits")
struct ExitTests {
    @Test
    func `double background: locking while going home reports the background twice but is one exit`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        try device.show("Home")
        device.wait(.seconds(20))
        try await device.lockWhileGoingHome()
        #expect(device.story == ExpectedStories.visit)
        device.wait(.seconds(60))
        try await device.unlock()
        device.wait(.seconds(3))
        try await device.lockWhileGoingHome()
        #expect(device.story == ExpectedStories.visit + ["_app_start hot", "_user_engagement 3s", "_app_end 3s"])
    }

    @Test
    func `locking the device is an exit, and unlocking it is a start`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.milliseconds(1_500))
        try await device.lock()
        device.wait(.seconds(10))
        try await device.unlock()
        #expect(device.story == ExpectedStories.first + ["_app_end 1500ms", "_app_start hot"])
    }

    @Test
    func `each departure is one exit, regardless of what preceded it`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        try await device.goHome()
        try await device.open()
        try device.interrupt()
        try await device.lock()
        try await device.unlock()
        try device.openSwitcher()
        try device.returnFromSwitcher()
        try await device.lockWhileGoingHome()
        try await device.open()
        try device.openSwitcher()
        try await device.killFromSwitcher()
        let starts = device.events(named: CapturedName.appStart).count
        #expect(starts == 4)
        #expect(device.events(named: CapturedName.appEnd).count == starts)
    }

    @Test
    func `an exit is stored and delivered before the app is suspended`() async throws {
        let device = try await ExpectedStories.visited()
        #expect(device.delivered.map(\.event.id) == device.events.map(\.event.id))
        device.losePower()
        try await device.launch()
        #expect(Array(device.story.prefix(ExpectedStories.visit.count)) == ExpectedStories.visit)
    }

    @Test
    func `an exit without a network is delivered when a network is available`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.loseNetwork()
        device.wait(.seconds(20))
        try await device.goHome()
        try device.kill()
        device.reboot(after: .seconds(3_600))
        device.regainNetwork()
        try await device.open()
        device.wait(.seconds(10))
        try await device.goHome()
        #expect(
            device.story == ExpectedStories.first + [
                "_app_end 20s", "_app_start cold", "_session_start 2", "_app_end 10s",
            ]
        )
        #expect(device.delivered.map(\.event.id) == device.events.map(\.event.id), "all, in order, once")
    }

    @Test
    func `an app that is asked to terminate records and sends its exit`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(4))
        try await device.terminate()
        #expect(device.story == ExpectedStories.first + ["_app_end 4s"])
        #expect(device.delivered.map(\.event.name).last == CapturedName.appEnd)
        try await device.open()
        #expect(device.story.last == "_app_start cold")
    }

    @Test(arguments: [
        (0, "0s"), (29, "0s"), (30, "30s"), (89, "30s"), (90, "90s"), (209, "90s"), (210, "210s"), (449, "210s"),
        (750, "750s"), (1_049, "750s"), (1_050, "1050s"), (3_600, "3450s"),
    ])
    func `an exit lost to a kill is recorded as recovered at the next start, with the longest time known for certain`(
        _ seconds: Int,
        _ certain: String
    ) async throws {
        let device = SimulatedDevice()
        try await device.launch()
        touch(device, for: seconds)
        try device.kill()
        #expect(device.story == ExpectedStories.first)
        device.wait(.seconds(100))
        try await device.open()
        #expect(device.story == ExpectedStories.first + ["_app_end \(certain) recovered", "_app_start cold"])
        let events = device.events
        #expect(events[3].session == events[0].session, "it belongs to the session that it ends")
        #expect(events[3].time <= events[4].time)
        #expect(events[0].time.duration(to: events[3].time) <= .seconds(seconds), "at the last activity")
    }

    /// Touches the app every ten seconds; nothing is recorded.
    private func touch(_ device: SimulatedDevice, for seconds: Int) {
        for second in stride(from: 0, to: seconds, by: 10) {
            device.wait(.seconds(min(10, seconds - second)))
            device.analytics?.lifecycle.controller.noteUserActivity()
        }
    }

    @Test(arguments: [(0, "0s"), (29, "0s"), (30, "30s"), (89, "30s"), (90, "30s"), (3_600, "30s"), (86_400, "30s")])
    func `an idle app has one heartbeat after its last activity, and a kill is recorded as of that heartbeat`(
        _ seconds: Int,
        _ certain: String
    ) async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(seconds))
        try device.kill()
        try await device.open()
        #expect(
            device.story.starts(with: ExpectedStories.first + ["_app_end \(certain) recovered", "_app_start cold"])
        )
    }

    @Test
    func `between the last heartbeat and the next activity nothing is written and no timer is pending`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(30))
        let storedState = try device.storage.contents(of: SimulatedDevice.folder + "/behavior")
        #expect(device.analytics?.lifecycle.controller.heartbeatDue == nil)
        device.wait(.seconds(36_000))
        #expect(try device.storage.contents(of: SimulatedDevice.folder + "/behavior") == storedState)
        #expect(device.analytics?.lifecycle.controller.heartbeatDue == nil)
    }

    enum UserActivity: CaseIterable {
        case event, routedEvent, screen, attribute, person, touch, interruption
    }

    @Test(arguments: UserActivity.allCases)
    func `any activity in an idle app is followed by a heartbeat`(_ activity: UserActivity) async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(1_000))
        let analytics = try #require(device.analytics)
        switch activity {
        case .event: analytics.record("read")
        case .routedEvent: analytics.record("read", to: ["collector"])
        case .screen: try device.show("Home")
        case .attribute: analytics.setUserAttributes(["age": 21])
        case .person: analytics.identify("user")
        case .touch: analytics.lifecycle.controller.noteUserActivity()
        case .interruption: try device.interrupt()
        }
        let due = try #require(analytics.lifecycle.controller.heartbeatDue)
        // A system notification restarts the intervals; otherwise the second interval is twice as long as the first.
        let wait: Int64 = activity == .interruption ? 30 : 60
        #expect(device.clock.now().monotonic.duration(to: due) == .seconds(wait))
        device.wait(.seconds(wait + 5_000))
        #expect(analytics.lifecycle.controller.heartbeatDue == nil, "one heartbeat followed")
        try device.kill()
        try await device.open()
        #expect(device.story.contains("_app_end \(1_000 + wait)s recovered"))
    }

    @Test
    func `events alone keep heartbeats running, and the last heartbeats follow the last event`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        for number in 0..<100 {
            device.wait(.seconds(10))
            device.analytics?.record("event", ["number": .integer(Int64(number))])
        }
        #expect(device.analytics?.lifecycle.controller.heartbeatDue != nil)
        device.wait(.seconds(5_000))
        try device.kill()
        try await device.open()
        // Heartbeats occur at 750 and 1,050 s. The second one comes after an event, so another one follows after five
        // minutes.
        #expect(device.story.contains("_app_end 1350s recovered"))
    }

    @Test
    func `engagement cut off by a kill is recovered with the exit`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        try device.show("Home")
        device.wait(.seconds(45))
        try device.kill()
        try await device.open()
        #expect(
            device.story == ExpectedStories.first + [
                "_screen_view Home", "_user_engagement 30s recovered", "_app_end 30s recovered", "_app_start cold",
            ]
        )
        let recovered = device.events.filter { $0.story.hasSuffix("recovered") }
        #expect(recovered.allSatisfy { $0.screen?.name == "Home" })
    }

    @Test
    func `user activity marks the app as alive, like a heartbeat`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(12))
        try device.show("Home")
        device.wait(.seconds(10))
        try device.kill()
        try await device.open()
        #expect(
            device.story == ExpectedStories.first + ["_screen_view Home", "_app_end 12s recovered", "_app_start cold"]
        )
    }

    @Test
    func `an exit is recovered once, even if the following processes are killed immediately`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(30))
        try device.kill()
        try await device.launchInBackground()
        try device.kill()
        try await device.launchInBackground()
        try device.kill()
        try await device.open()
        #expect(
            device.story == ExpectedStories.first + [
                "_app_end 30s recovered", "_app_start passive", "_app_start passive", "_app_start cold",
            ]
        )
    }

    @Test
    func `after a power failure an exit is recovered only if its start was flushed`() async throws {
        let device = SimulatedDevice()
        try await device.launch().record("used")
        device.wait(.seconds(60))
        device.losePower(.someUnflushed(seed: 1))
        try await device.open()
        let exits = device.events(named: CapturedName.appEnd)
        #expect(exits.count <= 1)
        #expect(exits.allSatisfy { $0.attributes[CapturedKey.isRecovered] == true })
        #expect(device.story.last?.hasPrefix("_") == true)
    }

    @Test(arguments: [true, false])
    func `recording is activity: the recovered exit has the last event's time, whether it was delivered or not`(
        _ isDelivered: Bool
    ) async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(7))
        device.analytics?.record("one")
        device.wait(.seconds(13))
        device.analytics?.record("two", to: ["collector"])
        if isDelivered { _ = await device.analytics?.flush() }
        device.wait(.seconds(5))
        try device.kill()
        device.wait(.seconds(1_000))
        try await device.open()
        #expect(device.story == ExpectedStories.first + ["one", "two", "_app_end 20s recovered", "_app_start cold"])
        let times = device.events.map(\.time)
        #expect(times == times.sorted(), "events stay in the order of recording")
    }

    @Test
    func `only events recorded by the killed process while it was visible count as its activity`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        device.wait(.seconds(3))
        try await device.goHome()
        device.wait(.seconds(10))
        device.analytics?.record("in the background")
        try device.kill()
        try await device.launchInBackground()
        device.wait(.seconds(10))
        device.analytics?.record("unseen")
        try device.kill()
        try await device.open()
        #expect(
            device.story == ExpectedStories.first + [
                "_app_end 3s", "in the background", "_app_start passive", "unseen", "_app_start cold",
            ]
        )
    }
}
