// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing

/// Services and timers can start apps without standard streams.
///
/// The next opened file then gets the number of a closed stream and receives what the app prints.
@Suite("Apps without standard streams")
struct StandardStreamTests {
    /// The combinations of closed streams.
    private static let closed = [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]

    @Test(arguments: closed)
    func `no SDK file or socket gets the number of a closed stream, and every event arrives`(_ closed: [Int]) throws {
        let collector = try Collector()
        let folder = try TemporaryFolder()
        let report = folder.path("report")
        let redirections = closed.map { "\($0)>&-" }.joined(separator: " ")
        let recorder = try RecorderProcess(
            data: folder.path("data"),
            to: collector.url,
            [
                "--threads", "2", "--count", "300", "--bytes", "100", "400", "--interval", "20", "--batch", "20",
                "--crashes", "--run", "closed", "--report", report, "--finish", "60",
            ],
            wrapper: ["sh", "-c", "exec \"$@\" \(redirections)", "sh"]
        )
        #expect(try recorder.program.status() == .exited(0), "\(recorder.program.tail)")
        let lines = try String(contentsOfFile: report, encoding: .utf8).split(separator: "\n").map(String.init)
        let installation = try #require(lines.first { $0.hasPrefix("ready ") }?.dropFirst(6))
        let ledger = try #require(lines.last { $0.hasPrefix("ledger ") }?.dropFirst(7))
        #expect(lines.contains("done"))

        // The SDK first opens /dev/null for closed streams, so that no file gets their numbers.
        let found = lines.filter { $0.hasPrefix("below ") && !$0.hasSuffix(" /dev/null") }
        #expect(found.isEmpty, "\(found)")

        let comparison = try LedgerComparison(
            collector,
            installation: String(installation),
            ledger: try RecorderLedger(String(ledger), of: "collector")
        )
        comparison.expectComplete()
        var timeline = ProcessTimeline()
        try timeline.add(lines, run: "closed")
        #expect(timeline.survivingEvents.count == 600)
        #expect(Arrivals(comparison.rows).missing(of: timeline.survivingEvents).isEmpty)
    }
}
