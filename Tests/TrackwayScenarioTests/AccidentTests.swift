// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

@Suite("Network faults and random use")
struct AccidentTests {
    @Test
    func `after hours offline, all events arrive once and in order`() async throws {
        let device = SimulatedDevice()
        device.loseNetwork()
        for _ in 0..<6 {
            try await device.open()
            try device.show("Home")
            device.wait(.seconds(60))
            device.analytics?.record("used")
            try await device.goHome()
            device.wait(.seconds(3_600))
        }
        #expect(device.delivered.isEmpty)
        device.regainNetwork()
        try await device.open()
        device.wait(.seconds(600))
        try await device.goHome()
        #expect(device.delivered.map(\.event.id) == device.events.map(\.event.id))
        #expect(device.events(named: CapturedName.sessionStart).count == 7)
    }

    @Test
    func `lost responses and an unavailable back end neither lose nor duplicate events`() async throws {
        let device = SimulatedDevice()
        device.network.script(.loseAnswer, .status(503), .loseAnswer)
        for _ in 0..<6 {
            try await device.open()
            device.wait(.seconds(60))
            try await device.goHome()
            device.wait(.seconds(60))
        }
        #expect(Set(device.delivered.map(\.event.id)) == Set(device.events.map(\.event.id)))
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `in random use, starts and exits alternate, session numbers are consecutive, and no event repeats`(
        seed: UInt64
    ) async throws {
        var random = SeededGenerator(seed: seed)
        let device = SimulatedDevice()
        for _ in 0..<60 { try await Self.step(device, &random) }
        if !device.app.isRunning { try await device.launch() }
        let events = device.events
        #expect(Set(events.map(\.event.id)).count == events.count)
        var isInForeground = false
        var session: Int64 = 0
        for event in events {
            switch event.name {
            case CapturedName.appStart where event.attributes[CapturedKey.startKind] != "passive":
                #expect(!isInForeground, "\(device.story)")
                isInForeground = true
            case CapturedName.appEnd:
                #expect(isInForeground, "\(device.story)")
                isInForeground = false
                #expect((event.attributes[CapturedKey.foregroundDuration]?.integer ?? -1) >= 0)
            case CapturedName.sessionStart:
                #expect(event.session?.number == session + 1, "\(device.story)")
                session += 1
            default:
                break
            }
            if let number = event.session?.number { #expect(number == session || number == session + 1) }
        }
        #expect(events.filter { $0.name == CapturedName.firstOpen }.count <= 1)
    }

    /// Takes a random step that is possible now.
    private static func step(_ device: SimulatedDevice, _ random: inout SeededGenerator) async throws {
        device.wait(.seconds(random.next(below: 4) == 0 ? 1_200 + random.next(below: 1_200) : random.next(below: 50)))
        let roll = random.next(below: 10)
        switch device.app {
        case .notInstalled, .notRunning:
            if roll < 3 { try await device.launchInBackground() } else { try await device.open() }
        case .suspended, .background:
            switch roll {
            case 0...6: try await device.open()
            case 7: try device.kill()
            case 8: device.reboot(after: .seconds(random.next(below: 3_000)))
            default: device.setClock(forward: .seconds(random.next(below: 10_000) - 5_000))
            }
        case .inactive:
            if roll < 6 { try device.returnFromSwitcher() } else { try await device.killFromSwitcher() }
        case .active:
            switch roll {
            case 0...2: try await device.goHome()
            case 3: try await device.lockWhileGoingHome()
            case 4: try device.openSwitcher()
            case 5...6: try device.show("Screen \(random.next(below: 3))")
            case 7: try device.kill()
            case 8: device.analytics?.record("used")
            default: device.reboot()
            }
        }
    }
}
