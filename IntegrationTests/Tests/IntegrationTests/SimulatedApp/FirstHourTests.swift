// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayTesting

/// The sample app of Documentation/AppleApps.md in the simulated phone, and the UI test of Documentation/Testing.md.
@Suite("First hour", .timeLimit(.minutes(5)))
struct FirstHourTests {
    @Test
    func `a UI test's run finds its purchase once, and no other run finds it`() async throws {
        let folder = try TemporaryFolder()
        let port = try Listener.freePort()
        let url = "http://127.0.0.1:\(port)"
        let server = try Program(try CollectorBinary.path(), ["serve", "--ephemeral", "--port", "\(port)"])
        try server.waitForText("127.0.0.1:\(port)")
        let phone = try SimulatedAppProcess(
            "user",
            data: folder.path("unused"),
            to: url,
            version: "1.0",
            ["--app", "first-hour"],
            environment: ["TRACKWAY_URL": url, "TRACKWAY_RUN": "run-1", "XDG_STATE_HOME": folder.path("state")]
        )
        #expect(try phone.count("read May we collect data") == 0)
        try phone.execute("tap Buy")
        let collector = TestCollector(url)
        let purchase = try await collector.expect(
            "purchase",
            where: ["total=12.5"],
            .exactly(1),
            run: "run-1",
            within: .seconds(10)
        )
        #expect(purchase.holds, "\(purchase)")
        let other = try await collector.expect("purchase", where: [], .exactly(0), run: "run-2", within: .zero)
        #expect(other.holds, "\(other)")
        try phone.kill()
    }
}
