// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import GRDB
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("Rejected events in groups")
struct FailedGroupTests {
    private static let start: Int64 = 1_700_000_000_000
    private static let hour: Int64 = 3_600_000

    private static func time(hours: Int64 = 3) throws -> QueryTimeRange {
        try #require(
            QueryTimeRange(
                from: Timestamp(milliseconds: start),
                to: Timestamp(milliseconds: start + hours * hour),
                interval: .hour,
                in: .utc
            )
        )
    }

    private static func context(_ version: String) -> String {
        #"{"context":{"app":{"id":"shop","version":"\#(version)"}}}"#
    }

    private static func text(_ group: FailedGroups.Group) -> String {
        "\(group.code) \(group.field) \(group.name ?? "–") \(group.version ?? "–") \(group.count)"
    }

    @Test
    func `groups are formed by reason, field, name and version, with their times and a readable sample`() async throws {
        let environment = try IndexEnvironment()
        for (number, version) in ["2.1", "2.1", "2.0"].enumerated() {
            var batch = Batch(1, UInt64(number + 1), 1...3)
            batch.received = Self.start + Int64(number) * Self.hour
            batch.lines = [
                Self.context(version), line(UInt64(number) * 10 + 1, "fine"),
                #"{"name":"buy","time":"late","id":"x"}"#, #"{"name":"b\u0075y","time":{}}"#,
            ]
            batch.rejected = [(1, "time_invalid"), (2, "time_invalid")]
            try environment.append(batch)
        }
        let header =
            #"{"received":\#(Self.start + 5),"key":"k","code":"malformed_json","field":"","message":"m","bytes":99}"#
        try environment.append(Array((header + "\n[{").utf8), kind: .quarantine)
        let late =
            #"{"received":\#(Self.start + 9 * Self.hour),"key":"k","code":"late","field":"","message":"m","bytes":2}"#
        try environment.append(Array((late + "\n{}").utf8), kind: .quarantine)
        try await environment.index()
        let answer = try await environment.store.failedGroups(in: try Self.time())
        #expect(answer.count == 7)
        #expect(
            answer.groups.map(Self.text) == [
                "time_invalid name buy 2.1 4", "time_invalid name buy 2.0 2", "malformed_json  – – 1",
            ]
        )
        let first = answer.groups[0]
        #expect(first.first == Timestamp(milliseconds: Self.start))
        #expect(first.last == Timestamp(milliseconds: Self.start + Self.hour))
        // The period starts at 22:13, so the next full hour begins 47 minutes later.
        #expect(first.values.reduce(0, +) == 4 && first.values.filter { $0 > 0 } == [2, 2])
        let sample = try #require(try await environment.store.failed(at: first.sample))
        #expect(sample.name == "buy" && sample.version == "2.1" && sample.totalBytes == sample.content.count)
        let batch = try #require(try await environment.store.failed(at: answer.groups[2].sample))
        #expect(batch.bytes == 2 && batch.totalBytes == 99)
        var query = FailedQuery(code: "time_invalid", name: "buy", limit: 4)
        let page = try await environment.store.failed(matching: query)
        query.before = page.last?.position
        let rest = try await environment.store.failed(matching: query)
        #expect(page.count == 4 && rest.count == 2 && (page + rest).allSatisfy { $0.code == "time_invalid" })
        #expect(try await environment.store.failed(matching: FailedQuery(code: "other")).isEmpty)
    }

    @Test
    func `events that devices lost or reported are listed as well, and deleted by an erasure`() async throws {
        let environment = try IndexEnvironment()
        for installation in UInt64(1)...2 {
            var batch = Batch(installation, installation, 1...3)
            batch.dropped = [(4...8, "expired"), (9...9, "full")]
            batch.lines = (UInt64(1)...3).map { number in
                let attributes =
                    #"{"_error_code":\#(number == 1 ? "\"1002\"" : "1001"),"_error_message":"m\#(number)"}"#
                return line(
                    installation * 10 + number,
                    "_clickstream_error",
                    time: Self.start + Int64(number),
                    attributes: attributes
                )
            }
            try environment.append(batch)
        }
        var erasing = Batch(2, 9, 1...1)
        erasing.lines = [erasedLine(9_000, of: .numbered(2))]
        try environment.append(erasing)
        try await environment.index()
        let answer = try await environment.store.failedGroups(in: try Self.time())
        #expect(
            answer.losses == [
                FailedGroups.Loss(reason: "expired", events: 5), FailedGroups.Loss(reason: "full", events: 1),
            ]
        )
        #expect(answer.reports.map { "\($0.code) \($0.events) \($0.message)" } == ["1001 2 m3", "1002 1 m1"])
        let report = try #require(answer.reports.first)
        #expect(report.sample == .numbered(13) && report.last.milliseconds == Self.start + 3)
        #expect(report.first.milliseconds == Self.start + 2)
    }

    @Test
    func `the number of separate groups is limited, but all rejected events are counted`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 4 << 20)
        for batchNumber in 0..<2 {
            var batch = Batch()
            batch.received = Self.start
            batch.lines = (0..<700).map { #"{"name":"n\#(batchNumber * 700 + $0)","time":0}"# }
            batch.rejected = (0..<700).map { ($0, "time_invalid") }
            try environment.append(batch)
        }
        try await environment.index()
        let answer = try await environment.store.failedGroups(in: try Self.time())
        #expect(answer.count == 1_400 && answer.groups.count == FailedGroups.maxGroups)
        var budget = QueryBudget()
        budget.events = 1_399
        let time = try Self.time()
        let fault = try await environment.store.database.pool.read { [budget] db in
            do {
                _ = try FailedGroupRows.groups(in: time, budget: budget, clock: SystemClock(), db)
                return nil as StoreError?
            } catch let error as StoreError {
                return error
            }
        }
        #expect(fault?.kind == .overBudget(parameter: "from"))
    }

    @Test(
        arguments: [
            (#"{"name":"buy","time":}"#, "buy"), (#"{"time":5,"event":"$AppEnd","x":}"#, "$AppEnd"),
            (#"{"event_type":"_click"}"#, "_click"), (#"{"time":},"name":"buy"}"#, nil), (#"{"name":5}"#, nil),
            ("", nil),
            ("[{}]", nil), (#"{"name":"\#(String(repeating: "é", count: 200))"}"#, String(repeating: "é", count: 64)),
        ] as [(String, String?)]
    )
    func `a name is read if it is complete before the fault`(_ content: String, _ name: String?) {
        #expect(Array(content.utf8).withUnsafeBytes { FailedEvent.name(in: $0) } == name)
    }
}
