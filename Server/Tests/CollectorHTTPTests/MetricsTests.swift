// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable internal import CollectorHTTP

@Suite("Metrics")
struct MetricsTests {
    private static func place(_ offset: UInt32) -> LogPosition { LogPosition(segment: 1, offset: offset) }
    private static func time(_ seconds: Int64) -> MonotonicTime { MonotonicTime(milliseconds: seconds * 1_000) }

    @Test
    func `the lag starts when the index first falls behind the end of the log`() {
        var history = LagHistory()
        func lag(_ end: UInt32, _ indexed: UInt32, _ seconds: Int64) -> Duration {
            history.delay(end: Self.place(end), indexed: Self.place(indexed), records: 0, at: Self.time(seconds)).time
        }
        #expect(lag(100, 100, 0) == .zero)
        #expect(lag(200, 100, 15) == .zero)
        #expect(lag(300, 150, 30) == .seconds(15))
        #expect(lag(400, 200, 45) == .seconds(15))
        #expect(lag(400, 250, 60) == .seconds(30))
        #expect(lag(400, 400, 75) == .zero)
        #expect(lag(400, 400, 90) == .zero)
    }

    @Test
    func `the lag in batches counts those received after the end that the index has reached`() {
        var history = LagHistory()
        func lag(_ end: UInt32, _ indexed: UInt32, _ records: UInt64) -> UInt64 {
            history.delay(end: Self.place(end), indexed: Self.place(indexed), records: records, at: Self.time(0))
                .records
        }
        // Batches of an earlier start are not counted.
        #expect(lag(100, 50, 0) == 0)
        #expect(lag(200, 50, 3) == 3)
        #expect(lag(200, 100, 3) == 3)
        #expect(lag(300, 200, 5) == 2)
        #expect(lag(400, 299, 9) == 6)
        #expect(lag(400, 300, 9) == 4)
        #expect(lag(400, 400, 9) == 0)
        #expect(lag(500, 400, 11) == 2)
    }

    @Test
    func `the history stays bounded and correct, no matter how long an index is stuck`() {
        var history = LagHistory()
        var lag = Duration.zero
        for step in 1...5_000 {
            let end = Self.place(UInt32(100 + step))
            lag = history.delay(end: end, indexed: Self.place(100), records: 0, at: Self.time(Int64(step))).time
        }
        #expect(lag == .seconds(4_999))
    }

    @Test
    func `known machine metrics are reported, and others are omitted`() {
        var use = ResourceUse()
        use.diskFree = 1_000
        use.memory = .max
        var text = PrometheusText()
        text.write(use)
        #expect(text.text.contains("\ntrackway_disk_free_bytes 1000\n"))
        #expect(text.text.contains("\nprocess_resident_memory_bytes 9223372036854775807\n"))
        #expect(!text.text.contains("trackway_index_bytes") && !text.text.contains("process_open_fds"))
    }

    @Test(arguments: [
        ("write", #"{"name":"a"}"#, "shop", [1, 1, 0, 0]),
        ("write", "{\"name\":\"a\"}\n{\"name\":\"\"}", "shop", [1, 1, 1, 0]),
        ("write", "x", "shop", [0, 0, 0, 1]),
        ("read", #"{"name":"a"}"#, "desk", [0, 0, 0, 1]),
    ])
    func `requests are counted for each known key, but never for an unknown one`(
        _ key: String,
        _ body: String,
        _ name: String,
        _ counts: [Int]
    ) async throws {
        try await CollectorUnderTest.run { collector in
            _ = try await collector.post(Array(body.utf8), ["authorization": "Bearer \(key)"])
            for number in 0..<20 {
                _ = try await collector.post(Array(body.utf8), ["authorization": "Bearer made-up-\(number)"])
            }
            let metrics = try await collector.request("GET", "/metrics").body
            for (figure, count) in zip(["batches", "events_accepted", "events_rejected", "refused"], counts) {
                let line = "\ntrackway_key_\(figure)_total{key=\"\(name)\"} \(count)\n"
                #expect(metrics.contains(line), "\(line)")
            }
            let bytes = counts[0] > 0 ? body.utf8.count : 0
            #expect(metrics.contains("\ntrackway_key_wire_bytes_total{key=\"\(name)\"} \(bytes)\n"))
            #expect(metrics.split(separator: "\n").count { $0.hasPrefix("trackway_key_refused_total{") } == 1)
        }
    }

    @Test
    func `a key over its quota and a body in an unknown encoding are counted as rejections of the key`() async throws {
        try await CollectorUnderTest.run { collector in
            let few = ["authorization": "Bearer few"]
            _ = try await collector.post(Array("{\"name\":\"a\"}\n{\"name\":\"b\"}\n{\"name\":\"c\"}".utf8), few)
            _ = try await collector.post(Array(#"{"name":"a"}"#.utf8), few)
            _ = try await collector.post(Array(#"{"name":"a"}"#.utf8), ["content-encoding": "br"])
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("\ntrackway_key_refused_total{key=\"few\"} 1\n"))
            #expect(metrics.contains("\ntrackway_key_refused_total{key=\"shop\"} 1\n"))
        }
    }

    @Test
    func `keys beyond the limit are counted together`() {
        var statistics = RequestStatistics()
        for number in 0..<1_000 { statistics.recordFailure(code: "key_rate", key: "key-\(number)") }
        statistics.recordFailure(code: "key_rate", key: "key-0")
        statistics.recordFailure(code: "key_unknown", key: nil)
        #expect(statistics.keys.count == RequestStatistics.maximumKeys + 1)
        #expect(statistics.keys["key-0"]?.refused == 2)
        #expect(statistics.keys[RequestStatistics.otherKeys]?.refused == UInt64(1_000 - RequestStatistics.maximumKeys))
        #expect(!KeyRecord.isValid(name: RequestStatistics.otherKeys))
    }

    @Test
    func `the durations of stored batches are counted, and those of refused ones are not`() async throws {
        try await CollectorUnderTest.run { collector in
            #expect(try await collector.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
            #expect(try await collector.post(Array(#"{"name":"b"}"#.utf8)).status == 200)
            #expect(try await collector.post(Array("x".utf8)).status == 400)
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("\ntrackway_intake_seconds_count 2\n"))
            #expect(metrics.contains("\ntrackway_intake_seconds_bucket{le=\"+Inf\"} 2\n"))
        }
    }

    @Test
    func `durations below a millisecond and slightly above it are in different buckets`() async throws {
        for (step, counts) in [(Duration.microseconds(900), [1, 1]), (.microseconds(1_900), [0, 1])] {
            try await CollectorUnderTest.run(step: step) { collector in
                #expect(try await collector.post(Array(#"{"name":"a"}"#.utf8)).status == 200)
                _ = try await collector.request("GET", "/v1/events")
                let metrics = try await collector.request("GET", "/metrics").body
                for name in ["trackway_intake_seconds", "trackway_read_seconds"] {
                    #expect(metrics.contains("\n\(name)_bucket{le=\"0.001\"} \(counts[0])\n"), "\(step)")
                    #expect(metrics.contains("\n\(name)_bucket{le=\"0.005\"} \(counts[1])\n"), "\(step)")
                }
            }
        }
    }

    @Test
    func `metrics include connections, uptime, the reserve and the write-ahead log`() async throws {
        var use = ResourceUse()
        use.writeAheadLog = 4_096
        let limit: (inout CollectorConfiguration) -> Void = { $0.connections = 7 }
        let resources: @Sendable () -> ResourceUse = { [use] in use }
        try await CollectorUnderTest.run(limit, resources: resources) { collector in
            collector.clock.advance(by: .seconds(90))
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("\ntrackway_connections_open 1\n"))
            #expect(metrics.contains("\ntrackway_connections_limit 7\n"))
            #expect(metrics.contains("\ntrackway_uptime_seconds 90.0\n"))
            #expect(metrics.contains("\ntrackway_disk_reserve_bytes 0\n"))
            #expect(metrics.contains("\ntrackway_index_wal_bytes 4096\n"))
            #expect(metrics.contains("\ntrackway_index_lag_batches 0\n"))
        }
    }

    @Test
    func `metrics include the start time, the index lag and the duration of reads`() async throws {
        try await CollectorUnderTest.run { collector in
            _ = try await collector.request("GET", "/v1/events")
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("\nprocess_start_time_seconds "))
            #expect(metrics.contains("\ntrackway_index_lag_seconds 0.0\n"))
            #expect(metrics.contains("\ntrackway_read_seconds_count 1\n"))
        }
    }
}
