// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorHTTP

@Suite("Readiness for batches and for queries", .timeLimit(.minutes(5)))
struct ReadinessEndpointTests {
    private static let event = Array(#"{"name":"a"}"#.utf8)
    private static let behind = "The index is 90 records behind."

    /// A fault and the error code of each path; nil for 200.
    struct Case: Sendable, CustomTestStringConvertible {
        var isStopped: Bool
        var isBehind: Bool
        var whole: String?
        var intake: String?
        var queries: String?

        var testDescription: String { "intake stopped: \(isStopped), index behind: \(isBehind)" }
    }

    private static let cases = [
        Case(isStopped: false, isBehind: false),
        Case(isStopped: false, isBehind: true, whole: "index_behind", queries: "index_behind"),
        Case(isStopped: true, isBehind: false, whole: "stopped", intake: "stopped"),
        Case(isStopped: true, isBehind: true, whole: "stopped", intake: "stopped", queries: "index_behind"),
    ]

    @Test(arguments: cases)
    func `each path reports its own readiness, and /readyz both`(_ example: Case) async throws {
        try await CollectorUnderTest.run { collector in
            if example.isStopped {
                collector.storage.fail(.synchronizeSegment, with: .inputOutput, times: 1)
                #expect(try await collector.post(Self.event).status == 503)
            }
            if example.isBehind { collector.store.stall(Self.behind) }
            for (path, code) in [
                ("/readyz", example.whole), ("/readyz/intake", example.intake),
                ("/readyz/questions", example.queries),
            ] {
                let answer = try await collector.request("GET", path)
                #expect(answer.status == (code == nil ? 200 : 503), "\(path): \(answer)")
                #expect(answer.errorCode == code, "\(path): \(answer)")
                if code == nil { #expect(answer.text("status") == "ready", "\(path): \(answer)") }
                if code == "index_behind" {
                    #expect(answer.body.contains(Self.behind) && answer.headers["retry-after"] == "5")
                    let batches = example.isStopped ? "Batches are refused." : "Batches are accepted and stored."
                    #expect(answer.body.contains(batches), "\(path): \(answer)")
                }
            }
            let taken = try await collector.post(Self.event).status
            #expect(taken == (example.intake == nil ? 200 : 503), "Senders get the status that the endpoint reports.")
        }
    }

    @Test(arguments: ["/readyz/", "/readyz/index", "/readyz/intake/x"])
    func `a path that only resembles a readiness path gets 404`(path: String) async throws {
        try await CollectorUnderTest.run { collector async throws in
            #expect(try await collector.request("GET", path).status == 404)
        }
    }

    @Test
    func `neither endpoint requires a key, and both reject POST`() async throws {
        try await CollectorUnderTest.run {
            $0.readKeys = .always
        } _: { collector async throws in
            for path in ["/readyz/intake", "/readyz/questions"] {
                #expect(try await collector.request("GET", path).status == 200)
                #expect(try await collector.request("POST", path).status == 405)
            }
            #expect(try await collector.request("GET", "/readyz/intake").text("durability") == "disk")
        }
    }

    @Test
    func `storage servers are counted by state and rejections by code, including zero counts`() {
        var engine = EngineStatistics()
        engine.servers = [.proven: 2, .off: 1]
        engine.isConnected = true
        engine.hasLeader = true
        engine.isProven = true
        engine.clockOffset = .milliseconds(-1_500)
        engine.refused = [.engineFull: 7]
        var text = PrometheusText()
        text.write(engine)
        let lines = text.text.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(
            lines == [
                "trackway_engine_servers{state=\"proven\"} 2", "trackway_engine_servers{state=\"not_synced\"} 0",
                "trackway_engine_servers{state=\"off\"} 1", "trackway_engine_servers{state=\"gone\"} 0",
                "trackway_engine_servers{state=\"unknown\"} 0", "trackway_engine_connected 1",
                "trackway_engine_has_leader 1", "trackway_engine_proven 1",
                "trackway_engine_clock_offset_seconds -1.5", "trackway_engine_refused_total{code=\"busy\"} 0",
                "trackway_engine_refused_total{code=\"engine_unavailable\"} 0",
                "trackway_engine_refused_total{code=\"engine_full\"} 7",
                "trackway_engine_refused_total{code=\"engine_not_durable\"} 0",
                "trackway_engine_refused_total{code=\"engine_misconfigured\"} 0",
                "trackway_engine_refused_total{code=\"stopped\"} 0",
                "trackway_engine_refused_total{code=\"closing\"} 0",
            ]
        )
    }

    @Test
    func `a collector that stores its own records has no metrics for storage servers`() async throws {
        try await CollectorUnderTest.run { collector in
            let metrics = try await collector.request("GET", "/metrics").body
            #expect(metrics.contains("trackway_ready 1\n") && !metrics.contains("trackway_engine_"))
        }
    }
}
