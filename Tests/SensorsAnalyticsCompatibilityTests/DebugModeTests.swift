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
    private func places(_ stage: SensorsStage) async throws -> [String] {
        _ = await stage.device.analytics?.flush()
        return try stage.device.network.requests.filter { $0.method == "POST" }.flatMap { request in
            let place =
                switch (request.url, request.headers["dry-run"]) {
                case (SensorsStage.serverURL, nil): "sa"
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
        let stage = try await SensorsStage.launched()
        let sdk = try stage.sdk
        stage.device.network.hold()
        for (mode, name) in [
            (SensorsAnalyticsDebugMode.off, "a"), (.only, "b"), (.andTrack, "c"), (.only, "d"), (.off, "e"),
        ] {
            sdk.setDebugMode(mode)
            sdk.track("\(name)1")
            sdk.set(["\(name)2": 1])
            sdk.login("\(name)3")
        }
        stage.device.network.release()
        #expect(
            try await places(stage) == [
                "a1 sa", "profile_set sa", "$SignUp sa", "b1 dry", "profile_set dry", "$SignUp dry", "c1 debug",
                "profile_set debug", "$SignUp debug", "d1 dry", "profile_set dry", "$SignUp dry", "e1 sa",
                "profile_set sa", "$SignUp sa",
            ]
        )
    }

    @Test("what was recorded to be looked at stays that after a kill, in a process that begins otherwise")
    func restart() async throws {
        let stage = try await SensorsStage.launched()
        stage.device.network.hold()
        let sdk = try stage.sdk
        sdk.setDebugMode(.only)
        sdk.track("looked at")
        sdk.setDebugMode(.off)
        sdk.track("counted")
        try stage.device.kill()
        stage.device.network.release()
        try await stage.device.launch()
        try stage.sdk.setDebugMode(.andTrack)
        try stage.sdk.track("both")
        #expect(
            Set(try await places(stage)).isSuperset(of: ["looked at dry", "counted sa", "both debug"])
        )
        #expect(try await places(stage).allSatisfy { $0 != "looked at sa" && $0 != "looked at debug" })
    }

    @Test(
        "switched on while the app runs, events are sent one by one as soon as they are recorded",
        .timeLimit(.minutes(10))
    )
    func pace() async throws {
        let stage = try await SensorsStage.launched()
        let sdk = try stage.sdk
        sdk.setDebugMode(.andTrack)
        // Nobody flushes, and the clock stands still.
        for number in 0..<5 { sdk.track("event \(number)") }
        await stage.device.network.untilRequested(5)
        #expect(stage.device.network.requests.map(\.url) == Array(repeating: Self.debug, count: 5))
    }

    @Test("two threads that switch at the same time leave one of the two modes, and lose nothing")
    func twoAtOnce() async throws {
        let stage = try await SensorsStage.launched()
        let sdk = try stage.sdk
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
        #expect(try await places(stage).filter { $0.hasPrefix("event ") }.count == 40)
    }
}
