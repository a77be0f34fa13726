// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Foundation
internal import IntegrationTestSupport
internal import Testing
internal import TrackwayCore

@Suite("Attacks that inflate responses")
struct CardinalityTests {
    @Test
    func `20,000 event names do not inflate the event rate response, and it counts all events`() throws {
        let collector = try Collector()
        let before = try collector.peakMemory
        for batch in 0..<40 {
            let lines = (0..<500).map { "{\"name\":\"name_\(batch * 500 + $0)\"}" }
            #expect(try collector.post(Array(lines.joined(separator: "\n").utf8)).status == 200)
        }
        try collector.waitForIndex()
        let response = try collector.send(HTTPMessage(startLine: "GET /v1/rate?minutes=15 HTTP/1.1"))
        let minutes = try JSONValue.parse(response.body)["minutes"]?.array ?? []
        print("20,000 names: \(response.body.count) bytes, \(before) → \(try collector.peakMemory) MiB resident")
        #expect(response.body.count < 16 << 10)
        #expect(minutes.reduce(Int64(0)) { $0 + ($1.array?[1].integer ?? 0) } == 20_001)
        let reportedCount = minutes.reduce(Int64(0)) { sum, minute in
            let names = minute.array?[2].object?.members.reduce(Int64(0)) { $0 + ($1.value.integer ?? 0) } ?? 0
            return sum + names + (minute.array?[3].integer ?? 0)
        }
        #expect(reportedCount == 20_001)
    }

    @Test
    func `the ledger of 1,200 writers is paged, and the command reads all pages`() throws {
        let collector = try Collector()
        for _ in 0..<1_200 {
            let id = InstallationID.generate(at: Timestamp(milliseconds: 1_795_000_000_000))
            let batch = """
                {"batch":{"installation":"\(id)","writer":"\(id)","first":1,"last":1}}
                {"name":"a"}
                """
            #expect(try collector.post(Array(batch.utf8)).status == 200)
        }
        try collector.waitForIndex()
        let first = try collector.get("/v1/ledger?limit=500")
        #expect(first["writers"]?.array?.count == 500 && first["total"]?.integer == 1_200)
        #expect(first["next"]?.string != nil)
        let ledger = try Program(try CollectorBinary.path(), ["ledger", "--check", "--url", collector.url])
        let text = try ledger.allLines().joined(separator: "\n")
        #expect(text.contains("recorded 1,200 · received 1,200 · missing 0"), "\(text.suffix(300))")
        #expect(try ledger.status() == .exited(0))
    }

    @Test
    func `claims of 9.2e18 events are rejected and do not appear in the ledger`() throws {
        let collector = try Collector()
        let id = InstallationID.generate(at: Timestamp(milliseconds: 1_795_000_000_000))
        for claim in [
            #","recorded":9223372036854775807"#, #","recorded":18446744073709551615"#,
            #","dropped":[[2,9223372036854775806,"expired"]]"#, #","skipped":[[2,9223372036854775806]]"#,
        ] {
            let batch = """
                {"batch":{"installation":"\(id)","writer":"\(id)","first":1,"last":1\(claim)}}
                {"name":"a"}
                """
            #expect(try collector.post(Array(batch.utf8)).status == 400, "\(claim)")
        }
        let far = """
            {"batch":{"installation":"\(id)","writer":"\(id)","first":9223372036854775807,"last":9223372036854775807}}
            {"name":"a"}
            """
        #expect(try collector.post(Array(far.utf8)).status == 400)
        try collector.waitForIndex()
        #expect(try collector.get("/v1/ledger")["writers"]?.array?.isEmpty == true)
        let ledger = try Program(try CollectorBinary.path(), ["ledger", "--url", collector.url])
        #expect(try ledger.status() == .exited(0))
    }
}
