// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayEvents
internal import TrackwayJournal

@testable internal import CollectorHTTP

@Suite("Metrics")
struct MetricsTests {
    private static func place(_ offset: UInt32) -> LogPosition { LogPosition(segment: 1, offset: offset) }
    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1_000) }

    @Test("the index is behind for as long as the log has had an end that it has not reached")
    func lag() {
        var history = LagHistory()
        func lag(_ end: UInt32, _ indexed: UInt32, _ seconds: Int64) -> Duration {
            history.lag(end: Self.place(end), indexed: Self.place(indexed), at: Self.time(seconds))
        }
        #expect(lag(100, 100, 0) == .zero)
        #expect(lag(200, 100, 15) == .zero)
        #expect(lag(300, 150, 30) == .seconds(15))
        #expect(lag(400, 200, 45) == .seconds(15))
        #expect(lag(400, 250, 60) == .seconds(30))
        #expect(lag(400, 400, 75) == .zero)
        #expect(lag(400, 400, 90) == .zero)
    }

    @Test("however long an index stands still, its history has a bound and tells the truth")
    func standstill() {
        var history = LagHistory()
        var lag = Duration.zero
        for step in 1...5_000 {
            lag = history.lag(end: Self.place(UInt32(100 + step)), indexed: Self.place(100), at: Self.time(Int64(step)))
        }
        #expect(lag == .seconds(4_999))
    }

    @Test("figures of the machine that are known are told, others are left out")
    func resources() {
        var use = ResourceUse()
        use.diskFree = 1_000
        use.memory = .max
        var text = PrometheusText()
        text.write(use)
        #expect(text.text.contains("\ntrackway_disk_free_bytes 1000\n"))
        #expect(text.text.contains("\nprocess_resident_memory_bytes 9223372036854775807\n"))
        #expect(!text.text.contains("trackway_index_bytes") && !text.text.contains("process_open_fds"))
    }

    @Test("a collector tells since when it runs, how far its index is behind, and how long reading took")
    func endpoint() async throws {
        try await CollectorUnderTest.run { collector in
            _ = try await collector.request("GET", "/v1/events")
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("\nprocess_start_time_seconds "))
            #expect(metrics.contains("\ntrackway_index_lag_seconds 0.0\n"))
            #expect(metrics.contains("\ntrackway_read_seconds_count 1\n"))
        }
    }
}
