// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayDestinationKit
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("Replay of rejected events")
struct ReplayTests {
    private static let context = #"{"context":{"app":{"version":"2.1"},"user":{"id":"ada"}}}"#
    private static let at = Timestamp(milliseconds: 1_700_000_900_000)

    /// Returns the log's record at a position.
    private static func record(
        _ environment: IndexEnvironment,
        at position: EventPosition
    ) throws -> (kind: FrameKind, payload: [UInt8])? {
        let start = LogPosition(segment: position.segment, offset: position.offset)
        var reader = LogReader(folder: environment.folder + "/intake", from: start)
        guard let entry = try reader.next(), entry.start == start else { return nil }
        return (entry.kind, reader.payload(of: entry))
    }

    private static func outcome(
        _ environment: IndexEnvironment,
        _ failed: [FailedEvent],
        limits: AdmissionLimits = AdmissionLimits(),
        isErased: Bool = false
    ) throws -> Replay.Outcome {
        let replay = Replay(admission: Admission(limits: limits), at: at, key: "desk") { _ in isErased }
        let found = try failed.first.flatMap { try record(environment, at: $0.position) }
        return replay.outcome(of: failed, kind: found?.kind, payload: found?.payload ?? [])
    }

    /// Creates a batch of four events, two of them rejected.
    ///
    /// They were rejected by rules that no longer apply. One of the two has no id.
    private static func environment() async throws -> (IndexEnvironment, [FailedEvent]) {
        let environment = try IndexEnvironment()
        var batch = Batch(1, 1, 1...4)
        batch.lines = [line(1), context, #"{"name":"late"}"#, line(3, "also"), line(4)]
        batch.rejected = [(1, "old_rule"), (2, "old_rule")]
        try environment.append(batch)
        try await environment.index()
        return (environment, try await environment.store.failed(before: nil, limit: 9))
    }

    @Test
    func `an event that now passes is stored with its context, marked, and removed from the list, even in a new index`()
        async throws
    {
        let (environment, failed) = try await Self.environment()
        #expect(failed.count == 2)
        let outcome = try Self.outcome(environment, failed)
        #expect(outcome.admitted == 2 && outcome.refused == 0 && outcome.unchanged == 0 && outcome.lost.isEmpty)
        try environment.append(try #require(outcome.record))
        try await environment.index()
        let before = try environment.dump()
        for _ in 0..<2 {
            let events = try await environment.all()
            #expect(events.map(\.name) == ["tick", "tick", "late", "also"])
            let late = try #require(events.first { $0.name == "late" })
            #expect(late.user == "ada" && late.installation == .numbered(1) && late.writer == .numbered(1))
            // The same as if the event had been accepted immediately.
            #expect(late.received.milliseconds == 1_700_000_000_000 && late.time == late.received)
            let origin = try #require(late.replayed)
            #expect(origin.at == Self.at && origin.key == "desk" && origin.from.ordinal == 1)
            #expect(events.first?.replayed == nil)
            #expect(try await environment.store.failed(before: nil, limit: 9).isEmpty)
            let totals = try await environment.store.totals()
            #expect(totals.events == 4 && totals.failed == 0 && totals.duplicates == 0)
            // The device was notified that the events were rejected, and the ledger reflects that.
            let row = try #require(try await environment.row())
            #expect(row.recorded == 4 && row.received == 2 && row.rejected == 2 && row.gaps.isEmpty)
            try await environment.indexer.rebuild()
            try await environment.index()
        }
        #expect(try environment.dump() == before)
    }

    @Test
    func `a replay run twice, or killed and run again, counts each event once, with or without an id`() async throws {
        let (environment, failed) = try await Self.environment()
        let all = try #require(try Self.outcome(environment, failed).record)
        let one = try #require(try Self.outcome(environment, [failed[0]]).record)
        let other = try #require(try Self.outcome(environment, [failed[1]]).record)
        for record in [one, all, other, all] { try environment.append(record) }
        try await environment.index()
        #expect(try await environment.all().map(\.name).sorted() == ["also", "late", "tick", "tick"])
        let totals = try await environment.store.totals()
        #expect(totals.events == 4 && totals.failed == 0 && totals.duplicates == 4)
        let query = CatalogQuery(days: try #require(CatalogDays(around: Self.at, in: .utc)))
        let names = try await environment.store.catalog(matching: query).entries
        #expect(names.map { "\($0.name) \($0.events)" } == ["tick 2", "also 1", "late 1"])
        // The list is empty, but the log can still be replayed.
        #expect(try Self.outcome(environment, failed).admitted == 2)
    }

    @Test
    func `an event rejected again keeps its position and gets the new reason; an unchanged reason writes nothing`()
        async throws
    {
        let (environment, failed) = try await Self.environment()
        var limits = AdmissionLimits()
        limits.event.nameBytes = 3
        let first = try Self.outcome(environment, failed, limits: limits)
        #expect(first.admitted == 0 && first.refused == 2)
        try environment.append(try #require(first.record))
        try await environment.index()
        for _ in 0..<2 {
            let again = try await environment.store.failed(before: nil, limit: 9)
            #expect(again.map(\.code) == ["name_too_long", "name_too_long"])
            #expect(again.map(\.position) == failed.map(\.position))
            #expect(again.map(\.content) == failed.map(\.content) && again.map(\.name) == failed.map(\.name))
            let second = try Self.outcome(environment, again, limits: limits)
            #expect(second.record == nil && second.unchanged == 2 && second.refused == 0)
            #expect(try await environment.store.totals().failed == 2)
            try await environment.indexer.rebuild()
            try await environment.index()
        }
        limits.event.nameBytes = 128
        let again = try await environment.store.failed(before: nil, limit: 9)
        try environment.append(try #require(try Self.outcome(environment, again, limits: limits).record))
        try await environment.index()
        #expect(try await environment.store.totals().events == 4)
    }

    private static func quarantined(_ body: [UInt8], _ about: String) -> [UInt8] {
        Array(#"{"received":1700000000500,"key":"k","code":"old_rule","field":"","message":"m",\#(about)}"#.utf8) + [10]
            + body
    }

    private static func refusedBatch() -> [UInt8] {
        let header =
            #"{"batch":{"installation":"\#(InstallationID.numbered(1))","writer":"\#(WriterID.numbered(1))","first":1,"last":3}}"#
        let body = [header, context, line(1, "a"), #"{"name":"b"}"#, #"{"name":5}"#].joined(separator: "\n")
        return GzipCompressor().compress(Array(body.utf8))
    }

    @Test
    func `a batch rejected as a whole is replayed as a whole: faulty events are listed, and its numbers count`()
        async throws
    {
        let environment = try IndexEnvironment()
        let body = Self.refusedBatch()
        try environment.append(Self.quarantined(body, #""bytes":\#(body.count),"encoding":"gzip""#), kind: .quarantine)
        try await environment.index()
        let failed = try await environment.store.failed(before: nil, limit: 9)
        let outcome = try Self.outcome(environment, failed)
        #expect(outcome.admitted == 2 && outcome.refused == 1)
        let record = try #require(outcome.record)
        try environment.append(record)
        try environment.append(record)
        try await environment.index()
        for _ in 0..<2 {
            let events = try await environment.all()
            #expect(events.map(\.name) == ["a", "b"] && events.allSatisfy { $0.user == "ada" && $0.replayed != nil })
            let row = try #require(try await environment.row())
            #expect(row.recorded == 3 && row.received == 2 && row.rejected == 1 && row.duplicates == 2)
            let left = try await environment.store.failed(before: nil, limit: 9)
            #expect(left.count == 1 && left.first?.position.ordinal == 2 && left.first?.version == "2.1")
            #expect(try await environment.store.totals().failed == 1)
            let again = try Self.outcome(environment, left)
            #expect(again.record == nil && again.unchanged == 1)
            try await environment.indexer.rebuild()
            try await environment.index()
        }
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind = FrameKind.quarantine
        var payload: [UInt8]
        var isErased = false
        var reason: Replay.Loss.Reason
    }

    private static func refused(_ line: String, format: String? = nil) -> [UInt8] {
        var batch = Batch(1, 1)
        batch.format = format
        batch.lines = ["[" + line + "]"]
        batch.rejected = [(0, "old_rule")]
        // A bare list, without a header.
        return format == nil
            ? Array(#"{"received":1,"key":"k","encoding":"identity","rejected":[[0,"old_rule","","m"]]}"#.utf8) + [10]
                + Array(batch.lines[0].utf8) : batch.record
    }

    static let cases: [Case] = [
        Case(
            testDescription: "a batch that was only partially stored",
            payload: quarantined(refusedBatch(), #""bytes":99999,"encoding":"gzip""#),
            reason: .cut
        ),
        Case(
            testDescription: "a batch of another format, or of an earlier version",
            payload: quarantined(Array("[]".utf8), #""bytes":2"#),
            reason: .otherFormat
        ),
        Case(
            testDescription: "an event of another format",
            kind: .intake,
            payload: refused(line(1), format: "clickstream"),
            reason: .otherFormat
        ),
        Case(
            testDescription: "an event that begins like a context",
            kind: .intake,
            payload: refused(#"{"context":{},"name":"x"}"#),
            reason: .ambiguous
        ),
        Case(
            testDescription: "a batch of an erased installation",
            payload: quarantined(refusedBatch(), #""bytes":\#(refusedBatch().count),"encoding":"gzip""#),
            isErased: true,
            reason: .erased
        ),
        Case(testDescription: "an unreadable record", payload: Array("no JSON".utf8), reason: .unreadable),
    ]

    @Test(arguments: cases)
    func `events that cannot be replayed are reported with the reason`(_ example: Case) async throws {
        let environment = try IndexEnvironment()
        try environment.append(example.payload, kind: example.kind)
        try await environment.index()
        let failed = try await environment.store.failed(before: nil, limit: 9)
        #expect(failed.count == 1)
        let outcome = try Self.outcome(environment, failed, isErased: example.isErased)
        #expect(outcome.record == nil && outcome.admitted == 0)
        #expect(
            outcome.lost.map(\.reason) == [example.reason] && outcome.lost.map(\.position) == failed.map(\.position)
        )
    }

    @Test
    func `an erasure deletes replayed events, and rejects later ones`() async throws {
        let (environment, failed) = try await Self.environment()
        let record = try #require(try Self.outcome(environment, failed).record)
        try environment.append(record)
        var erasing = Batch(1, 1, 5...5)
        erasing.lines = [erasedLine(9, of: .numbered(1))]
        try environment.append(erasing)
        try environment.append(record)
        for _ in 0..<2 {
            try await environment.index()
            #expect(try await environment.all().isEmpty)
            #expect(try !environment.dump().contains { $0.hasPrefix("replays") || $0.hasPrefix("failed") })
            try await environment.indexer.rebuild()
        }
    }
}
