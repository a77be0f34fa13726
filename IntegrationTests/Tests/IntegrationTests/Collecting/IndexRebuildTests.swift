// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// A collector whose index is rebuilt from its log and which is stopped and killed during the rebuild.
///
/// With fewer events, the rebuild would finish before the collector could be stopped. IndexFreshnessTests covers the
/// same in every test run.
@Suite(
    "Index rebuild",
    .serialized,
    .enabled(if: Settings.isFullRun, "needs TRACKWAY_FULL=1, which make test-all sets")
)
struct IndexRebuildTests {
    private static let events = 1_000_000
    private static let restarts = 10

    /// A request path, and whether a response to it is complete.
    private typealias Query = (path: String, isWhole: @Sendable (JSONValue) -> Bool)

    /// Expectations are not included because they read at most 100,000 events.
    private static let queries: [Query] = [
        ("/v1/stats", { $0["events"]?.integer == Int64(events) }),
        ("/v1/trends?name=tick&last=30d&interval=day", { total($0) == Int64(events - 1) }),
        ("/v1/trends?last=30d", { total($0) == Int64(events) }),
        ("/v1/events?limit=1", { $0["events"]?.array?.first?["event"]?["attributes"]?["n"]?.integer == Int64(events) }),
        ("/v1/ledger", { $0["writers"]?.array?.first?["received"]?.integer == Int64(events) }),
        ("/v1/ledger/summary", { $0["received"]?.integer == Int64(events) }),
        ("/v1/catalogue", { $0["events"]?.array?.first?["events"]?.integer == Int64(events - 1) }),
        ("/v1/wait?count=\(events)&timeout=0", { $0["done"]?.boolean == true }),
        (
            "/v1/rate?minutes=10080",
            { ($0["minutes"]?.array ?? []).reduce(0) { $0 + ($1.array?[1].integer ?? 0) } == Int64(events) }
        ),
        ("/v1/users", { ($0["users"]?.array?.count ?? 0) > 0 }),
    ]

    private static func total(_ trend: JSONValue) -> Int64? {
        trend["series"]?.array?.first?["total"]?.integer
    }

    /// The responses of a collector during the rebuild.
    private struct ResponseCounts {
        var refused = 0
        var marked = 0
        var completeCount = 0
        var wrong: [String] = []
    }

    private static func query(_ collector: Collector, _ counts: inout ResponseCounts) {
        for (path, isWhole) in queries {
            guard let response = collector.send("GET \(path)", [], []) else { continue }
            let value = try? JSONValue.parse(Array(response.text.utf8), limits: JSONLimits(bytes: 64 << 20))
            if response.status == 503, value?["error"]?["code"]?.string == "index_behind" {
                counts.refused += 1
            } else if response.status == 200, let value, isWhole(value) {
                counts.completeCount += 1
            } else if response.status == 200, let value, isMarked(value, path) {
                counts.marked += 1
            } else {
                counts.wrong.append("\(path): \(response.status) \(response.text.prefix(300))")
            }
        }
    }

    /// Returns whether a response states that it is incomplete.
    private static func isMarked(_ value: JSONValue, _ path: String) -> Bool {
        if path.hasPrefix("/v1/wait") { return value["done"]?.boolean == false }
        return value["partial"]?.string != nil || (path == "/v1/stats" && value["trouble"]?.string != nil)
    }

    private static func fill(_ collector: Collector) throws -> InstallationID {
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let id = InstallationID.generate(at: Timestamp(milliseconds: now))
        let padding = String(repeating: "x", count: 100)
        for first in stride(from: 1, through: events, by: 1_000) {
            let last = min(first + 999, events)
            var lines = [#"{"batch":{"installation":"\#(id)","writer":"\#(id)","first":\#(first),"last":\#(last)}}"#]
            for number in first...last {
                // The last event has a different name, so that only a complete index finds it.
                let name = number == events ? "last" : "tick"
                lines.append(
                    #"{"name":"\#(name)","time":\#(now),"attributes":{"n":\#(number),"padding":"\#(padding)"}}"#
                )
            }
            let response = try collector.post(Array(lines.joined(separator: "\n").utf8))
            guard response.status == 200 else {
                throw TestSupportError("\(response.status): \(response.text.prefix(300))")
            }
        }
        return id
    }

    private static func removeIndex(of collector: Collector) {
        for suffix in ["", "-wal", "-shm"] {
            // The file may not exist.
            try? FileManager.default.removeItem(atPath: collector.data + "/index.sqlite" + suffix)
        }
    }

    /// Returns the position of the index, and whether it is complete.
    private static func indexPosition(_ collector: Collector) throws -> (indexed: String, isReady: Bool) {
        let stats = try JSONValue.parse(
            try collector.send(HTTPMessage(startLine: "GET /v1/stats HTTP/1.1")).body
        )
        let ready = try collector.send(HTTPMessage(startLine: "GET /readyz HTTP/1.1")).status == 200
        return (stats["indexed"]?.string ?? "", ready)
    }

    /// Waits until the index is complete, regardless of the number of events.
    private static func waitUntilReady(_ collector: Collector) throws {
        let deadline = Date(timeIntervalSinceNow: 3_600)
        while try !indexPosition(collector).isReady {
            guard Date() < deadline else {
                throw TimeoutError("the index is not ready:\n\(collector.program?.tail ?? "")")
            }
            collector.sleepBriefly()
        }
    }

    @Test
    func `a collector stopped or killed ten times during a rebuild never passes off a partial response as complete`()
        throws
    {
        let collector = try Collector()
        let installation = try Self.fill(collector)
        try collector.stop()
        Self.removeIndex(of: collector)
        var counts = ResponseCounts()
        var (restartsInTheMiddle, isNew) = (0, true)
        for restart in 0..<Self.restarts {
            try collector.start()
            let startPosition = try Self.indexPosition(collector)
            if !isNew, !startPosition.isReady { restartsInTheMiddle += 1 }
            isNew = false
            // Until the index has advanced or is complete.
            let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
            while Date() < deadline {
                Self.query(collector, &counts)
                let (indexed, isReady) = try Self.indexPosition(collector)
                if isReady {
                    // All responses are complete and correct now.
                    let before = counts.completeCount
                    Self.query(collector, &counts)
                    #expect(counts.completeCount - before == Self.queries.count, "\(counts.wrong)")
                    isNew = true
                    break
                }
                if indexed != startPosition.indexed { break }
                collector.sleepBriefly()
            }
            if restart % 2 == 0 { try collector.kill() } else { try collector.stop() }
            if isNew { Self.removeIndex(of: collector) }
        }
        try collector.start()
        // The command also reports this, with the exit code for a temporary failure.
        let command = try Program(try CollectorBinary.path(), ["trends", "tick", "--url", collector.url])
        let text = try command.allLines().joined(separator: "\n")
        let status = try command.status()
        #expect(
            status == .exited(0) ? text.contains("999") : status == .exited(75),
            "\(text) \(String(describing: status))"
        )
        try Self.waitUntilReady(collector)
        #expect(try collector.writerLedgers(of: "\(installation)").count == 1)
        Self.query(collector, &counts)
        print(
            "\(Self.events) events, \(Self.restarts) restarts: \(counts.refused) refused, \(counts.marked) marked, "
                + "\(counts.completeCount) whole; \(restartsInTheMiddle) restarts during a rebuild"
        )
        #expect(counts.wrong.isEmpty, "\(counts.wrong.prefix(5))")
        #expect(counts.refused >= Self.restarts && counts.completeCount >= Self.queries.count)
        #expect(restartsInTheMiddle >= 1)
    }
}
