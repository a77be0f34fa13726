// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand

@Suite("An event's trace")
struct EventTraceTests {
    private static let id = "018bcfe5-6800-7000-8000-0000000000ab"
    private static let batch = """
        {"batch":{"id":"b-7","installation":"018bcfe5-6800-7000-8000-000000000001","writer":"018bcfe5-6800-7000-8000-000000000002",\
        "first":3,"last":4,"recorded":9,"sent":1700000005000,"sdk":"trackway/0.1.0"}}
        {"context":{"boot":"boot-1","session":{"id":"s-1"}}}
        {"id":"018bcfe5-6800-7000-8000-0000000000aa","name":"first","time":1699999999999,"mono":4}
        {"id":"\(id)","name":"purchase","time":1700000000000,"mono":5,"attributes":{"total":12.5}}
        """

    private static func send(_ body: String, to client: CollectorClient) async throws {
        let headers = [
            (name: "content-type", value: "application/x-ndjson"), (name: "authorization", value: "Bearer dev"),
        ]
        let answer = try await client.relay("/v1/events", headers: headers, body: Array(body.utf8))
        let taken = try JSONValue.parse(answer.body)
        #expect(answer.status == 200)
        let position = try #require(taken["position"]?.string)
        _ = try await client.get("/v1/wait", query: [("position", position), ("timeout", "60")], timeout: 90)
    }

    @Test
    func `every reported step is listed, with the times in between, even after a restart of the collector`()
        async throws
    {
        try await RunningCollector.withFolder { folder in
            for round in 0..<2 {
                try await RunningCollector.with(folder: folder) { address in
                    let client = CollectorClient(address)
                    if round == 0 { try await Self.send(Self.batch, to: client) }
                    let trace = try await client.get("/v1/events/\(Self.id)/life")
                    #expect(trace["name"]?.string == "purchase")
                    let recorded = trace["recorded"]
                    #expect(recorded?["at"]?.integer == 1_700_000_000_000 && recorded?["mono"]?.integer == 5)
                    #expect(recorded?["boot"]?.string == "boot-1" && recorded?["session"]?.string == "s-1")
                    let batch = trace["batch"]
                    #expect(batch?["id"]?.string == "b-7" && batch?["sent"]?.integer == 1_700_000_005_000)
                    #expect(batch?["sequence"]?.integer == 4 && batch?["ordinal"]?.integer == 1)
                    #expect(batch?["events"]?.integer == 2 && batch?["sdk"]?.string == "trackway/0.1.0")
                    #expect(batch?["attempts"] == .null)
                    #expect(trace["received"]?["key"]?.string == "development")
                    #expect(trace["durable"]?["durability"]?.string == "disk" && trace["durable"]?["at"] == .null)
                    let received = try #require(trace["received"]?["at"]?.integer)
                    #expect(trace["durations"]?["recorded_to_sent"]?.integer == 5_000)
                    #expect(trace["durations"]?["sent_to_received"]?.integer == received - 1_700_000_005_000)
                    #expect(trace["durations"]?["recorded_to_received"]?.integer == received - 1_700_000_000_000)
                    #expect(trace["unknown"]?.array?.count == 3)
                }
            }
        }
    }

    @Test
    func `values that a simple sender does not report are null, and listed as unknown`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                let client = CollectorClient(address)
                try await Self.send(#"{"name":"a"}"#, to: client)
                let list = try await client.get("/v1/events")
                let id = try #require(list["events"]?.array?.first?["id"]?.string)
                let trace = try await client.get("/v1/events/\(id)/life")
                for (part, names) in [
                    "recorded": ["mono", "boot", "session", "user"],
                    "batch": ["id", "sent", "sdk", "sequence", "writer", "attempts"],
                    "durations": ["recorded_to_sent", "sent_to_received"],
                ] {
                    for name in names { #expect(trace[part]?[name] == .null, "\(part).\(name)") }
                }
                let unknown = (trace["unknown"]?.array ?? []).compactMap(\.string)
                for name in [
                    "recorded.at", "recorded.mono", "recorded.boot", "batch.sent", "batch.sequence", "attempts",
                    "durable.at",
                ] {
                    #expect(unknown.contains { $0.hasPrefix(name + ":") }, "\(name)")
                }
            }
        }
    }

    @Test
    func `an erased event, or one that never arrived, has no trace`() async throws {
        try await RunningCollector.withFolder { folder in
            try await RunningCollector.with(folder: folder) { address in
                let client = CollectorClient(address)
                try await Self.send(Self.batch, to: client)
                let installation = "018bcfe5-6800-7000-8000-000000000001"
                let order = try await client.send("DELETE", "/v1/installations/\(installation)")
                let position = try #require(order["position"]?.string)
                _ = try await client.get("/v1/wait", query: [("position", position), ("timeout", "60")], timeout: 90)
                let error = await #expect(throws: CommandFailure.self) {
                    try await client.get("/v1/events/\(Self.id)/life")
                }
                #expect(error?.status == .negative)
                let malformed = await #expect(throws: CommandFailure.self) {
                    try await client.get("/v1/events/x/life")
                }
                #expect(malformed?.status == .usage)
            }
        }
    }

    @Test
    func `in a terminal, a trace has one line for each step`() throws {
        let json = """
            {"id":"\(Self.id)","name":"pur\\u0007chase","recorded":{"at":1700000000000,"mono":5,"boot":"b","session":null},
            "batch":{"id":"b-7","sent":1700000005000,"sdk":"x","sequence":4,"events":2},
            "received":{"at":1700000004000,"key":"shop","format":"trackway","bytes":300},
            "durable":{"at":null,"position":"1.16.1","durability":"disk"},"indexed":{"at":null,"position":"1.400.0"},
            "durations":{"recorded_to_sent":5000,"sent_to_received":-1000,"recorded_to_received":4000},
            "unknown":["attempts: unknown"]}
            """
        let text = EventTraceText(style: Style(isColored: false), zone: .gmt)
        #expect(
            text.lines(try JSONValue.parse(Array(json.utf8))) == [
                "pur·chase  \(Self.id)", "recorded  2023-11-14 22:13:20.000  mono 5  boot b",
                "sent      2023-11-14 22:13:25.000  +5.0 s  sequence 4  events 2  batch b-7  sdk x",
                "received  2023-11-14 22:13:24.000  −1.0 s  key shop  format trackway  bytes 300",
                "durable   –  position 1.16.1  in disk", "indexed   –  up to 1.400.0", "unknown: attempts: unknown",
            ]
        )
    }
}
