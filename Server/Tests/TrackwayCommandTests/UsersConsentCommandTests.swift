// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Foundation
internal import Testing
internal import Trackway
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Consent decisions on the command line")
struct UsersConsentCommandTests {
    private static let text = UserText(style: Style(isColored: false), zone: .gmt)

    @Test
    func `decisions are shown as a table, with what an app left out`() throws {
        let decisions = try JSONValue.parse(
            Array(
                """
                [{"time":1795243080000,"decision":"denied","scope":"person","category":"marketing\\u001b","source":"settings",\
                "version":"v2","installation":"0199a1b2-0000-7000-8000-000000000001"},{"time":1795219200000}]
                """.utf8
            )
        )
        let lines = Self.text.consent(decisions.array ?? [], hasMore: true)
        #expect(lines[0].hasPrefix("time"))
        #expect(lines[1].hasPrefix("2026-11-21 06:38  denied    person  marketing·"))
        #expect(lines[2].contains("2026-11-21 00:00  –") && lines[2].contains("all"))
        #expect(lines.last == "Increase --limit for earlier decisions.")
        #expect(Self.text.consent([], hasMore: false) == ["No consent decisions."])
    }

    @Test(arguments: [
        [], ["a", "--visitor", "0199a1b2-0000-7000-8000-000000000001"], ["--visitor", "a"], [""],
        ["a", "--limit", "-1"],
    ])
    func `conflicting arguments are rejected`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try UsersConsentCommand.parse(arguments) }
    }

    @Test
    func `a collector keeps a person's decisions, including an opt-out after a last delivery`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/collector") { address in
                var configuration = Configuration(
                    appID: "consent",
                    destinations: [.collector(try address.url(""), writeKey: "dev")],
                    consent: .pending
                )
                configuration.capture = []
                configuration.storage.folder = URL(fileURLWithPath: folder + "/app")
                let analytics = try Analytics(configuration)
                analytics.record("before_consent")
                analytics.setConsent(.granted, scope: .person, source: "banner", version: "v1")
                analytics.identify("anna")
                analytics.record("opted_out")
                let report = await analytics.setConsent(
                    .denied,
                    scope: .person,
                    source: "settings",
                    version: "v1",
                    after: .flush(timeout: .seconds(60))
                )
                #expect(report.isComplete, "\(report)")
                analytics.record("refused")
                await analytics.shutdown()

                let client = CollectorClient(address)
                _ = try await client.get("/v1/wait", query: [("count", "5"), ("timeout", "60")], timeout: 90)
                let page = try await client.get("/v1/users/anna/consent")
                let decisions = page["decisions"]?.array ?? []
                #expect(decisions.map { $0["decision"]?.string } == ["denied", "granted"])
                #expect(decisions.map { $0["source"]?.string } == ["settings", "banner"])
                #expect(decisions.map { $0["visit"]?.boolean == true } == [false, true])
                #expect(try await client.get("/v1/users/anna")["events"]?.integer == 5)
                // Erasing the person erases the decisions.
                let erasure = try await client.send("DELETE", "/v1/users/anna")["erasure"]?.string ?? ""
                let receipt = try await ErasureWaiter(client: client, seconds: 60).result(of: erasure)
                #expect(receipt["completed"]?.integer != nil)
                await #expect(throws: CommandFailure.self) { try await client.get("/v1/users/anna/consent") }
            }
        }
    }
}
