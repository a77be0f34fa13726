// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorTesting
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Users on the command line")
struct UsersCommandTests {
    private static let text = UserText(style: Style(isColored: false), zone: .gmt)

    private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    private static let carl = """
        {"id":"carl\\u001b","unique_id":"U","first":1795219200000,"last":1795243080000,"events":1204,"sessions":3,\
        "installations":["0199a1b2-0000-7000-8000-000000000001"],"attributes":{"plan":{"value":"pro","set":1795243080000,\
        "installation":"0199a1b2-0000-7000-8000-000000000001"},"=n":{"value":[1,2],"set":0},"x":{"value":1,"set":1},\
        "y":{"value":null,"set":1}},"more_attributes":true,"devices":[{"installation":"0199a1b2-0000-7000-8000-000000000001",\
        "first":1,"last":1795243080000,"events":4,"sessions":1,"app":"shop","version":"2.1","model":null,"system":"iOS 18.2"}]}
        """

    @Test
    func `a list is shown as a table, and states how far a search went`() throws {
        let users = [
            try Self.json(Self.carl), try Self.json(#"{"events":1,"sessions":0,"first":0,"last":0,"unique_id":"V"}"#),
        ]
        let lines = Self.text.list(users, searched: (200_000, of: 1_000_000), hasMore: true)
        #expect(lines[1].hasPrefix("carl·") && lines[1].hasSuffix("plan=pro =n=[1,2] x=1 +1"))
        #expect(
            lines[2].hasPrefix("visitor of V")
                && lines.last == "Searched 200,000 of 1,000,000 users; increase --limit for more."
        )
        #expect(Self.text.list([], searched: nil, hasMore: false) == ["No users yet."])
        #expect(Self.text.list([], searched: (5, of: 5), hasMore: false) == ["No users found."])
    }

    @Test
    func `an id in comma-separated values is never a formula`() throws {
        let lines = Self.text.listCSV([try Self.json(Self.carl.replacing("carl", with: "=carl"))])
        #expect(lines[0] == "id,unique_id,installation,first,last,events,sessions,attributes")
        #expect(lines[1].hasPrefix("\"'=carl") && lines[1].contains("2026-11-21T06:38:00.000Z,1204,3,"))
    }

    @Test
    func `a profile shows when and on which installation each attribute was set, and the devices`() throws {
        let lines = Self.text.profile(try Self.json(Self.carl))
        #expect(lines[0] == "carl·" && lines[1] == "unique id  U")
        #expect(lines[2] == "Events 1,204, sessions 3, first seen 2026-11-21 00:00, last seen 2026-11-21 06:38")
        #expect(
            lines.contains {
                $0.hasPrefix("plan ") && $0.hasSuffix("2026-11-21 06:38  0199a1b2-0000-7000-8000-000000000001")
            }
        )
        #expect(lines.contains("and more attributes") && lines.contains { $0.contains("shop 2.1") })
    }

    @Test
    func `a heading precedes each new session`() throws {
        func event(_ session: String, visit: Bool = false) throws -> JSONValue {
            try Self.json(
                #"{"session":"\#(session)","visit":\#(visit),"received":1795243080000,"event":{"name":"a"},"#
                    + #""context":{"session":{"number":3},"device":{"model":"M","platform":"iOS","os_version":"18"},"app":{"version":"2"}}}"#
            )
        }
        let first = try event("s")
        #expect(Self.text.heading(first, after: nil) == "— 2026-11-21 06:38:00 · session 3 · M · iOS 18 · 2")
        #expect(Self.text.heading(first, after: first) == nil)
        #expect(Self.text.heading(first, after: try event("s", visit: true)) != nil)
        #expect(Self.text.heading(try event("t", visit: true), after: first)?.hasSuffix(" · not signed in yet") == true)
    }

    @Test(arguments: [
        [], ["a", "--visitor", "0199a1b2-0000-7000-8000-000000000001"], ["--visitor", "a"], [""],
        ["a", "--limit", "-1"],
        ["a", "--json", "--csv"], ["a", "--count", "1"], ["a", "--follow", "--where", "a=1"],
        ["a", "--follow", "--name", "a", "--name", "b"], ["a", "--follow", "--limit", "0"],
        ["--visitor", "0199a1b2-0000-7000-8000-000000000001", "--with-visits"],
    ])
    func `conflicting arguments are rejected`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try UsersShowCommand.parse(arguments) }
    }

    @Test(arguments: [["--limit", "0"], ["--json", "--csv"], ["--installation", "7"]])
    func `the list's options are validated`(_ arguments: [String]) {
        #expect(throws: (any Error).self) { try UsersListCommand.parse(arguments) }
    }

    @Test
    func `a collector finds users, shows one, and reports an unknown one`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                let client = CollectorClient(address)
                let body = """
                    {"context":{"user":{"id":"a/b","attributes":{"plan":{"value":"pro","set":5}}}}}
                    {"name":"look","time":1000}
                    {"name":"buy","time":3000,"attributes":{"total":5}}
                    {"name":"look","time":2000}
                    """
                let port = try #require(URL(string: address.root)?.port)
                let headers = ["authorization": "Bearer dev", "content-type": "application/x-ndjson"]
                let sent = try await Wire.request("POST", "/v1/events", headers, body: Array(body.utf8), port: port)
                let position = try #require(sent.text("position"))
                _ = try await client.get("/v1/wait", query: [("position", position), ("timeout", "30")])
                let found = try await client.get("/v1/users", query: [("where", "plan=pro"), ("text", "a/")])
                #expect(found["users"]?.array?.first?["id"]?.string == "a/b" && found["of"]?.integer == 1)
                let path = "/v1/users/" + CollectorAddress.escape("a/b")
                #expect(try await client.get(path)["events"]?.integer == 3)
                let events = try await client.get(path + "/events", query: [("limit", "2")])
                #expect(events["events"]?.array?.compactMap { $0["event"]?["name"]?.string } == ["buy", "look"])
                let failure = await #expect(throws: CommandFailure.self) { try await client.get("/v1/users/nobody") }
                #expect(failure?.status == .negative)
            }
        }
    }
}
