// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Simulated device")
struct SimulatedDeviceTests {
    /// Returns a new device in a state.
    static func device(_ state: SimulatedAppState) async throws -> SimulatedDevice {
        let device = SimulatedDevice()
        switch state {
        case .notInstalled: try device.uninstall()
        case .notRunning: break
        case .active: try await device.launch()
        case .inactive:
            try await device.launch()
            try device.openSwitcher()
        case .background: try await device.launchInBackground()
        case .suspended:
            try await device.launch()
            try await device.goHome()
        }
        #expect(device.app == state)
        return device
    }

    /// The steps, with the states in which they are possible and the resulting states.
    static let steps:
        [(String, @Sendable (SimulatedDevice) async throws -> Void, [SimulatedAppState: SimulatedAppState])] =
            [
                ("install", { try $0.install() }, [.notInstalled: .notRunning]),
                ("launch", { try await $0.launch() }, [.notRunning: .active]),
                ("launchLate", { try await $0.launch(initialising: .late(.seconds(3))) }, [.notRunning: .active]),
                ("launchOnThread", { try await $0.launch(initialising: .onAnotherThread) }, [.notRunning: .active]),
                ("launchInBackground", { try await $0.launchInBackground() }, [.notRunning: .background]),
                (
                    "open", { try await $0.open() },
                    [.notRunning: .active, .background: .active, .suspended: .active]
                ),
                ("unlock", { try await $0.unlock() }, [.background: .active, .suspended: .active]),
                ("show", { try $0.show("Home") }, [.active: .active, .inactive: .inactive, .background: .background]),
                ("goHome", { try await $0.goHome() }, [.active: .suspended, .inactive: .suspended]),
                ("lock", { try await $0.lock() }, [.active: .suspended, .inactive: .suspended]),
                (
                    "lockWhileGoingHome", { try await $0.lockWhileGoingHome() },
                    [.active: .suspended, .inactive: .suspended]
                ),
                ("interrupt", { try $0.interrupt() }, [.active: .inactive]),
                ("endInterruption", { try $0.endInterruption() }, [.inactive: .active]),
                ("openSwitcher", { try $0.openSwitcher() }, [.active: .inactive]),
                ("returnFromSwitcher", { try $0.returnFromSwitcher() }, [.inactive: .active]),
                ("goHomeFromSwitcher", { try await $0.goHomeFromSwitcher() }, [.inactive: .suspended]),
                (
                    "killFromSwitcher", { try await $0.killFromSwitcher() },
                    [.inactive: .notRunning, .suspended: .notRunning, .background: .notRunning]
                ),
                ("suspend", { try await $0.suspend() }, [.background: .suspended]),
                (
                    "terminate", { try await $0.terminate() },
                    [.active: .notRunning, .inactive: .notRunning, .background: .notRunning]
                ),
                (
                    "kill", { try $0.kill() },
                    [.active: .notRunning, .inactive: .notRunning, .background: .notRunning, .suspended: .notRunning]
                ),
            ]

    @Test(arguments: SimulatedAppState.allCases)
    func `each step succeeds in its valid states and is rejected in all others`(_ state: SimulatedAppState) async throws
    {
        for (name, step, outcomes) in Self.steps {
            let device = try await Self.device(state)
            if let expected = outcomes[state] {
                try await step(device)
                #expect(device.app == expected, "\(name) from \(state)")
                #expect(device.app.isRunning == (device.analytics != nil), "\(name) from \(state)")
            } else {
                let error = await #expect(throws: SimulatedDeviceError.self, "\(name) from \(state)") {
                    try await step(device)
                }
                #expect(error?.code == .impossible(state), "\(name) from \(state)")
                #expect(device.app == state, "a rejected step changes nothing")
            }
        }
    }

    @Test(arguments: SimulatedAppState.allCases)
    func `steps of the device itself succeed in every state of the app`(_ state: SimulatedAppState) async throws {
        let after: SimulatedAppState = state == .notInstalled ? .notInstalled : .notRunning
        for accident: @Sendable (SimulatedDevice) -> Void in [
            { $0.reboot() }, { $0.losePower() }, { $0.upgradeSystem(to: "2.0") },
        ] {
            let device = try await Self.device(state)
            let before = device.clock.now()
            accident(device)
            #expect(device.app == after)
            #expect(device.analytics == nil)
            #expect(device.clock.now().monotonic < before.monotonic, "the time since boot restarts")
            #expect(device.clock.now().wall > before.wall)
        }
    }

    @Test
    func `recorded events are listed in order however a process ends, even after their files are deleted`() async throws
    {
        let device = SimulatedDevice(Self.quiet)
        try await device.launch().record("first")
        try device.kill()
        try await device.launch().record("second")
        device.setClock(back: .seconds(86_400))
        device.reboot()
        try await device.launch().record("third")
        device.losePower()
        try await device.launch().record("fourth")
        try device.uninstall()
        try device.install()
        try await device.launch().record("fifth")
        try device.upgradeApp(to: "2.0")
        try await device.launch().record("sixth")
        #expect(device.story == ["first", "second", "third", "fourth", "fifth", "sixth"])
        #expect(device.events(named: "fifth").count == 1)
        let versions = device.events.map { $0.context["app"]?["version"]?.string }
        #expect(versions == ["1.0", "1.0", "1.0", "1.0", "1.0", "2.0"])
        let boots = device.events.map { $0.context["boot"]?.string }
        #expect(boots == ["boot-1", "boot-1", "boot-2", "boot-3", "boot-3", "boot-3"])
    }

    @Test
    func `leaving the app delivers pending events, which wait while the network is down`() async throws {
        let device = SimulatedDevice(Self.quiet)
        try await device.launch().record("one")
        device.loseNetwork()
        try await device.goHome()
        #expect(device.delivered.isEmpty)
        device.regainNetwork()
        try await device.open()
        device.analytics?.record("two")
        // The back end is tried again after at most one second.
        device.wait(.seconds(1))
        try await device.goHome()
        #expect(device.delivered.map(\.event.name) == ["one", "two"])
    }

    @Test
    func `a killed process can neither record nor deliver anything`() async throws {
        let device = SimulatedDevice(Self.quiet)
        let killed = try await device.launch()
        killed.record("before")
        try device.kill()
        killed.record("after")
        _ = await killed.flush(timeout: .milliseconds(1))
        #expect(device.delivered.isEmpty)
        #expect(device.story == ["before"])
        try await device.launch()
        try await device.goHome()
        #expect(device.delivered.map(\.event.name) == ["before"])
    }

    @Test
    func `attributes set right after the analytics are created are in all events`() async throws {
        let device = SimulatedDevice { $0.setGlobalAttributes(["channel": "store"]) }
        try await device.launch(initialising: .onAnotherThread).record("visit")
        #expect(!device.events.isEmpty)
        #expect(device.events.allSatisfy { $0.global("channel")?.string == "store" })
    }

    @Test
    func `an invalid configuration throws an error`() async throws {
        let device = SimulatedDevice(Configuration(appID: "", destinations: [], consent: .granted))
        let error = await #expect(throws: SimulatedDeviceError.self) { try await device.launch() }
        #expect(error?.code == .notStarted(.invalidAppID))
    }

    /// A configuration that captures nothing, so that only the test's own events are recorded.
    static var quiet: Configuration {
        var configuration = SimulatedDevice.usualConfiguration
        configuration.capture = []
        return configuration
    }

    @Test
    func `a screen without a name is a mistake in the script`() async throws {
        let device = SimulatedDevice()
        try await device.launch()
        let error = #expect(throws: SimulatedDeviceError.self) { try device.show("") }
        #expect(error?.code == .invalid)
        #expect(device.story == ExpectedStories.first)
    }
}
