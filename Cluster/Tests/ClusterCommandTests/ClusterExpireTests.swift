// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import Testing
internal import TrackwayCore

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("Expiry options and reports")
struct ClusterExpireTests {
    private static let server = ["--clickhouse", "http://c:8123/trackway"]

    private static func report(isDryRun: Bool = false) -> ExpiryReport {
        var report = ExpiryReport()
        report.expired = [
            StoredWeek(number: 2_810, rows: 1_204_331, bytes: 3 << 29), StoredWeek(number: 2_811, rows: 9, bytes: 512),
        ]
        report.retainedSince = ExpiryPlanner.start(ofWeek: 2_812)
        report.isDryRun = isDryRun
        return report
    }

    @Test
    func `a retention time is at least two weeks; errors for other values name the option and its valid values`() throws
    {
        for (text, days) in [("2w", 14), ("14d", 14), ("336h", 14), ("26w", 182), ("400d", 400)] as [(String, Int64)] {
            #expect(try RetentionTime(ofEvents: text, option: "--table-retention").duration == .seconds(days * 86_400))
        }
        for text in ["", "w", "3", "0w", "2m", "26 w", "1.5w", "junk", "200000w", "3d", "1w", "335h"] {
            for (words, option) in [
                (["cluster", "expire", "--table-retention"], "--table-retention"),
                (["cluster", "forward", "--nats", "nats://a", "--table-retention"], "--table-retention"),
            ] {
                let error = #expect(throws: (any Error).self) {
                    try TrackwayCluster.parseAsRoot(words + [text] + Self.server)
                }
                let message = error.map { TrackwayCluster.message(for: $0) } ?? ""
                #expect(message.contains("“\(text)” is") && message.contains("\(option) takes"), "\(message)")
            }
        }
    }

    @Test
    func `'cluster expire' requires an age and a server; --table-retention requires a continuously running forwarder`()
        throws
    {
        for (words, expected) in [
            (["cluster", "expire"] + Self.server, "--table-retention"),
            (["cluster", "expire", "--table-retention", "4w"], "--clickhouse"),
            (
                ["cluster", "forward", "--nats", "nats://a", "--table-retention", "4w", "--until-caught-up"]
                    + Self.server,
                "trackway-cluster cluster expire"
            ),
        ] {
            let error = #expect(throws: (any Error).self) { try TrackwayCluster.parseAsRoot(words) }
            #expect(error.map { TrackwayCluster.message(for: $0) }?.contains(expected) == true, "\(words)")
        }
        _ = try TrackwayCluster.parseAsRoot(
            ["cluster", "expire", "--table-retention", "4w", "--dry-run"] + Self.server
        )
        _ = try TrackwayCluster.parseAsRoot(
            ["cluster", "forward", "--nats", "nats://a", "--table-retention", "4w"] + Self.server
        )
    }

    @Test
    func `weeks are listed by their first day, followed by the total and the start of the kept events`() {
        let table = [
            "week from      events    on disk", "2023-11-09  1,204,331    1.5 GiB",
            "2023-11-16          9  512 bytes",
        ]
        let style = Style(isColored: false)
        #expect(
            ExpiryText.lines(Self.report(), style: style) == table + [
                "2 weeks with 1,204,340 events expired.", "Events that arrived on or after 2023-11-23 are kept.",
            ]
        )
        #expect(
            ExpiryText.lines(Self.report(isDryRun: true), style: style) == table + [
                "2 weeks with 1,204,340 events would expire.",
                "Events that arrived on or after 2023-11-23 would be kept.",
            ]
        )
        #expect(ExpiryText.lines(ExpiryReport(), style: style) == ["No week expired.", "All events are kept."])
        var report = ExpiryReport()
        report.futureWeeks = [StoredWeek(number: 5_000)]
        #expect(ExpiryText.lines(report, style: style).last?.contains("1 week has events in the future") == true)
    }

    @Test
    func `a fault is reported as a sentence with advice, and as JSON`() {
        for (fault, expected, name) in [
            (ExpiryPlanner.Fault.clockDifference(.seconds(-7_200)), "-7200 s", "clocks"),
            (.futureWeek(2_900), "2025-07-31", "record"),
        ] {
            var report = ExpiryReport()
            report.fault = fault
            #expect(ExpiryText.lines(report, style: Style(isColored: false)).last?.contains(expected) == true)
            #expect(ExpiryText.json(report)["fault"] == .string(name) && !report.isSuccess)
            #expect(ExpiryText.json(report)["trouble"]?.string?.contains("NTP") == true)
        }
        let json = ExpiryText.json(Self.report(isDryRun: true))
        #expect(json["dry_run"] == .boolean(true) && json["trouble"] == .null && json["fault"] == .null)
        #expect(json["kept_from"] == .integer(1_700_697_600_000))
        #expect(json["expired"]?.array?.first?["from"] == .integer(1_699_488_000_000))
        #expect(json["expired"]?.array?.first?["events"]?.integer == 1_204_331)
    }
}
