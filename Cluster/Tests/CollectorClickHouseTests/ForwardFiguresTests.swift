// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Collector
internal import CollectorClickHouse
internal import Testing
internal import TrackwayEvents

@Suite("How a forwarding goes, in figures")
struct ForwardFiguresTests {
    private static func at(_ seconds: Double) -> MonotonicTime { MonotonicTime(milliseconds: Int64(seconds * 1_000)) }

    /// One that has begun, with so many records written.
    private static func begun(_ written: UInt64) -> ForwardFigures {
        var figures = ForwardFigures()
        figures.stands(StreamForwarding.Standing(written: written))
        return figures
    }

    @Test("is not ready before it has begun, and while something stands in the way, and says what")
    func troubles() {
        var figures = ForwardFigures()
        #expect(figures.reason(at: Self.at(0))?.contains("has not begun") == true)
        figures.tell(.trouble("The engine is waited for."))
        #expect(figures.reason(at: Self.at(1)) == "The engine is waited for.")
        figures.tell(.recovered)
        figures.stands(StreamForwarding.Standing())
        #expect(figures.reason(at: Self.at(2)) == nil && figures.troubles == 1)
    }

    @Test("lags behind since the first record was seen that is not written, and is not ready after a minute")
    func lag() {
        var figures = Self.begun(10)
        figures.saw(10, at: Self.at(0))
        #expect(figures.lag(at: Self.at(100)) == .zero && figures.behind == 0)
        figures.saw(12, at: Self.at(100))
        figures.saw(12, at: Self.at(105))
        figures.saw(20, at: Self.at(110))
        #expect(figures.lag(at: Self.at(130)) == .seconds(30) && figures.behind == 10)
        figures.stands(StreamForwarding.Standing(written: 11))
        #expect(figures.lag(at: Self.at(130)) == .seconds(30))
        figures.stands(StreamForwarding.Standing(written: 12))
        #expect(figures.lag(at: Self.at(130)) == .seconds(20) && figures.behind == 8)
        #expect(figures.reason(at: Self.at(170)) == nil)
        #expect(figures.reason(at: Self.at(171)) == "The tables are 8 records behind the stream, since 61 s.")
        figures.stands(StreamForwarding.Standing(written: 20, isStandingBy: true))
        #expect(figures.reason(at: Self.at(900)) == nil && figures.behind == 0)
    }

    @Test("keeps few moments however long it is behind, and never tells less", arguments: [100, 1_000, 20_000])
    func bounded(seconds: Int) {
        var figures = Self.begun(0)
        for second in 1...seconds { figures.saw(UInt64(second) * 7, at: Self.at(Double(second))) }
        let now = Self.at(Double(seconds))
        #expect(figures.lag(at: now) == .seconds(seconds - 1))
        for written in stride(from: 0, to: seconds, by: max(1, seconds / 50)) {
            figures.stands(StreamForwarding.Standing(written: UInt64(written) * 7))
            #expect(figures.lag(at: now) >= .seconds(seconds - written - 1))
        }
        figures.stands(StreamForwarding.Standing(written: UInt64(seconds) * 7))
        #expect(figures.lag(at: now) == .zero)
    }

    @Test("tells which one writes: not one that stands by, has written nothing yet, or meets a failure")
    func writing() {
        func isWriting(_ figures: ForwardFigures) -> Bool {
            figures.metrics(at: Self.at(1)).contains("\ntrackway_forward_writing 1\n")
        }
        var figures = ForwardFigures()
        #expect(!isWriting(figures))
        figures.stands(StreamForwarding.Standing(written: 3))
        #expect(!isWriting(figures))
        figures.stands(StreamForwarding.Standing(written: 3, isWriting: true))
        #expect(isWriting(figures))
        figures.tell(.trouble("The engine does not answer."))
        #expect(!isWriting(figures))
        figures.tell(.recovered)
        figures.stands(StreamForwarding.Standing(written: 3, isStandingBy: true))
        #expect(!isWriting(figures))
    }

    @Test("tells programs everything as numbers")
    func metrics() {
        var figures = Self.begun(3)
        let decision = BlockDecision(block: 1, first: 1, last: 3, version: BlockRows.version)
        figures.tell(.written(decision, events: 40, repeats: 2))
        figures.tell(.trouble("Nobody answers."))
        figures.saw(9, at: Self.at(1))
        figures.stands(StreamForwarding.Standing(written: 3, isStandingBy: true))
        var erasing = ErasingReport()
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
