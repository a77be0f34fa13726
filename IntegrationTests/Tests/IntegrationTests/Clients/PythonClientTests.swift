// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// An app that uses the unmodified Python client of Sensors Analytics, pointed at the collector.
@Suite(
    "The Python client of Sensors Analytics",
    .enabled(
        if: PythonClient.unavailableReason == nil,
        "the client is unavailable: \(PythonClient.unavailableReason ?? "")"
    ),
    .serialized
)
struct PythonClientTests {
    /// Returns the URL that clients of this format send their records to.
    static func address(_ server: String) -> String { "\(server)/sa?project=dev&token=\(Collector.key)" }

    @Test(arguments: ["default", "batch", "async", "debug"])
    func `every call through every consumer is stored once`(_ consumer: String) throws {
        let collector = try Collector()
        let client = try PythonClient.installed.get()
        let sent = try client.makeEveryCall(through: consumer, to: Self.address(collector.url), prefix: consumer)
        #expect(sent.count == 22)
        try Self.expectStored(sent, in: collector)
    }

    @Test(arguments: ["default", "batch", "async", "debug"])
    func `server errors, closed connections and lost responses neither lose nor duplicate records`(_ consumer: String)
        throws
    {
        let collector = try Collector()
        let flaky = try FlakyServer(before: collector.port) { request in
            switch request.number % 5 {
            case 1: .respond(503, body: "busy")
            case 2: .loseResponse
            case 3: .hangUp
            case 4: .respond(500, type: "text/html", body: "<html>broken</html>")
            default: .forward
            }
        }
        let client = try PythonClient.installed.get()
        let sent = try client.makeEveryCall(through: consumer, to: Self.address(flaky.url), prefix: consumer)
        #expect(sent.count == 22)
        #expect(flaky.received.count > 4)
        try Self.expectStored(sent, in: collector)
    }

    @Test
    func `a collector that is killed and restarted has all accepted records`() throws {
        let collector = try Collector()
        let client = try PythonClient.installed.get()
        let first = try client.makeEveryCall(through: "batch", to: Self.address(collector.url), prefix: "first")
        try collector.kill()
        try collector.start()
        try collector.waitUntilReady()
        let second = try client.makeEveryCall(through: "default", to: Self.address(collector.url), prefix: "second")
        try Self.expectStored(first + second, in: collector)
    }

    @Test
    func `a dry run in debug mode validates all records and stores none`() throws {
        let collector = try Collector()
        let client = try PythonClient.installed.get()
        let sent = try client.makeEveryCall(through: "dry", to: Self.address(collector.url), prefix: "dry")
        #expect(sent.count == 22)
        try Self.expectStored([], in: collector)
    }

    /// Expects exactly one row for each sent record, and no others.
    static func expectStored(
        _ sent: [(mark: String, type: String)],
        in collector: Collector,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try collector.waitForIndex()
        let rows = try collector.documents().filter { $0["event"]?["name"]?.string != "marker" }
        let texts = rows.map { String(decoding: $0.json(), as: UTF8.self) }
        #expect(rows.count == sent.count, sourceLocation: sourceLocation)
        for (mark, type) in sent {
            // Some marks are prefixes of others (set, set-once), so the closing quotation mark is included.
            let found = texts.filter { $0.contains("\"\(mark)\"") }
            #expect(found.count == 1, "\(type) \(mark)", sourceLocation: sourceLocation)
        }
    }
}
