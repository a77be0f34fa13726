// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import ArgumentParser
internal import Collector
internal import CollectorClickHouse
internal import Testing
internal import TrackwayEvents

@testable internal import TrackwayCommand
@testable internal import trackway_cluster

@Suite("What is told of records that are removed from a stream")
struct EnginePurgeTests {
    private static let now = Timestamp(milliseconds: 1_000_000_000)
    private static let options = ["--engine", "nats://a", "--to", "http://c:8123/trackway"]

    private static func reader(_ name: String, _ next: UInt64, ago seconds: Int64) -> ReaderPlace {
        ReaderPlace(name: name, next: next, heard: now.advanced(by: .seconds(-seconds)))
    }

    private static func report(_ hold: StreamPurge.Hold) -> PurgeReport {
        var report = PurgeReport()
        report.hold = hold
        report.extent = StreamExtent(first: 1_001, last: 5_000)
        report.before = 1_001
        report.removed = 1_000
        report.readers = [reader("web2:/data", 1_001, ago: 300_000), reader("web1:/data", 5_001, ago: 0)]
        return report
    }

    @Test("a time is a number of hours, days or weeks; anything else is told with the option and what it takes")
    func times() throws {
        let good: [(String, Int64)] = [("1h", 3_600), ("36h", 129_600), ("7d", 604_800), ("4w", 2_419_200)]
        for (text, seconds) in good {
            #expect(try KeptTime(text, option: "--keep").duration == .seconds(seconds))
        }
        for text in ["", "h", "7", "0d", "-1d", "30m", "7 d", "99999999999999999999d", "200000w", "1.5h"] {
            #expect(throws: (any Error).self, "\(text)") { try KeptTime(text, option: "--keep") }
            for (words, option) in [
                (["engine", "purge", "--older-than"], "--older-than"), (["forward", "--keep"], "--keep"),
            ] {
                let error = #expect(throws: (any Error).self) {
                    try TrackwayCluster.parseAsRoot(words + ["\(text)"] + Self.options)
                }
                let message = error.map { TrackwayCluster.message(for: $0) } ?? ""
                let isTold = message.contains("“\(text)” is no time") && message.contains(option)
                // The parser takes what begins with a dash for an option.
                #expect(isTold || text.hasPrefix("-"), "\(message)")
            }
        }
    }

    @Test("options that do not go together are told, and a purge needs an age, an engine and a server")
    func options() {
        for (words, said) in [
            (["forward", "--no-index"] + Self.options, "--keep 7d"),
            (["forward", "--keep", "7d", "--until-caught-up"] + Self.options, "trackway-cluster engine purge"),
            (["engine", "purge"] + Self.options, "--older-than"),
            (["engine", "purge", "--older-than", "7d", "--to", "http://c:8123/trackway"], "--engine"),
            (["engine", "purge", "--older-than", "7d", "--engine", "nats://a"], "--to"),
        ] {
            let error = #expect(throws: (any Error).self) { try TrackwayCluster.parseAsRoot(words) }
            #expect(error.map { TrackwayCluster.message(for: $0) }?.contains(said) == true, "\(words)")
        }
    }

    @Test("a silent collector is named with how it is forgotten, and one that reads on is waited for")
    func reader() {
        let silent = Self.reader("web2:/data", 1_001, ago: 300_000)
        #expect(
            PurgeText.lines(Self.report(.reader(silent)), at: Self.now, style: Style(isColoured: false)) == [
                "1,000 records were removed, everything before record 1,001.",
                "The stream has the records 1,001 to 5,000.",
                "collector   read to record  heard of",
                "web2:/data           1,000  3 d 11 h ago",
                "web1:/data           5,000  now",
                "The collector web2:/data has read to record 1,000 and was not heard of for 3 d 11 h: what follows is kept for it. "
                    + "Start it, or, when it is gone for good, add --forget web2:/data.",
            ]
        )
        let slow = Self.reader("web2:/data", 1_001, ago: 9)
        #expect(
            PurgeText.reasons(Self.report(.reader(slow)), at: Self.now) == [
                "The collector web2:/data has read to record 1,000, and what follows is kept for it."
            ]
        )
        #expect(Self.report(.reader(slow)).isGood(at: Self.now) && !Self.report(.reader(silent)).isGood(at: Self.now))
    }

    @Test("what else keeps records is a sentence with what helps, and the same as a value")
    func holds() {
        let decision = BlockDecision(block: 3, first: 7, last: 9, version: 1)
        let finding = BlockFinding(decision: decision, missing: [.events: 2], isMended: false)
        for (hold, said, name) in [
            (.unheard, "--no-index", "no_collectors"), (.erasing(2), "trackway-cluster engine audit", "erasures"),
            (.incomplete([finding]), "Block 3 (records 7 to 9) lacked 2 of events.", "tables"),
        ] as [(StreamPurge.Hold, String, String)] {
            let report = Self.report(hold)
            #expect(PurgeText.reasons(report, at: Self.now).joined(separator: " ").contains(said))
            #expect(PurgeText.json(report)["held_by"]?.string == name && !report.isGood(at: Self.now))
        }
        let json = PurgeText.json(Self.report(.young))
        #expect(json["removed"]?.integer == 1_000 && json["before"]?.integer == 1_001)
        #expect(json["first"]?.integer == 1_001)
        #expect(json["collectors"]?.array?.count == 2 && PurgeText.reasons(Self.report(.young), at: Self.now).isEmpty)
        let purged = BlockFinding(decision: decision, missing: [.events: 2], isMended: false, isPurged: true)
        #expect(AuditText.lines([purged])[0].contains("cannot be written again, because its records were purged"))
    }

    @Test("only a collector that was not heard of for two minutes is forgotten")
    func forget() {
        let known = [Self.reader("web1:/data", 5, ago: 8), Self.reader("web2:/data", 5, ago: 121)]
        #expect(EnginePurgeCommand.fault(in: "web2:/data", of: known, at: Self.now) == nil)
        let running = EnginePurgeCommand.fault(in: "web1:/data", of: known, at: Self.now)?.description
        #expect(running?.contains("8.0 s ago") == true && running?.contains("End it first") == true)
        let stranger = EnginePurgeCommand.fault(in: "web3", of: known, at: Self.now)?.description
        #expect(stranger?.contains("web1:/data, web2:/data") == true)
    }

    @Test(
        "an index that stands before the first record of the stream is told where both are; one that stands there goes on",
        arguments: [(1, 1, false), (1, 0, false), (5, 5, false), (1, 5, true), (4, 5, true)] as [(UInt64, UInt64, Bool)]
    )
    func loss(next: UInt64, first: UInt64, isLost: Bool) {
        let words = ClusterStorage.loss(next: next, first: first, "INTAKE_0", "/data/index.sqlite")
        #expect((words != nil) == isLost)
        if let words {
            #expect(words.contains("begins with record \(first)") && words.contains("/data/index.sqlite"))
            #expect(words.contains(next == 1 ? "has none of them" : "has those up to \(next - 1)"))
        }
    }
}
