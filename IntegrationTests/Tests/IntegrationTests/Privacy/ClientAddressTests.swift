// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// A collector that drops, truncates or keeps the addresses of its clients.
@Suite("Client addresses in files")
struct ClientAddressTests {
    private static let source: (UInt8, UInt8, UInt8) = (9, 8, 7)
    private static let installation = "0199a1b2-0000-7000-8000-000000000001"

    private struct Choice: Sendable, CustomTestStringConvertible {
        var option: String?
        /// The stored address; nil if none is.
        var stored: String?

        var testDescription: String { option ?? "the default" }
    }

    private static let choices = [
        Choice(option: nil, stored: nil), Choice(option: "drop", stored: nil),
        Choice(option: "truncate", stored: "127.9.8.0"), Choice(option: "keep", stored: "127.9.8.7"),
    ]

    private static func post(_ collector: Collector, _ path: String, _ body: String, _ headers: [(String, String)] = [])
        throws -> HTTPMessage
    {
        try collector.send(
            HTTPMessage(
                startLine: "POST \(path) HTTP/1.1",
                headers: [
                    ("authorization", "Bearer \(Collector.key)"), ("content-type", "application/json"),
                    // Not from a trusted proxy.
                    ("x-forwarded-for", "203.0.113.9"),
                ] + headers,
                body: Array(body.utf8)
            ),
            from: source
        )
    }

    /// Returns the places with a text: files of the data folder, and the output.
    private static func places(_ collector: Collector, _ text: String) throws -> [String] {
        var places = try FileManager.default.subpathsOfDirectory(atPath: collector.data).filter { name in
            FileManager.default.contents(atPath: collector.data + "/" + name)?.range(of: Data(text.utf8)) != nil
        }
        if collector.program?.tail.contains(text) == true { places.append("output") }
        return places
    }

    @Test(arguments: choices)
    private func `the address of a sender is stored as chosen, and nowhere else`(_ choice: Choice) throws {
        let option = choice.option.map { ["--client-addresses", $0] } ?? []
        let collector = try Collector(options: ["--dev-key", Collector.key, "--log-level", "trace"] + option)
        let bodies = [
            #"{"batch":{"installation":"\#(Self.installation)"}}"#, #"{"context":{"user":{"id":"anna"}}}"#,
            #"{"name":"plain"}"#, #"{"context":{"ip":"198.51.100.1","user":{"id":"anna"}}}"#, #"{"name":"own"}"#,
        ]
        #expect(try Self.post(collector, "/v1/events", bodies.joined(separator: "\n")).status == 200)
        // A batch that is rejected as a whole, a request that is refused, and a rejected event in another format.
        #expect(try Self.post(collector, "/v1/events", "[nonsense").status == 400)
        #expect(try Self.post(collector, "/v1/events?x=%zz", "{}", [("content-encoding", "br")]).status >= 400)
        let clickstream =
            #"[{"event_type":"click","event_id":"e1","timestamp":1764500000000,"device_id":"d","attributes":{},"user":{}}]"#
        let vendor = try Self.post(collector, "/collect?appId=shop", clickstream)
        #expect(vendor.status == 200, "\(vendor.text)")
        _ = try collector.get("/v1/wait?count=2&timeout=30")
        let events = try collector.get("/v1/events")["events"]?.array ?? []
        #expect(events.count == 2, "\(events)")
        for event in events {
            let expected = event["event"]?["name"]?.string == "own" ? "198.51.100.1" : choice.stored
            #expect(event["context"]?["ip"]?.string == expected, "\(event)")
        }
        try collector.stop()
        #expect(try Self.places(collector, "203.0.113.9").isEmpty)
        for address in ["127.9.8.7", "127.9.8.0"] {
            let places = try Self.places(collector, address)
            #expect(places.isEmpty == (address != choice.stored), "\(address): \(places)")
            #expect(!places.contains("output"))
        }
        // An erasure removes the address with the events.
        try collector.start()
        _ = try collector.get("/v1/users/anna/erasure")
        let request = HTTPMessage(
            startLine: "DELETE /v1/users/anna HTTP/1.1",
            headers: [("authorization", "Bearer \(Collector.key)")]
        )
        let id = try #require(JSONValue.parse(collector.send(request).body)["erasure"]?.string)
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        while try collector.send(HTTPMessage(startLine: "GET /v1/erasures/\(id) HTTP/1.1")).status != 200 {
            try #require(Date() < deadline)
            usleep(20_000)
        }
        let left = try collector.get("/v1/events")["events"]?.array ?? []
        #expect(left.isEmpty)
        try collector.stop()
        // The rejected event in the other format is of another person, so its record keeps the address.
        for name in try Self.places(collector, "198.51.100.1") { Issue.record("the address of anna is in \(name)") }
    }

    @Test
    func `behind a trusted proxy, the address is that of the proxy's client`() throws {
        let collector = try Collector(
            options: ["--dev-key", Collector.key, "--client-addresses", "truncate", "--trusted-proxy", "127.9.8.7"]
        )
        #expect(try Self.post(collector, "/v1/events", #"{"name":"a"}"#).status == 200)
        _ = try collector.get("/v1/wait?count=1&timeout=30")
        let event = try collector.get("/v1/events")["events"]?.array?.first
        #expect(event?["context"]?["ip"]?.string == "203.0.113.0")
        try collector.stop()
        for address in ["127.9.8.7", "127.9.8.0", "203.0.113.9"] {
            #expect(try Self.places(collector, address).isEmpty)
        }
    }
}
