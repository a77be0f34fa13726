// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Expectations on the command line")
struct ExpectCommandTests {
    private static func command(_ words: [String]) throws -> ExpectCommand {
        try #require(try RootCommand.parseAsRoot(["expect"] + words) as? ExpectCommand)
    }

    @Test
    func `arguments become an expectation`() throws {
        let words = [
            "purchase", "refund", "--where", "total=12.5", "--where", "a=b", "--run", "ci-1", "--user", "u",
            "--at-least", "2", "--at-most", "3", "--within", "500ms", "--since", "3.88213",
        ]
        #expect(
            try Self.command(words).query.map { "\($0.name)=\($0.value)" } == [
                "name=purchase", "name=refund", "where=total=12.5", "where=a=b", "user=u", "run=ci-1", "at_least=2",
                "at_most=3", "within=500ms", "since=3.88213",
            ]
        )
        #expect(
            try Self.command(["crash", "--never"]).query.map { "\($0.name)=\($0.value)" } == [
                "name=crash", "within=5s", "never=1",
            ]
        )
    }

    @Test(arguments: [
        [], ["a", "--where", "total"], ["a", "--within", "5"], ["a", "--count", "1", "--never"],
        ["a", "--at-least", "3", "--at-most", "2"], ["a", "--since", "x"], ["a", "--count", "x"],
        ["a", "--installation", "1"],
    ])
    func `invalid arguments are rejected before any request`(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["expect"] + words) }
    }

    private static func text(_ words: [String], _ answer: String) throws -> [String] {
        let expectation = try EventExpectation(parameters: Self.command(words).query)
        return ExpectationText(expectation, style: Style(isColored: false), zone: .gmt)
            .lines(try JSONValue.parse(Array(answer.utf8)))
    }

    @Test
    func `an unmet expectation lists the closest events with the reason, the rejected events, and the other events`()
        throws
    {
        let lines = try Self.text(
            ["purchase", "--where", "total=12.5", "--where", "coupon=*", "--run", "ci-1", "--within", "10s"],
            """
            {"holds":false,"found":0,"expected":{"at_least":1,"within":10000},"since":"1.16.0","indexed":"1.900.0","read":1204,
            "events":[],"closest":[{"missed":[{"condition":"total=12.5","actual":10},{"condition":"coupon=*","actual":null},
            {"condition":"run=ci-1","actual":"a\\u001b[31m"}],"event":{"event":{"name":"purchase","time":1700000000123,
            "attributes":{"total":10}}}}],"refused":[{"code":"name_too_long","message":"The name is too long."}],
            "others":[{"name":"view_item","events":1203},{"name":"cart","events":1}]}
            """
        )
        #expect(
            lines == [
                "✗ purchase where total=12.5 and coupon=* and run=ci-1: at least 1 within 10.0 s",
                "  found 0; checked 1,204 events", "  closest:",
                "    2023-11-14 22:13:20.123  purchase            total=10",
                "      total=12.5 fails: the value is 10", "      coupon=* fails: the value is missing",
                "      run=ci-1 fails: the value is “a·[31m”", "  rejected:",
                "    name_too_long: The name is too long.",
                "  other events: view_item ×1,203, cart",
            ]
        )
    }

    @Test(arguments: [
        (["--never"], "none"), (["--count", "2"], "exactly 2"), (["--at-most", "2"], "at most 2"),
        (["--at-least", "2"], "at least 2"), (["--at-least", "1", "--at-most", "2"], "1 to 2"), ([], "at least 1"),
    ])
    func `the expected number is shown in words`(_ words: [String], _ number: String) throws {
        let lines = try Self.text(["a"] + words, #"{"holds":true,"found":1,"read":1,"events":[]}"#)
        #expect(lines == ["✓ a: \(number) within 5.0 s", "  found 1; checked 1 event"])
    }

    @Test
    func `a run is selected by the SDK's global attributes, and by an attribute of the event`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder + "/collector", isEphemeral: true) { address in
                let client = CollectorClient(address)
                var sender = try Sender(to: address, folder: folder + "/journal", console: .standard)
                _ = sender.record("purchase", ["_run": "ci-2", "total": 12.5])
                await sender.finish(timeout: .seconds(60))
                // Like the SDK's global attributes.
                let body = Array(
                    "{\"context\":{\"global\":{\"_run\":\"ci-1\"}}}\n{\"name\":\"purchase\",\"attributes\":{\"total\":10}}"
                        .utf8
                )
                let headers = [(name: "content-type", value: "application/x-ndjson")]
                #expect(try await client.relay("/v1/events", headers: headers, body: body).status == 200)
                for (run, total, holds) in [("ci-1", "10", true), ("ci-2", "12.5", true), ("ci-1", "12.5", false)] {
                    let command = try Self.command(
                        ["purchase", "--where", "total=\(total)", "--run", run, "--within", "0s"]
                    )
                    let answer = try await client.get("/v1/expect", query: command.query)
                    #expect(answer["holds"] == .boolean(holds), "\(run) \(total)")
                    let list = try await client.get("/v1/events", query: [("run", run)])
                    #expect(list["events"]?.array?.count == 1)
                    let trend = try await client.get("/v1/trends", query: [("name", "purchase"), ("run", run)])
                    #expect(trend["series"]?.array?.first?["total"]?.integer ?? 0 <= 1)
                }
            }
        }
    }
}
