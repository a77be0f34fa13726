// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayEvents
import TrackwayTesting
import TrackwayWire

@Suite("Debug modes that change while the app runs")
struct DebugModeTests {
    private static let debug = "https://sa.test/debug?project=production"

    /// Where each event arrived: `sa`, `debug`, or `dry` for what the back-end was asked not to keep.
    private func places(_ fixture: SensorsFixture) async throws -> [String] {
        _ = await fixture.device.analytics?.flush()
        return try fixture.device.network.requests.filter { $0.method == "POST" }.flatMap { request in
            let place =
                switch (request.url, request.headers["dry-run"]) {
                case (SensorsFixture.serverURL, nil): "sa"
                case (Self.debug, nil): "debug"
                case (Self.debug, "true"): "dry"
                default: "?"
                }
            let records = try SensorsRecord.all(in: [request])
            if place != "sa" { #expect(records.count == 1, "looked at one by one") }
            return records.map { "\($0.event ?? $0.type ?? "") \(place)" }
        }
    }

    @Test("every event goes where it was recorded for, though all travel after the last switch")
    func switches() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        fixture.device.network.hold()
        for (mode, name) in [
            (SensorsAnalyticsDebugMode.off, "a"), (.only, "b"), (.andTrack, "c"), (.only, "d"), (.off, "e"),
        ] {
            sdk.setDebugMode(mode)
            sdk.track("\(name)1")
            sdk.set(["\(name)2": 1])
            sdk.login("\(name)3")
        }
        fixture.device.network.release()
        #expect(
            try await places(fixture) == [
                "a1 sa", "profile_set sa", "$SignUp sa", "b1 dry", "profile_set dry", "$SignUp dry", "c1 debug",
                "profile_set debug", "$SignUp debug", "d1 dry", "profile_set dry", "$SignUp dry", "e1 sa",
                "profile_set sa", "$SignUp sa",
            ]
        )
    }

    @Test("what was recorded to be looked at stays that after a kill, in a process that begins otherwise")
    func restart() async throws {
        let fixture = try await SensorsFixture.launched()
        fixture.device.network.hold()
        let sdk = try fixture.sdk
        sdk.setDebugMode(.only)
        sdk.track("looked at")
        sdk.setDebugMode(.off)
        sdk.track("counted")
        try fixture.device.kill()
        fixture.device.network.release()
        try await fixture.device.launch()
        try fixture.sdk.setDebugMode(.andTrack)
        try fixture.sdk.track("both")
        #expect(
            Set(try await places(fixture)).isSuperset(of: ["looked at dry", "counted sa", "both debug"])
        )
        #expect(try await places(fixture).allSatisfy { $0 != "looked at sa" && $0 != "looked at debug" })
    }

    @Test(
        "switched on while the app runs, events are sent one by one as soon as they are recorded",
        .timeLimit(.minutes(30))
    )
    func pace() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.setDebugMode(.andTrack)
        // Nobody flushes, and the clock stands still.
        for number in 0..<5 { sdk.track("event \(number)") }
        await fixture.device.network.untilRequested(5)
        #expect(fixture.device.network.requests.map(\.url) == Array(repeating: Self.debug, count: 5))
    }

    @Test("two threads that switch at the same time leave one of the two modes, and lose nothing")
    func twoAtOnce() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        await withTaskGroup(of: Void.self) { group in
            for mode in [SensorsAnalyticsDebugMode.only, .andTrack, .off, .only] {
                group.addTask {
                    for _ in 0..<10 {
                        sdk.setDebugMode(mode)
                        sdk.track("event")
                    }
                }
            }
        }
        #expect(try await places(fixture).filter { $0.hasPrefix("event ") }.count == 40)
    }
}
