// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorCore
internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("Rejected events on the command line")
struct RejectionsCommandTests {
    private static let text = RejectionsText(style: Style(isColored: false), zone: .gmt)

    private static func json(_ text: String) throws -> JSONValue { try JSONValue.parse(Array(text.utf8)) }

    private static let answer = """
        {"interval":"day","zone":"UTC","edges":[1795219200000,1795305600000],"groups":[{"code":"name_too_long",\
        "field":"name","name":"=a","version":"2.1","count":1204,"first":1795219200000,"last":1795243080000,\
        "sample":"3.88213.7","values":[1204]}],"others":7,"count":1211,"lost":[{"reason":"expired","events":5}],\
        "reports":[{"code":"1001","events":2,"first":1795219200000,"last":1795243080000,"message":"no\\u001bname",\
        "sample":"x"}]}
        """

    @Test
    func `groups are shown as a table, followed by what devices dropped and reported`() throws {
        #expect(
            Self.text.lines(try Self.json(Self.answer)) == [
                "rejected  reason         field  event  version  first             last              sample",
                "   1,204  name_too_long  name   =a     2.1      2026-11-21 00:00  2026-11-21 06:38  3.88213.7", "",
                "7 more in other groups; see --top", "", "For details: trackway rejections show 3.88213.7", "",
                "dropped on devices in total: expired 5", "",
                "reported by clients: 1001 2 times, most recently 2026-11-21 06:38: no·name",
            ]
        )
        let nothing = #"{"edges":[],"groups":[],"others":0,"lost":[],"reports":[]}"#
        #expect(Self.text.lines(try Self.json(nothing)) == ["No events were rejected in this period."])
        #expect(
            Self.text.csv(try Self.json(Self.answer)) == [
                "start,end,code,field,name,version,count",
                "2026-11-21T00:00:00.000Z,2026-11-22T00:00:00.000Z,name_too_long,name,'=a,2.1,1204",
            ]
        )
    }

    @Test
    func `totals are shown in words, and events that could not be replayed by reason`() throws {
        var sums = ReplaySums()
        #expect(sums.lines(isDryRun: false) == ["No rejected events match."])
        for position in ["1.5", "1.9"] {
            sums.add(
                try Self.json(
                    #"{"admitted":2,"refused":1,"unchanged":0,"not_kept":[{"position":"1","reason":"cut"}],"position":"\#(position)"}"#
                )
            )
        }
        #expect(sums.position == "1.9")
        #expect(
            sums.lines(isDryRun: true) == [
                "would be admitted: 4", "rejected for another reason now: 2",
                "not re-evaluated (not stored completely): 2",
            ]
        )
        #expect(
            String(decoding: sums.json(isDryRun: false).json(), as: UTF8.self)
                == #"{"admitted":4,"refused":2,"unchanged":0,"not_kept":{"cut":2},"dry_run":false}"#
        )
    }

    @Test(arguments: [
        ["--json", "--csv"], ["--top", "0"], ["--last", "soon"], ["show", "here"], ["show"],
        ["replay", "--position", "x"], ["replay", "--position", "1.2.3", "--code", "x"],
    ])
    func `invalid arguments are rejected before any request`(_ words: [String]) {
        #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(["rejections"] + words) }
    }

    private static func post(_ body: String, to client: CollectorClient) async throws {
        let sent = try await client.relay(
            "/v1/events",
            headers: [("authorization", "Bearer dev")],
            body: Array(body.utf8)
        )
        guard let position = try JSONValue.parse(sent.body)["position"]?.string else { return }
        _ = try await client.get("/v1/wait", query: [("position", position), ("timeout", "60")])
    }

    private static func replay(_ client: CollectorClient, _ query: [(name: String, value: String)]) async throws
        -> ReplaySums
    {
        var sums = ReplaySums()
        sums.add(try await client.send("POST", "/v1/failed/replay", query: query, timeout: 60))
        if let end = sums.position {
            _ = try await client.get("/v1/wait", query: [("position", end), ("timeout", "60")], timeout: 90)
        }
        return sums
    }

    @Test
    func `events rejected by a rule are admitted once after the rule is changed, with their origin`() async throws {
        try await RunningCollector.withFolder { folder in
            var strict = AdmissionLimits()
            strict.event.nameBytes = 5
            try await RunningCollector.with(folder: folder, limits: strict) { address in
                let client = CollectorClient(address)
                try await Self.post(
                    "{\"name\":\"view\"}\n{\"name\":\"purchase\",\"attributes\":{\"total\":5}}\n{}",
                    to: client
                )
                // It contains no valid event, so it is rejected as a whole.
                try await Self.post("[{\"name\":\"checkout\"},\n {\"name\":\"checkout\"}]", to: client)
                let groups = try await client.get("/v1/failed/groups")
                let codes = (groups["groups"]?.array ?? []).map {
                    "\($0["code"]?.string ?? "") \($0["name"]?.string ?? "") \($0["count"]?.integer ?? 0)"
                }
                #expect(Set(codes) == ["name_too_long purchase 1", "name_too_long  1", "field_missing  1"])
                #expect(try await Self.replay(client, []).unchanged == 3)
            }
            try await RunningCollector.with(folder: folder) { address in
                let client = CollectorClient(address)
                let trial = try await Self.replay(client, [("code", "name_too_long"), ("dry_run", "1")])
                #expect(trial.admitted == 3 && trial.position == nil)
                #expect(try await client.get("/v1/events")["events"]?.array?.count == 1)
                let sums = try await Self.replay(client, [])
                #expect(sums.admitted == 3 && sums.unchanged == 1 && sums.refused == 0 && sums.lost.isEmpty)
                #expect(try await Self.replay(client, []).admitted == 0)
                let events = try await client.get("/v1/events", query: [("order", "asc")])
                let names = (events["events"]?.array ?? []).compactMap { $0["event"]?["name"]?.string }
                #expect(names.sorted() == ["checkout", "checkout", "purchase", "view"])
                let purchase = try await client.get("/v1/events", query: [("name", "purchase")])["events"]?.array?.first
                #expect(
                    purchase?["replayed"]?["key"]?.string != nil
                        && purchase?["event"]?["attributes"]?["total"]?.integer == 5
                )
                let left = try await client.get("/v1/failed")["failed"]?.array ?? []
                #expect(left.map { $0["code"]?.string } == ["field_missing"])
            }
        }
    }
}
