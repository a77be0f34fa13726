// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import SensorsAnalyticsCompatibility
import Testing
import Trackway
import TrackwayCore
import TrackwayDestinationKit
import TrackwayTesting

@Suite("Debug mode changes at run time")
struct DebugModeTests {
    private static let debug = "https://sa.test/debug?project=production"

    /// Returns where each event arrived.
    ///
    /// The address is `sa`, `debug`, or `dry` if the request asked the back end not to store it.
    private func addresses(_ fixture: SensorsFixture) async throws -> [String] {
        _ = await fixture.device.analytics?.flush()
        return try fixture.device.network.requests.filter { $0.method == "POST" }.flatMap { request in
            let address =
                switch (request.url, request.headers["dry-run"]) {
                case (SensorsFixture.serverURL, nil): "sa"
                case (Self.debug, nil): "debug"
                case (Self.debug, "true"): "dry"
                default: "?"
                }
            let records = try SensorsRecord.all(in: [request])
            if address != "sa" { #expect(records.count == 1, "sent one by one") }
            return records.map { "\($0.event ?? $0.type ?? "") \(address)" }
        }
    }

    @Test
    func `each event goes to the address of the mode it was recorded in, even if all are sent after the last change`()
        async throws
    {
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
            try await addresses(fixture) == [
                "a1 sa", "profile_set sa", "$SignUp sa", "b1 dry", "profile_set dry", "$SignUp dry", "c1 debug",
                "profile_set debug", "$SignUp debug", "d1 dry", "profile_set dry", "$SignUp dry", "e1 sa",
                "profile_set sa", "$SignUp sa",
            ]
        )
    }

    @Test
    func `events keep the mode they were recorded in after a kill, even in a process with another mode`() async throws {
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
            Set(try await addresses(fixture)).isSuperset(of: ["looked at dry", "counted sa", "both debug"])
        )
        #expect(try await addresses(fixture).allSatisfy { $0 != "looked at sa" && $0 != "looked at debug" })
    }

    @Test(.timeLimit(.minutes(30)))
    func `in a debug mode set at run time, events are sent one by one as soon as they are recorded`() async throws {
        let fixture = try await SensorsFixture.launched()
        let sdk = try fixture.sdk
        sdk.setDebugMode(.andTrack)
        // The test does not flush, and the clock does not advance.
        for number in 0..<5 { sdk.track("event \(number)") }
        await fixture.device.network.untilRequested(5)
        #expect(fixture.device.network.requests.map(\.url) == Array(repeating: Self.debug, count: 5))
    }

    @Test
    func `after concurrent mode changes, one of the modes is in effect and no event is lost`() async throws {
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
        #expect(try await addresses(fixture).filter { $0.hasPrefix("event ") }.count == 40)
    }
}
