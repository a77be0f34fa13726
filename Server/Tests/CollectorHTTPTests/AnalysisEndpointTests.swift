// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorHTTP

@Suite("Queries answered by an analytics store", .timeLimit(.minutes(5)))
struct AnalysisEndpointTests {
    /// An analytics store that returns empty results until it is unavailable.
    private final class StubAnalysisStore: AnalysisStore {
        let queryCount = Locked(0)
        let failureReason = Locked<String?>(nil)
        let kept = Locked<Timestamp?>(nil)

        var retainedSince: Timestamp? { kept.withLock { $0 } }

        private func answer<Answer>(_ answer: Answer) throws(StoreError) -> Answer {
            queryCount.withLock { $0 += 1 }
            if let failureReason = failureReason.withLock({ $0 }) { throw .analysis(failureReason) }
            return answer
        }

        func trend(_ query: TrendQuery) async throws(StoreError) -> Trend {
            try answer(Trend(series: [], events: 77))
        }
        func funnel(_ query: FunnelQuery) async throws(StoreError) -> Funnel {
            try answer(Funnel(series: [], people: nil, events: 77))
        }
        func retention(_ query: RetentionQuery) async throws(StoreError) -> Retention {
            try answer(Retention(cohorts: [], events: 77))
        }
        func lifecycle(_ query: ActivityQuery) async throws(StoreError) -> Lifecycle {
            try answer(Lifecycle(intervals: [], events: 77))
        }
        func stickiness(_ query: ActivityQuery) async throws(StoreError) -> Stickiness {
            try answer(Stickiness(people: [], events: 77))
        }
        func people(_ query: PointPeopleQuery) async throws(StoreError) -> PointPeople {
            throw .unsupported("point", "This store lists no people.")
        }
        func paths(_ query: PathQuery) async throws(StoreError) -> Paths {
            try answer(Paths(steps: [], links: [], sessions: 0, events: 77))
        }
        func firstEvent() async throws(StoreError) -> Timestamp? { try answer(Timestamp(milliseconds: 900_000)) }
        var report: AnalysisReport {
            AnalysisReport(
                address: "http://clickhouse:8123/trackway",
                last: 3,
                failureReason: failureReason.withLock { $0 },
                retainedSince: retainedSince
            )
        }
    }

    private static let paths = [
        "/v1/trends?name=a", "/v1/funnels?step=a", "/v1/retention", "/v1/lifecycle", "/v1/stickiness", "/v1/paths",
    ]

    @Test
    func `only the six kinds of analytics queries go to the analytics store`() async throws {
        let analysis = StubAnalysisStore()
        try await CollectorUnderTest.run(analysis: analysis) { collector in
            for path in Self.paths {
                let answer = try await collector.request("GET", path)
                #expect(answer.status == 200 && answer.body.contains(#""read":77"#), "\(path): \(answer)")
            }
            #expect(analysis.queryCount.withLock { $0 } == Self.paths.count)
            for other in ["/v1/events", "/v1/users", "/v1/sessions", "/v1/catalogue", "/v1/ledger"] {
                #expect(try await collector.request("GET", other).status == 200, "\(other)")
            }
            #expect(analysis.queryCount.withLock { $0 } == Self.paths.count)
        }
    }

    @Test
    func `an unavailable analytics store fails only its own queries, and the collector stays ready`() async throws {
        let analysis = StubAnalysisStore()
        analysis.failureReason.withLock { $0 = "ClickHouse at http://clickhouse:8123 cannot be reached." }
        try await CollectorUnderTest.run(analysis: analysis) { collector in
            for path in Self.paths {
                let answer = try await collector.request("GET", path)
                #expect(answer.status == 503, "\(path): \(answer)")
                #expect(answer.body.contains(#""code":"analysis_unavailable""#), "\(answer.body)")
                #expect(answer.body.contains("http://clickhouse:8123 cannot be reached"), "\(answer.body)")
            }
            #expect(try await collector.request("GET", "/readyz").status == 200)
            #expect(try await collector.request("GET", "/v1/events").status == 200)
            let stats = try await collector.request("GET", "/v1/stats").body
            #expect(stats.contains(#""analysis":{"address":"http://clickhouse:8123/trackway","behind":"#), "\(stats)")
            #expect(stats.contains(#""trouble":"ClickHouse at"#), "\(stats)")
        }
    }

    @Test
    func `a response states the start of the retained period only if it needs older data`() async throws {
        let analysis = StubAnalysisStore()
        try await CollectorUnderTest.run(analysis: analysis) { collector in
            let day: Int64 = 86_400_000
            let time = try await collector.request("GET", "/v1/time").body
            let now = try #require(try JSONValue.parse(Array(time.utf8))["time"]?.integer)
            func answer(_ path: String, from: Int64) async throws -> String {
                let mark = path.contains("?") ? "&" : "?"
                let answer = try await collector.request("GET", "\(path)\(mark)from=\(from)&to=\(now)")
                #expect(answer.status == 200, "\(answer)")
                return answer.body
            }
            let kept = now - 10 * day
            for path in Self.paths {
                #expect(!(try await answer(path, from: kept - day)).contains("kept_from"))
            }
            analysis.kept.withLock { $0 = Timestamp(milliseconds: kept) }
            let retainedMember = #""kept_from":\#(kept)"#
            for path in Self.paths {
                #expect(try await answer(path, from: kept - 1).contains(retainedMember), "\(path)")
                // These depend on all earlier events.
                let isOfAllTime = path == "/v1/lifecycle" || path == "/v1/retention"
                #expect(try await answer(path, from: kept).contains(retainedMember) == isOfAllTime, "\(path)")
            }
            #expect(try await answer("/v1/retention?cohort=each", from: kept).contains(retainedMember) == false)
            // The previous period also counts.
            #expect(try await answer("/v1/trends?name=a&compare=before", from: kept).contains(retainedMember))
            let stats = try await collector.request("GET", "/v1/stats").body
            #expect(stats.contains(#""analysis":{"#) && stats.contains(retainedMember), "\(stats)")
            // The index retains everything.
            #expect(try await collector.request("GET", "/v1/events").body.contains("kept_from") == false)
        }
    }

    @Test(arguments: [(3, 3, 0), (10, 3, 7), (2, 3, 0)] as [(UInt64, UInt64, Int)])
    func `the lag is counted in records`(end: UInt64, last: UInt64, expected: Int) {
        func text(_ report: AnalysisReport) -> String {
            String(
                decoding: JSONWriter.withThreadBuffer { writer in
                    writer.beginObject()
                    report.writeMember(before: end, to: &writer)
                    writer.endObject()
                    return writer.array()
                },
                as: UTF8.self
            )
        }
        #expect(
            text(AnalysisReport(address: "a", last: last)) == #"{"analysis":{"address":"a","behind":\#(expected)}}"#
        )
        #expect(
            text(AnalysisReport(address: "a", last: last, retainedSince: Timestamp(milliseconds: 7)))
                == #"{"analysis":{"address":"a","behind":\#(expected),"kept_from":7}}"#
        )
        #expect(text(AnalysisReport(address: "a")) == #"{"analysis":{"address":"a","behind":null}}"#)
    }
}
