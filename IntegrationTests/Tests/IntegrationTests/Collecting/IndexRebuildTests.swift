// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import Stage
internal import Testing
internal import TrackwayEvents

/// A collector whose index is made again from its log, and which is stopped and killed while that goes on.
/// With fewer events the index is made before anything can be stopped in the middle; every run of the tests has IndexFreshnessTests.
@Suite(
    "An index that is made again",
    .serialized,
    .enabled(if: Settings.isFull, "TRACKWAY_FULL=1, which make test-all sets")
)
struct IndexRebuildTests {
    private static let events = 1_000_000
    private static let moments = 10

    /// What a reader asks, and whether an answer has everything.
    private typealias Question = (path: String, isWhole: @Sendable (JSONValue) -> Bool)

    /// Expectations are not among them: they look at 100,000 events at most.
    private static let questions: [Question] = [
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

    /// What a collector's answers were, while it did not have everything.
    private struct Seen {
        var refused = 0
        var marked = 0
        var whole = 0
        var wrong: [String] = []
    }

    private static func ask(_ collector: Collector, _ seen: inout Seen) {
        for (path, isWhole) in questions {
            guard let answer = collector.tell("GET \(path)", [], []) else { continue }
            let value = try? JSONValue.parse(Array(answer.text.utf8), limits: JSONLimits(bytes: 64 << 20))
            if answer.status == 503, value?["error"]?["code"]?.string == "index_behind" {
                seen.refused += 1
            } else if answer.status == 200, let value, isWhole(value) {
                seen.whole += 1
            } else if answer.status == 200, let value, isMarked(value, path) {
                seen.marked += 1
            } else {
                seen.wrong.append("\(path): \(answer.status) \(answer.text.prefix(300))")
            }
        }
    }

    /// Whether an answer says itself that it does not have everything.
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
                // The last one is another: whoever looks for it finds it only in a whole index.
                let name = number == events ? "last" : "tick"
                lines.append(
                    #"{"name":"\#(name)","time":\#(now),"attributes":{"n":\#(number),"padding":"\#(padding)"}}"#
                )
            }
            let answer = try collector.post(Array(lines.joined(separator: "\n").utf8))
            guard answer.status == 200 else { throw StageError("\(answer.status): \(answer.text.prefix(300))") }
        }
        return id
    }

    private static func removeIndex(of collector: Collector) {
        for suffix in ["", "-wal", "-shm"] {
            // What is not there need not be removed.
            try? FileManager.default.removeItem(atPath: collector.data + "/index.sqlite" + suffix)
        }
    }

    /// How far the index is, and whether it has everything.
    private static func place(_ collector: Collector) throws -> (indexed: String, isReady: Bool) {
        let stats = try JSONValue.parse(
            try collector.ask(HTTPMessage(startLine: "GET /v1/stats HTTP/1.1")).body
        )
        let ready = try collector.ask(HTTPMessage(startLine: "GET /readyz HTTP/1.1")).status == 200
        return (stats["indexed"]?.string ?? "", ready)
    }

    /// Waits until the index has everything, however many events there are.
    private static func waitUntilReady(_ collector: Collector) throws {
        let deadline = Date(timeIntervalSinceNow: 3_600)
        while try !place(collector).isReady {
            guard Date() < deadline else { throw Overdue("the index was not made:\n\(collector.program?.tail ?? "")") }
            collector.moment()
        }
    }

    @Test("stopped and killed at ten moments of it, it never gives an answer that looks complete and is not")
    func moments() throws {
        let collector = try Collector()
        let installation = try Self.fill(collector)
        try collector.stop()
        Self.removeIndex(of: collector)
        var seen = Seen()
        var (restartsInTheMiddle, isNew) = (0, true)
        for moment in 0..<Self.moments {
            try collector.start()
            let began = try Self.place(collector)
            if !isNew, !began.isReady { restartsInTheMiddle += 1 }
            isNew = false
            // Until it is further than it was, or has everything.
            let deadline = Date(timeIntervalSinceNow: Overdue.timeout)
            while Date() < deadline {
                Self.ask(collector, &seen)
                let (indexed, isReady) = try Self.place(collector)
                if isReady {
                    // Everything is answered now, and right.
                    let before = seen.whole
                    Self.ask(collector, &seen)
                    #expect(seen.whole - before == Self.questions.count, "\(seen.wrong)")
                    isNew = true
                    break
                }
                if indexed != began.indexed { break }
                collector.moment()
            }
            if moment % 2 == 0 { try collector.kill() } else { try collector.stop() }
            if isNew { Self.removeIndex(of: collector) }
        }
        try collector.start()
        // The command says so, too, and with a status that means “later”.
        let command = try Program(try CollectorBinary.path(), ["trends", "tick", "--url", collector.url])
        let text = try command.allLines().joined(separator: "\n")
        let status = try command.status()
        #expect(
            status == .exited(0) ? text.contains("999") : status == .exited(75),
            "\(text) \(String(describing: status))"
        )
        try Self.waitUntilReady(collector)
        #expect(try collector.accounts(of: "\(installation)").count == 1)
        Self.ask(collector, &seen)
        print(
            "\(Self.events) events, \(Self.moments) moments: \(seen.refused) refused, \(seen.marked) marked, \(seen.whole) whole; "
                + "\(restartsInTheMiddle) restarts in the middle"
        )
        #expect(seen.wrong.isEmpty, "\(seen.wrong.prefix(5))")
        #expect(seen.refused >= Self.moments && seen.whole >= Self.questions.count)
        #expect(restartsInTheMiddle >= 1)
    }
}
