// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import CollectorClickHouse
internal import Testing
internal import TrackwayEvents

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("Expiry options and reports")
struct EngineExpireTests {
    private static let server = ["--to", "http://c:8123/trackway"]

    private static func report(isTrial: Bool = false) -> ExpiryReport {
        var report = ExpiryReport()
        report.expired = [
            StoredWeek(number: 2_810, rows: 1_204_331, bytes: 3 << 29), StoredWeek(number: 2_811, rows: 9, bytes: 512),
        ]
        report.keptFrom = ExpiryPlanner.beginning(of: 2_812)
        report.isTrial = isTrial
        return report
    }

    @Test("a retention time is at least two weeks; errors for other values name the option and its valid values")
    func times() throws {
        for (text, days) in [("2w", 14), ("14d", 14), ("336h", 14), ("26w", 182), ("400d", 400)] as [(String, Int64)] {
            #expect(try RetentionTime(ofEvents: text, option: "--retention").duration == .seconds(days * 86_400))
        }
        for text in ["", "w", "3", "0w", "2m", "26 w", "1.5w", "junk", "200000w", "3d", "1w", "335h"] {
            for (words, option) in [
                (["engine", "expire", "--older-than"], "--older-than"),
                (["forward", "--engine", "nats://a", "--retention"], "--retention"),
            ] {
                let error = #expect(throws: (any Error).self) {
                    try TrackwayCluster.parseAsRoot(words + [text] + Self.server)
                }
                let message = error.map { TrackwayCluster.message(for: $0) } ?? ""
                #expect(message.contains("“\(text)” is") && message.contains("\(option) takes"), "\(message)")
            }
        }
    }

    @Test("engine expire requires an age and a server; --retention requires a continuously running forwarder")
    func options() throws {
        for (words, said) in [
            (["engine", "expire"] + Self.server, "--older-than"),
            (["engine", "expire", "--older-than", "4w"], "--to"),
            (
                ["forward", "--engine", "nats://a", "--retention", "4w", "--until-caught-up"] + Self.server,
                "trackway-cluster engine expire"
            ),
        ] {
            let error = #expect(throws: (any Error).self) { try TrackwayCluster.parseAsRoot(words) }
            #expect(error.map { TrackwayCluster.message(for: $0) }?.contains(said) == true, "\(words)")
        }
        _ = try TrackwayCluster.parseAsRoot(["engine", "expire", "--older-than", "4w", "--dry-run"] + Self.server)
        _ = try TrackwayCluster.parseAsRoot(["forward", "--engine", "nats://a", "--retention", "4w"] + Self.server)
    }

    @Test("weeks are listed by their first day, followed by what expired and what is kept")
    func lines() {
        let table = [
            "week from      events    on disk", "2023-11-09  1,204,331    1.5 GiB",
            "2023-11-16          9  512 bytes",
        ]
        let style = Style(isColoured: false)
        #expect(
            ExpiryText.lines(Self.report(), style: style) == table + [
                "2 weeks with 1,204,340 events expired.", "Events that arrived on or after 2023-11-23 are kept.",
            ]
        )
        #expect(
            ExpiryText.lines(Self.report(isTrial: true), style: style) == table + [
                "2 weeks with 1,204,340 events would expire.",
                "Events that arrived on or after 2023-11-23 would be kept.",
            ]
        )
        #expect(ExpiryText.lines(ExpiryReport(), style: style) == ["No week expired.", "All events are kept."])
        var report = ExpiryReport()
        report.ahead = [StoredWeek(number: 5_000)]
        #expect(ExpiryText.lines(report, style: style).last?.contains("1 week has events in the future") == true)
    }

    @Test("a fault is reported as a sentence with advice, and as JSON")
    func faults() {
        for (fault, said, name) in [
            (ExpiryPlanner.Fault.clocks(.seconds(-7_200)), "-7200 s", "clocks"),
            (.early(2_900), "2025-07-31", "record"),
        ] {
            var report = ExpiryReport()
            report.fault = fault
            #expect(ExpiryText.lines(report, style: Style(isColoured: false)).last?.contains(said) == true)
            #expect(ExpiryText.json(report)["fault"] == .string(name) && !report.isGood)
            #expect(ExpiryText.json(report)["trouble"]?.string?.contains("NTP") == true)
        }
        let json = ExpiryText.json(Self.report(isTrial: true))
        #expect(json["dry_run"] == .boolean(true) && json["trouble"] == .null && json["fault"] == .null)
        #expect(json["kept_from"] == .integer(1_700_697_600_000))
        #expect(json["expired"]?.array?.first?["from"] == .integer(1_699_488_000_000))
        #expect(json["expired"]?.array?.first?["events"]?.integer == 1_204_331)
    }
}
