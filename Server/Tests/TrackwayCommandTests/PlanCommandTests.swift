// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Tracking plans on the command line")
struct PlanCommandTests {
    private static let text = PlanText(style: Style(isColored: false), zone: .gmt)

    private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    private static let plan = """
        {"version":1,"events":{"purchase":{"attributes":{"required":["total"],"additionalProperties":false,\
        "properties":{"total":{"type":"number","minimum":0}}}},"never":{}}}
        """

    private static func checker(_ text: String = plan) throws -> PlanChecker {
        PlanChecker(try #require(PlanParseResult(Array(text.utf8)).plan))
    }

    private static func send(_ lines: [String], _ client: CollectorClient) async throws {
        let sent = try await client.relay(
            "/v1/events",
            headers: [("authorization", "Bearer dev")],
            body: Array(lines.joined(separator: "\n").utf8)
        )
        let position = try #require(try JSONValue.parse(sent.body)["position"]?.string)
        _ = try await client.get("/v1/wait", query: [("position", position), ("timeout", "60")])
    }

    private static let events = [
        #"{"name":"purchase","attributes":{"total":5,"_run":"r"}}"#, #"{"name":"purchase","attributes":{"total":"5"}}"#,
        #"{"name":"purchase","attributes":{"total":-1,"x":1}}"#, #"{"name":"typo"}"#, #"{"name":"_screen_view"}"#,
    ]

    @Test
    func `all errors in a file are reported with the file's name`() throws {
        let reading = PlanParseResult(Array(#"{"version":2,"events":{"a":{"owner":5}}}"#.utf8))
        #expect(
            PlanText.faults(reading, of: "plan.json") == [
                "plan.json: 2 mistakes",
                "  version = 2: This collector supports version 1; write \"version\": 1. [unknown_version]",
                "  events.a.owner = 5: Write a string in quotation marks. [malformed]",
            ]
        )
        let json = PlanCheckCommand.json(reading, "plan.json", against: nil)
        #expect(json["errors"]?.array?.count == 2 && json["digest"] == .null && json["against"] == .null)
        #expect(json["errors"]?.array?.first?["value"]?.string == "2")
    }

    @Test
    func `a missing, invalid or overlong file ends the command with a specific status`() async throws {
        try await RunningCollector.withFolder { folder in
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let path = folder + "/plan.json"
            #expect(throws: CommandFailure.self) { try PlanFile.read(path) }
            do throws(CommandFailure) {
                _ = try PlanFile.plan(path)
            } catch {
                #expect(error.status == .inputMissing && error.remedy.contains("plan init"))
            }
            try Data(repeating: 0x20, count: 10 << 20).write(to: URL(filePath: path))
            do throws(CommandFailure) {
                _ = try PlanFile.plan(path)
                Issue.record("the file is not a plan")
            } catch {
                #expect(error.status == .malformedInput && error.message.contains("too_large"))
            }
            try Data(#"{"version":1,"events":{}}"#.utf8).write(to: URL(filePath: path))
            #expect(try PlanFile.plan(path).events.isEmpty)
            #expect(throws: CommandFailure.self) { try PlanFile.write("x", to: folder + "/no/such/folder/file") }
        }
    }

    @Test(arguments: [
        ["check"], ["check", "p.json", "--last", "7d"], ["check", "p.json", "--against", "x", "--last", "7h"],
        ["check", "p.json", "--sample", "0", "--against", "x"], ["swift"], ["swift", "p.json", "--access", "open"],
        ["show", "--limit", "0"], ["violations", "--json", "--csv"], ["violations", "--limit", "1001"],
    ])
    func `invalid arguments are rejected before any request`(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["plan"] + words) }
    }

    @Test(arguments: [true, false])
    func `a collector with the plan reports the violations, and a check against it agrees`(_ isCounted: Bool)
        async throws
    {
        let checker = try Self.checker()
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder, plan: isCounted ? checker : nil) { address in
                let client = CollectorClient(address)
                try await Self.send(Self.events, client)
                var command = try #require(
                    try PlanCheckCommand.parseAsRoot(["p.json", "--against", address.root, "--last", "2d"])
                        as? PlanCheckCommand
                )
                command.last = "2d"
                let comparison = try await command.compare(checker, client)
                #expect(comparison.isCounted == isCounted && !comparison.isClean && comparison.checkedEvents == 3)
                #expect(comparison.missing == ["never"] && comparison.unplanned.map(\.name) == ["typo"])
                #expect(
                    comparison.violations.map { "\($0.events) \($0.name) \($0.code) \($0.path) \($0.expected)" } == [
                        "1 purchase minimum attributes.total number, at least 0",
                        "1 purchase type attributes.total number, at least 0",
                        "1 purchase unexpected attributes.x ",
                    ]
                )
                #expect(comparison.violations.allSatisfy { $0.sample.count == 36 })
                #expect(comparison.json["clean"] == .boolean(false) && comparison.json["violations"]?.array?.count == 3)
                let lines = Self.text.comparison(comparison)
                #expect(lines.contains("Never received: never") && lines.contains("Not planned: typo (1)"))
                #expect(lines.last == "Some events violate the plan.")
            }
        }
    }

    @Test
    func `all stored events match a plan drafted from them`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                let client = CollectorClient(address)
                var events = Self.events + [#"{"name":"a/b \"ü\"","attributes":{"a.b":[1],"o":{"x":null},"n":null}}"#]
                events += (0..<60).map { #"{"name":"view","attributes":{"kind":"k\#($0 % 3)","id":\#($0)}}"# }
                try await Self.send(events, client)
                var draft = PlanDraft()
                draft.listsValues = true
                for name in try await client.catalog().map(\.name) where draft.accept(name) {
                    draft.add(name, try await client.get("/v1/catalogue/" + CollectorAddress.escape(name)))
                }
                let reading = PlanParseResult(Array(draft.plan(title: "First").text().utf8))
                #expect(reading.faults == [])
                let plan = try #require(reading.plan)
                #expect(
                    plan.events.map(\.name) == [#"a/b "ü""#, "purchase", "typo", "view"]
                        && draft.omittedNames == ["_screen_view"]
                )
                let total = try #require(plan.events[1].attributes.properties.first { $0.name == "total" })
                #expect(total.isRequired && total.schema.kinds == [.integer, .string])
                #expect(
                    plan.events[3].attributes.properties.map(\.schema.summary) == [
                        "integer", #"string, one of "k0", "k1", "k2""#,
                    ]
                )
                let command = try #require(
                    try PlanCheckCommand.parseAsRoot(["p.json", "--against", address.root]) as? PlanCheckCommand
                )
                let comparison = try await command.compare(PlanChecker(plan), client)
                #expect(comparison.isClean && comparison.missing == [] && comparison.checkedEvents == 65)
            }
        }
    }

    @Test
    func `a collector's plan is shown as a table, and names are never formulas`() throws {
        let answer = try Self.json(
            """
            {"plan":{"digest":"00ff","title":"Shop","events":2},"counted":{"since":1795219200000,"others":0},"events":[\
            {"name":"=a","planned":false,"deprecated":false,"owner":null,"events":4,"faulty":4,"violations":4,"sample":null},\
            {"name":"purchase","planned":true,"deprecated":true,"owner":"checkout","events":1204,"faulty":2,"violations":3,"sample":"x"}]}
            """
        )
        let table = Self.text.events(answer)
        #expect(
            table.lines(style: Self.text.style) == [
                "Shop, 2 events (00ff), counted since 2026-11-21 00:00",
                "event     plan         events  faulty  violations  owner     sample",
                "=a        not planned       4       4           4            ",
                "purchase  deprecated    1,204       2           3  checkout  x",
            ]
        )
        #expect(
            table.csv == [
                "name,planned,deprecated,events,faulty,violations,owner,sample", "'=a,false,false,4,4,4,,",
                "purchase,true,true,1204,2,3,checkout,x",
            ]
        )
        #expect(Self.text.events(try Self.json(#"{"plan":null,"events":[]}"#)).heading.contains("no plan"))
    }

    @Test
    func `violations are shown as a table, with one line per day`() throws {
        let answer = try Self.json(
            """
            {"digest":"00ff","since":1795219200000,"violations":[{"name":"purchase","path":"attributes.total","code":"type","version":"2.1",\
            "expected":"number","events":5,"first":0,"last":1795243080000,"sample":"x","days":[[1795132800000,2],[1795219200000,3]]}],\
            "more":{"groups":2,"events":7}}
            """
        )
        let table = Self.text.violations(answer)
        #expect(
            table.lines(style: Self.text.style) == [
                "Counted since 2026-11-21 00:00",
                "events  event     location          kind  expected  version  last              sample",
                "     5  purchase  attributes.total  type  number    2.1      2026-11-21 06:38  x",
            ]
        )
        #expect(
            table.csv[1...] == [
                "2026-11-20,purchase,attributes.total,type,2.1,2,x",
                "2026-11-21,purchase,attributes.total,type,2.1,3,x",
            ]
        )
        #expect(Self.text.more(answer) == ["", "7 more in 2 groups; see --limit and --name"])
    }
}
