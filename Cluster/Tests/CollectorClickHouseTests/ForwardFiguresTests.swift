// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import Testing
internal import TrackwayEvents

@Suite("Forwarder statistics")
struct ForwardFiguresTests {
    private static func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(milliseconds: Int64(seconds * 1_000)) }

    /// Returns statistics of a started forwarder that has written this number of records.
    private static func begun(_ written: UInt64) -> ForwardStatistics {
        var figures = ForwardStatistics()
        figures.stands(ForwardingRunner.Standing(written: written))
        return figures
    }

    @Test("a forwarder is not ready before it has started, or during a problem, and states the reason")
    func troubles() {
        var figures = ForwardStatistics()
        #expect(figures.reason(at: Self.at(0))?.contains("is starting") == true)
        figures.tell(.trouble("Waiting for the NATS cluster."))
        #expect(figures.reason(at: Self.at(1)) == "Waiting for the NATS cluster.")
        figures.tell(.recovered)
        figures.stands(ForwardingRunner.Standing())
        #expect(figures.reason(at: Self.at(2)) == nil && figures.troubles == 1)
    }

    @Test("the lag counts from when the first unwritten record was seen, and ends readiness after a minute")
    func lag() {
        var figures = Self.begun(10)
        figures.saw(10, at: Self.at(0))
        #expect(figures.lag(at: Self.at(100)) == .zero && figures.behind == 0)
        figures.saw(12, at: Self.at(100))
        figures.saw(12, at: Self.at(105))
        figures.saw(20, at: Self.at(110))
        #expect(figures.lag(at: Self.at(130)) == .seconds(30) && figures.behind == 10)
        figures.stands(ForwardingRunner.Standing(written: 11))
        #expect(figures.lag(at: Self.at(130)) == .seconds(30))
        figures.stands(ForwardingRunner.Standing(written: 12))
        #expect(figures.lag(at: Self.at(130)) == .seconds(20) && figures.behind == 8)
        #expect(figures.reason(at: Self.at(170)) == nil)
        #expect(figures.reason(at: Self.at(171)) == "The tables lack 8 records of the stream, the first for 61 s.")
        figures.stands(ForwardingRunner.Standing(written: 20, isStandingBy: true))
        #expect(figures.reason(at: Self.at(900)) == nil && figures.behind == 0)
    }

    @Test(
        "the number of stored times stays small for any lag, and the lag is never understated",
        arguments: [100, 1_000, 20_000]
    )
    func bounded(seconds: Int) {
        var figures = Self.begun(0)
        for second in 1...seconds { figures.saw(UInt64(second) * 7, at: Self.at(Double(second))) }
        let now = Self.at(Double(seconds))
        #expect(figures.lag(at: now) == .seconds(seconds - 1))
        for written in stride(from: 0, to: seconds, by: max(1, seconds / 50)) {
            figures.stands(ForwardingRunner.Standing(written: UInt64(written) * 7))
            #expect(figures.lag(at: now) >= .seconds(seconds - written - 1))
        }
        figures.stands(ForwardingRunner.Standing(written: UInt64(seconds) * 7))
        #expect(figures.lag(at: now) == .zero)
    }

    @Test("a forwarder counts as writing unless it stands by, has written nothing yet, or has a failure")
    func writing() {
        func isWriting(_ figures: ForwardStatistics) -> Bool {
            figures.metrics(at: Self.at(1)).contains("\ntrackway_forward_writing 1\n")
        }
        var figures = ForwardStatistics()
        #expect(!isWriting(figures))
        figures.stands(ForwardingRunner.Standing(written: 3))
        #expect(!isWriting(figures))
        figures.stands(ForwardingRunner.Standing(written: 3, isWriting: true))
        #expect(isWriting(figures))
        figures.tell(.trouble("The NATS cluster does not respond."))
        #expect(!isWriting(figures))
        figures.tell(.recovered)
        figures.stands(ForwardingRunner.Standing(written: 3, isStandingBy: true))
        #expect(!isWriting(figures))
    }

    @Test("all statistics are available as metrics")
    func metrics() {
        var figures = Self.begun(3)
        let decision = BlockDecision(block: 1, first: 1, last: 3, version: BlockRows.version)
        figures.tell(.written(decision, events: 40, repeats: 2))
        figures.tell(.trouble("No server responds."))
        figures.saw(9, at: Self.at(1))
        figures.stands(ForwardingRunner.Standing(written: 3, isStandingBy: true))
        var erasing = DeletionReport()
        (erasing.deleted, erasing.left) = (5, 2)
        figures.erased(erasing)
        (erasing.deleted, erasing.left) = (1, 1)
        figures.erased(erasing)
        let lines = figures.metrics(at: Self.at(3.5)).split(separator: "\n").filter { !$0.hasPrefix("#") }
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
