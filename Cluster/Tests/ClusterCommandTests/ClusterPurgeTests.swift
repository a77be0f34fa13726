// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import CollectorCore
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("Purge options and reports")
struct ClusterPurgeTests {
    private static let now = Timestamp(milliseconds: 1_000_000_000)
    private static let options = ["--nats", "nats://a", "--clickhouse", "http://c:8123/trackway"]

    private static func reader(_ name: String, _ next: UInt64, ago seconds: Int64) -> ReaderPosition {
        ReaderPosition(name: name, next: next, lastReport: now.advanced(by: .seconds(-seconds)))
    }

    private static func report(_ stopReason: PurgePlanner.StopReason) -> PurgeReport {
        var report = PurgeReport()
        report.stopReason = stopReason
        report.extent = StreamExtent(first: 1_001, last: 5_000)
        report.before = 1_001
        report.removed = 1_000
        report.readers = [reader("web2:/data", 1_001, ago: 300_000), reader("web1:/data", 5_001, ago: 0)]
        return report
    }

    @Test
    func `a time is a number of hours, days or weeks; errors for other values name the option and its valid values`()
        throws
    {
        let good: [(String, Int64)] = [("1h", 3_600), ("36h", 129_600), ("7d", 604_800), ("4w", 2_419_200)]
        for (text, seconds) in good {
            #expect(try RetentionTime(text, option: "--stream-retention").duration == .seconds(seconds))
        }
        for text in ["", "h", "7", "0d", "-1d", "30m", "7 d", "99999999999999999999d", "200000w", "1.5h"] {
            #expect(throws: (any Error).self, "\(text)") { try RetentionTime(text, option: "--stream-retention") }
            for (words, option) in [
                (["cluster", "purge", "--stream-retention"], "--stream-retention"),
                (["cluster", "forward", "--stream-retention"], "--stream-retention"),
            ] {
                let error = #expect(throws: (any Error).self) {
                    try TrackwayCluster.parseAsRoot(words + ["\(text)"] + Self.options)
                }
                let message = error.map { TrackwayCluster.message(for: $0) } ?? ""
                let isReported = message.contains("“\(text)” is not a valid time") && message.contains(option)
                // The parser treats a value that starts with a dash as an option.
                #expect(isReported || text.hasPrefix("-"), "\(message)")
            }
        }
    }

    @Test
    func `conflicting options are rejected, and a purge requires an age, a NATS cluster and a ClickHouse server`() {
        for (words, expected) in [
            (["cluster", "forward", "--no-index"] + Self.options, "--stream-retention 7d"),
            (
                ["cluster", "forward", "--stream-retention", "7d", "--until-caught-up"] + Self.options,
                "trackway-cluster cluster purge"
            ),
            (["cluster", "purge"] + Self.options, "--stream-retention"),
            (["cluster", "purge", "--stream-retention", "7d", "--clickhouse", "http://c:8123/trackway"], "--nats"),
            (["cluster", "purge", "--stream-retention", "7d", "--nats", "nats://a"], "--clickhouse"),
        ] {
            let error = #expect(throws: (any Error).self) { try TrackwayCluster.parseAsRoot(words) }
            #expect(error.map { TrackwayCluster.message(for: $0) }?.contains(expected) == true, "\(words)")
        }
    }

    @Test
    func `a silent collector is reported with the option to forget it, and a purge waits for an active one`() {
        let silent = Self.reader("web2:/data", 1_001, ago: 300_000)
        #expect(
            PurgeText.lines(Self.report(.reader(silent)), at: Self.now, style: Style(isColored: false)) == [
                "1,000 records were removed: everything before record 1,001.",
                "The stream contains records 1,001 to 5,000.",
                "collector   read up to  last report",
                "web2:/data       1,000  3 d 11 h ago",
                "web1:/data       5,000  now",
                "The collector web2:/data has read up to record 1,000 and has not reported for 3 d 11 h; later records "
                    + "are kept for it. Start it, or, if it has been decommissioned, add --forget web2:/data.",
            ]
        )
        let slow = Self.reader("web2:/data", 1_001, ago: 9)
        #expect(
            PurgeText.reasons(Self.report(.reader(slow)), at: Self.now) == [
                "The collector web2:/data has read up to record 1,000; later records are kept for it."
            ]
        )
        #expect(
            Self.report(.reader(slow)).isSuccess(at: Self.now) && !Self.report(.reader(silent)).isSuccess(at: Self.now)
        )
    }

    @Test
    func `other reasons for keeping records are reported as a sentence with advice, and as JSON`() {
        let decision = BlockDecision(block: 3, first: 7, last: 9, version: 1)
        let finding = BlockFinding(decision: decision, missing: [.events: 2], isRepaired: false)
        for (stopReason, expected, name) in [
            (.noReaders, "--no-index", "no_collectors"),
            (.pendingErasures(2), "trackway-cluster cluster audit", "erasures"),
            (.incomplete([finding]), "Block 3 (records 7 to 9) lacked rows: 2 in events.", "tables"),
        ] as [(PurgePlanner.StopReason, String, String)] {
            let report = Self.report(stopReason)
            #expect(PurgeText.reasons(report, at: Self.now).joined(separator: " ").contains(expected))
            #expect(PurgeText.json(report)["held_by"]?.string == name && !report.isSuccess(at: Self.now))
        }
        let json = PurgeText.json(Self.report(.tooRecent))
        #expect(json["removed"]?.integer == 1_000 && json["before"]?.integer == 1_001)
        #expect(json["first"]?.integer == 1_001)
        #expect(
            json["collectors"]?.array?.count == 2 && PurgeText.reasons(Self.report(.tooRecent), at: Self.now).isEmpty
        )
        let purged = BlockFinding(decision: decision, missing: [.events: 2], isRepaired: false, isPurged: true)
        #expect(AuditText.lines([purged])[0].contains("cannot be rewritten because its records were purged"))
    }

    @Test
    func `only a collector that has been silent for two minutes can be forgotten`() {
        let readers = [Self.reader("web1:/data", 5, ago: 8), Self.reader("web2:/data", 5, ago: 121)]
        #expect(ClusterPurgeCommand.forgetError("web2:/data", readers: readers, at: Self.now) == nil)
        let running = ClusterPurgeCommand.forgetError("web1:/data", readers: readers, at: Self.now)?.description
        #expect(running?.contains("8.0 s ago") == true && running?.contains("Stop the collector first") == true)
        let unknown = ClusterPurgeCommand.forgetError("web3", readers: readers, at: Self.now)?.description
        #expect(unknown?.contains("web1:/data, web2:/data") == true)
    }

    @Test(
        arguments: [(1, 1, false), (1, 0, false), (5, 5, false), (1, 5, true), (4, 5, true)] as [(UInt64, UInt64, Bool)]
    )
    func `an index behind the stream's first record causes an error with both positions; one at that record continues`(
        next: UInt64,
        first: UInt64,
        isLost: Bool
    ) {
        let message = ClusterStorage.lostRecordsMessage(next: next, first: first, "INTAKE_0", "/data/index.sqlite")
        #expect((message != nil) == isLost)
        if let message {
            #expect(message.contains("starts with record \(first)") && message.contains("/data/index.sqlite"))
            #expect(message.contains(next == 1 ? "has none of them" : "ends with record \(next - 1)"))
        }
    }
}
