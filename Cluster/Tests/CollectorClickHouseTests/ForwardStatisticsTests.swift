// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorClickHouse
internal import CollectorCore
internal import Testing
internal import TrackwayCore

@Suite("Forwarder statistics")
struct ForwardStatisticsTests {
    private static func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(milliseconds: Int64(seconds * 1_000)) }

    /// Returns statistics of a started forwarder that has written this number of records.
    private static func started(_ written: UInt64) -> ForwardStatistics {
        var statistics = ForwardStatistics()
        statistics.update(ForwardingRunner.Status(written: written))
        return statistics
    }

    @Test
    func `a forwarder is not ready before it has started, or during a problem, and states the reason`() {
        var statistics = ForwardStatistics()
        #expect(statistics.reason(at: Self.at(0))?.contains("is starting") == true)
        statistics.record(.failed("Waiting for the NATS cluster."))
        #expect(statistics.reason(at: Self.at(1)) == "Waiting for the NATS cluster.")
        statistics.record(.recovered)
        statistics.update(ForwardingRunner.Status())
        #expect(statistics.reason(at: Self.at(2)) == nil && statistics.failures == 1)
    }

    @Test
    func `the lag counts from when the first unwritten record was seen, and ends readiness after a minute`() {
        var statistics = Self.started(10)
        statistics.recordEnd(10, at: Self.at(0))
        #expect(statistics.lag(at: Self.at(100)) == .zero && statistics.missingRecords == 0)
        statistics.recordEnd(12, at: Self.at(100))
        statistics.recordEnd(12, at: Self.at(105))
        statistics.recordEnd(20, at: Self.at(110))
        #expect(statistics.lag(at: Self.at(130)) == .seconds(30) && statistics.missingRecords == 10)
        statistics.update(ForwardingRunner.Status(written: 11))
        #expect(statistics.lag(at: Self.at(130)) == .seconds(30))
        statistics.update(ForwardingRunner.Status(written: 12))
        #expect(statistics.lag(at: Self.at(130)) == .seconds(20) && statistics.missingRecords == 8)
        #expect(statistics.reason(at: Self.at(170)) == nil)
        #expect(
            statistics.reason(at: Self.at(171))
                == "The tables lack 8 records of the stream; the oldest has been missing for 61 s."
        )
        statistics.update(ForwardingRunner.Status(written: 20, isStandingBy: true))
        #expect(statistics.reason(at: Self.at(900)) == nil && statistics.missingRecords == 0)
    }

    @Test(arguments: [100, 1_000, 20_000])
    func `the number of stored times stays small for any length of lag, which is never understated`(seconds: Int) {
        var statistics = Self.started(0)
        for second in 1...seconds { statistics.recordEnd(UInt64(second) * 7, at: Self.at(Double(second))) }
        let now = Self.at(Double(seconds))
        #expect(statistics.lag(at: now) == .seconds(seconds - 1))
        for written in stride(from: 0, to: seconds, by: max(1, seconds / 50)) {
            statistics.update(ForwardingRunner.Status(written: UInt64(written) * 7))
            #expect(statistics.lag(at: now) >= .seconds(seconds - written - 1))
        }
        statistics.update(ForwardingRunner.Status(written: UInt64(seconds) * 7))
        #expect(statistics.lag(at: now) == .zero)
    }

    @Test
    func `a forwarder counts as writing unless it stands by, has written nothing yet, or has a failure`() {
        func isWriting(_ statistics: ForwardStatistics) -> Bool {
            statistics.metrics(at: Self.at(1)).contains("\ntrackway_forward_writing 1\n")
        }
        var statistics = ForwardStatistics()
        #expect(!isWriting(statistics))
        statistics.update(ForwardingRunner.Status(written: 3))
        #expect(!isWriting(statistics))
        statistics.update(ForwardingRunner.Status(written: 3, isWriting: true))
        #expect(isWriting(statistics))
        statistics.record(.failed("The NATS cluster does not respond."))
        #expect(!isWriting(statistics))
        statistics.record(.recovered)
        statistics.update(ForwardingRunner.Status(written: 3, isStandingBy: true))
        #expect(!isWriting(statistics))
    }

    @Test
    func `all statistics are available as metrics`() {
        var statistics = Self.started(3)
        let decision = BlockDecision(block: 1, first: 1, last: 3, version: BlockRows.version)
        statistics.record(.blockWritten(decision, events: 40, repeats: 2))
        statistics.record(.failed("No server responds."))
        statistics.recordEnd(9, at: Self.at(1))
        statistics.update(ForwardingRunner.Status(written: 3, isStandingBy: true))
        var report = DeletionReport()
        (report.deleted, report.remainingBlocks) = (5, 2)
        statistics.record(report)
        (report.deleted, report.remainingBlocks) = (1, 1)
        statistics.record(report)
        let lines = statistics.metrics(at: Self.at(3.5)).split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines == [
                "trackway_forward_events_total 40", "trackway_forward_repeats_total 2",
                "trackway_forward_blocks_total 1", "trackway_forward_expired_weeks_total 0",
                "trackway_forward_troubles_total 1", "trackway_forward_ready 0",
                "trackway_forward_standing_by 1", "trackway_forward_writing 0", "trackway_forward_lag_records 6",
                "trackway_forward_lag_seconds 2.5", "trackway_forward_erased_records_total 6",
                "trackway_forward_erasing_blocks 1",
            ]
        )
    }
}
