// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit

/// The collector's responses to malformed requests over a real connection.
@Suite("Malformed input")
struct MalformedInputTests {
    /// A malformed request.
    ///
    /// Its body contains events with this name, so that a stored one would be found.
    struct Nonsense: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var path = "/v1/events"
        var headers: [(name: String, value: String)] = [("content-type", "application/x-ndjson")]
        var key = Collector.key
        var body: [UInt8]
        var status: Int
        var field: String?
    }

    private static let event = #"{"name":"nonsense"}"#
    private static let gzip: (name: String, value: String) = ("content-encoding", "gzip")

    private static func lines(_ count: Int) -> [UInt8] {
        Array(String(repeating: event + "\n", count: count).utf8)
    }

    static let all: [Nonsense] = [
        Nonsense(testDescription: "malformed JSON", body: Array(#"{"events":[{"name":"nonsense"},"#.utf8), status: 400),
        Nonsense(
            testDescription: "an unsupported encoding",
            headers: [("content-encoding", "br")],
            body: lines(1),
            status: 415,
            field: "content-encoding"
        ),
        Nonsense(
            testDescription: "a truncated gzip body",
            headers: [gzip],
            body: GzipCompressor().compress(lines(50)).dropLast(12),
            status: 400,
            field: "content-encoding"
        ),
        Nonsense(
            testDescription: "a gzip bomb",
            headers: [gzip],
            body: GzipCompressor().compress([UInt8](repeating: 0x20, count: 64 << 20) + lines(1)),
            status: 413,
            field: "content-encoding"
        ),
        Nonsense(testDescription: "a bad key", key: "unknown", body: lines(1), status: 401, field: "authorization"),
        Nonsense(testDescription: "an unknown path", path: "/v1/nothing", body: lines(1), status: 404),
        Nonsense(testDescription: "an oversized body", body: lines(100_000), status: 413),
        Nonsense(testDescription: "too many events", body: lines(5_000), status: 413),
        Nonsense(
            testDescription: "too deeply nested values",
            body: Array(
                (#"{"name":"nonsense","attributes":{"a":"# + String(repeating: "[", count: 400)
                    + String(repeating: "]", count: 400) + "}}\n").utf8
            ),
            status: 400,
            field: "attributes"
        ),
        Nonsense(
            testDescription: "invalid UTF-8",
            body: Array(#"{"name":"nonsense","attributes":{"a":""#.utf8) + [0xff, 0xfe] + Array(#""}}"#.utf8),
            status: 400,
            field: "attributes"
        ),
        Nonsense(
            testDescription: "an invalid batch header",
            body: Array(#"{"batch":{"first":"x"}}"#.utf8) + [0x0a] + lines(3),
            status: 400,
            field: "batch"
        ),
        Nonsense(
            testDescription: "a wrong content type",
            headers: [("content-type", "text/html")],
            body: lines(1),
            status: 415,
            field: "content-type"
        ),
    ]

    @Test
    func `each malformed request gets its status, code, field and message, and stores no row`() throws {
        let collector = try Collector()
        for nonsense in Self.all {
            let response = try collector.send(
                HTTPMessage(
                    startLine: "POST \(nonsense.path) HTTP/1.1",
                    headers: nonsense.headers + [("authorization", "Bearer \(nonsense.key)")],
                    body: nonsense.body
                )
            )
            let name = Comment(rawValue: "\(nonsense.testDescription): \(response.status) \(response.text.prefix(300))")
            #expect(response.status == nonsense.status, name)
            #expect(response[header: "content-type"]?.hasPrefix("application/json") == true, name)
            let error = try JSONValue.parse(response.body)["error"]
            #expect(error?["code"]?.string?.isEmpty == false, name)
            #expect(error?["message"]?.string?.hasSuffix(".") == true, name)
            #expect(error?["field"]?.string == nonsense.field, name)
        }
        try collector.waitForIndex()
        #expect(try collector.rows("name=nonsense").isEmpty)
        // The collector still accepts valid events.
        #expect(try collector.post(Array(Self.event.utf8)).status == 200)
    }

    @Test
    func `an incomplete body gets 408 and stores no row`() throws {
        let collector = try Collector()
        let socket = try Socket(port: collector.port)
        let head = """
            POST /v1/events HTTP/1.1\r
            host: 127.0.0.1\r
            authorization: Bearer \(Collector.key)\r
            content-type: application/x-ndjson\r
            content-length: 1000\r
            \r

            """
        socket.send(Array(head.utf8) + Self.lines(3))
        // Other requests are served in the meantime.
        #expect(try collector.post(Array(#"{"name":"quick"}"#.utf8)).status == 200)
        let response = try #require(socket.receive())
        #expect(response.status == 408)
        #expect(try JSONValue.parse(response.body)["error"]?["code"]?.string?.isEmpty == false, "\(response.text)")
        try collector.waitForIndex()
        #expect(try collector.rows("name=nonsense").isEmpty)
    }

    @Test
    func `one malformed line is rejected by its index, and the other lines are stored`() throws {
        let collector = try Collector()
        let body = Self.lines(2) + Array(#"{"name":"nonse"#.utf8) + [0x0a] + Self.lines(2)
        let response = try collector.post(body)
        #expect(response.status == 200)
        let document = try JSONValue.parse(response.body)
        #expect(document["accepted"]?.integer == 4)
        #expect(document["rejected"]?.array?.compactMap { $0["i"]?.integer } == [2])
        try collector.waitForIndex()
        #expect(try collector.rows("name=nonsense").count == 4)
        #expect(try collector.get("/v1/failed")["failed"]?.array?.count == 1)
    }
}
