// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

/// A collector that is killed while old events expire.
@Suite("Kills during retention", .serialized)
struct RetentionKillTests {
    private static let eventsPerStart = 600
    /// The number of kills: 200 in a full run.
    private static let kills = Settings.isFullRun ? 200 : 30
    /// The time by which the clock moves between two starts.
    private static let step = Duration.seconds(6 * 3_600)

    /// Sends the events of one start; each has a sequence number and a text of its own.
    private static func send(_ start: Int, to collector: Collector, _ installation: InstallationID) throws {
        for first in stride(from: 0, to: eventsPerStart, by: 100) {
            let range = start * eventsPerStart + first + 1...start * eventsPerStart + first + 100
            var lines = [
                #"{"batch":{"installation":"\#(installation)","writer":"\#(installation)","first":\#(range.lowerBound),"last":\#(range.upperBound),"recorded":\#(range.upperBound)}}"#,
                #"{"context":{"user":{"id":"person-\#(start % 5)"},"session":{"id":"session-\#(start)","number":\#(start)}}}"#,
            ]
            for number in range {
                lines.append(
                    #"{"id":"\#(EventID(high: 0x018B_CFE5_6800_7000, low: 0x8000_0000_0000_0000 | UInt64(number)))","name":"view","time":1700000000000,"attributes":{"start":\#(start)}}"#
                )
            }
            let response = try collector.post(Array(lines.joined(separator: "\n").utf8))
            try #require(response.status == 200, "\(response.text.prefix(300))")
        }
    }

    /// Checks that answers match one another, whatever has expired.
    private static func check(_ collector: Collector, _ sent: Int) throws {
        // The totals are available before the index is complete, the ledger is not.
        let summary = try collector.get("/v1/ledger/summary")
        let stats = try collector.get("/v1/stats")
        let events = stats["events"]?.integer ?? -1
        let expired = stats["expired_events"]?.integer ?? 0
        #expect(events + expired == Int64(sent), "\(stats)")
        #expect((expired > 0) == (stats["kept_from"] != nil), "\(stats)")
        #expect(summary["missing"]?.integer == 0, "\(summary)")
        let received = summary["received"]?.integer ?? 0
        #expect(received + (summary["expired"]?.integer ?? 0) == Int64(sent), "\(summary)")
        // Retention runs meanwhile, so only what happens in one answer is compared.
        let trend = try collector.get("/v1/trends?name=view&from=1699999999999&to=1700000000001&interval=day")
        let series = trend["series"]?.array?.first?["total"]?.integer ?? 0
        #expect(series > 0 && series <= events, "\(trend)")
    }

    @Test
    func `killing the collector during retention loses no kept event, and the ledger stays balanced`() throws {
        var random = SeededGenerator(seed: Settings.seed)
        let clock = try ClockShift()
        let wrapper = ["/usr/bin/env"] + clock.environment.map { "\($0.key)=\($0.value)" }
        try clock.set(Self.step * -Self.kills)
        let options = ["--dev-key", Collector.key, "--keep", "1d", "--log-level", "error"]
        let collector = try Collector(wrapper: wrapper, options: options)
        let installation = InstallationID.generate(at: Timestamp(milliseconds: 1_700_000_000_000))
        for start in 0..<Self.kills {
            try Self.send(start, to: collector, installation)
            // Before it indexes, removes rows, saves the retained state, or deletes segments, or between these steps.
            usleep(UInt32.random(in: 0...2_000_000, using: &random))
            try collector.kill()
            if start % 7 == 3 {
                for suffix in ["", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: collector.data + "/index.sqlite" + suffix)
                }
            }
            try clock.set(Self.step * -(Self.kills - start - 1))
            try collector.start(wrapper: wrapper)
            if start % 5 == 0 { try Self.check(collector, (start + 1) * Self.eventsPerStart) }
        }
        // The events of the last three starts arrived less than a day ago, those of the start before it more.
        let sent = Self.kills * Self.eventsPerStart
        let deadline = Date(timeIntervalSinceNow: TimeoutError.timeout)
        try Self.check(collector, sent)
        var events = try collector.get("/v1/stats")["events"]?.integer ?? 0
        while events > 3 * Self.eventsPerStart, Date() < deadline {
            usleep(50_000)
            events = try collector.get("/v1/stats")["events"]?.integer ?? 0
        }
        #expect(events == Int64(3 * Self.eventsPerStart))
        try Self.check(collector, sent)
        let kept = try collector.get("/v1/events?limit=1000&order=desc")
        #expect(kept["events"]?.array?.count == 1_000)
        #expect(kept["kept_from"] != nil)
        // A new index has the same answers.
        let before = try collector.get("/v1/ledger/summary")
        let people = try collector.get("/v1/users")
        try collector.stop()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: collector.data + "/index.sqlite" + suffix)
        }
        try collector.start(wrapper: wrapper)
        #expect(try collector.get("/v1/ledger/summary") == before)
        #expect(try collector.get("/v1/stats")["events"]?.integer == events)
        #expect(try collector.get("/v1/users") == people)
    }
}
