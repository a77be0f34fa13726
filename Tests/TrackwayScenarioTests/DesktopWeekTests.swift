// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import Trackway
internal import TrackwayCore
internal import TrackwayTesting

/// An app that stays in the foreground for a week, day and night.
///
/// It runs on a desktop system. The device's lid may be closed, because the monotonic clock continues.
@Suite("A week on a desktop")
struct DesktopWeekTests {
    private static let days = 7

    /// Simulates two blocks of work a day, from 9:00 to 12:00 and from 13:00 to 17:00, with an event every ten minutes.
    private static func week(_ change: (inout Configuration) -> Void) async throws -> SimulatedDevice {
        var configuration = SimulatedDevice.usualConfiguration
        change(&configuration)
        let device = SimulatedDevice(configuration)
        let analytics = try await device.launch()
        analytics.screen("Editor")
        for _ in 0..<days {
            for (events, pause) in [(18, 3_600), (24, 57_600)] {
                analytics.record("edit")
                for _ in 0..<events {
                    device.wait(.seconds(600))
                    analytics.record("edit")
                }
                device.wait(.seconds(pause))
            }
        }
        try await device.terminate()
        return device
    }

    private static func engagement(_ device: SimulatedDevice) -> [Int64] {
        device.events(named: CapturedName.userEngagement).compactMap {
            $0.event.attributes[CapturedKey.engagementTime]?.integer.map { $0 / 3_600_000 }
        }
    }

    @Test
    func `without limits, the week is one session, and the nights count as engagement`() async throws {
        let device = try await Self.week { _ in }
        #expect(device.events.allSatisfy { $0.session?.number == 1 })
        #expect(Self.engagement(device) == [168])
    }

    @Test
    func `with an idle timeout, each block of work is a session, and only work counts as engagement`() async throws {
        let device = try await Self.week { $0.sessions.idleTimeout = .seconds(1_800) }
        let sessions = device.events(named: CapturedName.sessionStart)
        #expect(sessions.map { $0.session?.number } == (1...14).map { $0 })
        #expect(Self.engagement(device) == (0..<Self.days).flatMap { _ in [3, 4] })
        // Each session contains only the events of its block.
        let edits = Dictionary(grouping: device.events(named: "edit")) { $0.session?.number ?? 0 }
        #expect(edits.keys.sorted() == (1...14).map { $0 })
        #expect(edits.allSatisfy { $0.value.count == ($0.key % 2 == 1 ? 19 : 25) })
        #expect(device.events(named: CapturedName.screenView).count == 14)
        #expect(device.events(named: CapturedName.appStart).count == 1)
        #expect(device.events(named: CapturedName.appEnd).count == 1)
        #expect(device.diagnostics.isEmpty)
    }

    @Test
    func `with only a maximum length, each day is a session`() async throws {
        let device = try await Self.week { $0.sessions.maximumLength = .seconds(86_400) }
        let sessions = device.events(named: CapturedName.sessionStart)
        #expect(sessions.map { $0.session?.number } == (1...7).map { $0 })
    }
}
