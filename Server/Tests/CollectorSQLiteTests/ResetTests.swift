// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorCore
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal

@testable internal import CollectorSQLite

@Suite("A reset in the intake log")
struct ResetTests {
    private static let reset = ResetRecord(received: Timestamp(milliseconds: 1_700_000_000_000), key: "anybody").bytes

    /// Returns a batch that adds rows to as many tables as possible.
    private static func batch(_ installation: UInt64, from id: UInt64) -> Batch {
        var batch = Batch(installation, 1, id...(id + 4))
        batch.lines = [
            #"{"context":{"user":{"id":"u-\#(id)"},"session":{"id":"s-\#(id)"},"global":{"_run":"a"}}}"#,
            line(id, "_screen_view", attributes: #"{"_screen_name":"Home"}"#), line(id + 1, "_session_start"),
            line(id + 2, "_click", attributes: #"{"_element_id":"buy"}"#),
            line(id + 3, "_device_properties", attributes: #"{"device_model":"x"}"#), line(id + 4),
        ]
        batch.rejected = [(4, "name_too_long")]
        return batch
    }

    /// Returns all rows, except the index's progress.
    private static func rows(_ environment: IndexEnvironment) throws -> [String] {
        try environment.dump().filter { !$0.hasPrefix("progress ") }
    }

    @Test(arguments: [1, 10_000])
    func `a reset empties the index as if it were new`(eventsPerStep: Int) async throws {
        let new = try IndexEnvironment()
        let environment = try IndexEnvironment(eventsPerStep: eventsPerStep)
        try environment.append(Self.batch(1, from: 1))
        try environment.append(Self.batch(2, from: 10))
        try environment.append(QuarantineRecord.sample, kind: .quarantine)
        var tombstone = Batch(1, 1, 6...6)
        tombstone.lines = [erasedLine(30, of: .numbered(1))]
        try environment.append(tombstone)
        try await environment.index()
        #expect(try Self.rows(environment).count > 10)
        #expect(environment.store.isErased(.numbered(1)))
        let end = try environment.append(Self.reset, kind: .reset)
        try await environment.index()
        #expect(try Self.rows(environment) == Self.rows(new))
        #expect(try await environment.store.totals() == StoreTotals())
        #expect(!environment.store.isErased(.numbered(1)))
        #expect(environment.store.beginning == EventPosition(segment: end.segment, offset: end.offset))
        #expect(environment.store.indexed == environment.store.beginning)
    }

    @Test
    func `records after a reset count, and a rebuilt index is the same`() async throws {
        let environment = try IndexEnvironment()
        // All in one step: the erased installation returns after the reset.
        try environment.append(Self.batch(1, from: 1))
        var tombstone = Batch(1, 1, 6...6)
        tombstone.lines = [erasedLine(30, of: .numbered(1))]
        try environment.append(tombstone)
        try environment.append(Self.reset, kind: .reset)
        try environment.append(Self.batch(1, from: 40))
        try await environment.index()
        let events = try await environment.all()
        #expect(events.map(\.sequence) == [40, 41, 42, 43])
        #expect(events.allSatisfy { $0.position >= environment.store.beginning })
        #expect(try await environment.store.totals().events == 4)
        let dump = try environment.dump()
        try await environment.indexer.rebuild()
        try await environment.indexer.catchUp()
        #expect(try environment.dump() == dump)
    }

    @Test
    func `segments before a reset are no longer needed`() async throws {
        let environment = try IndexEnvironment(segmentBytes: 2_048)
        for number in 0..<20 { try environment.append(Self.batch(1, from: 1 + 10 * UInt64(number))) }
        let end = try environment.append(Self.reset, kind: .reset)
        try await environment.index()
        #expect(end.segment > 1)
        try environment.log.removeSegments(before: end)
        try environment.append(Self.batch(1, from: 900))
        try await environment.index()
        let dump = try environment.dump()
        try environment.restart()
        try await environment.indexer.rebuild()
        try await environment.index()
        #expect(try await environment.all().map(\.sequence) == [900, 901, 902, 903])
        #expect(try environment.dump() == dump)
    }
}

extension QuarantineRecord {
    /// A rejected batch.
    fileprivate static var sample: [UInt8] {
        bytes(
            AdmissionError(.malformed, code: "malformed", field: "", message: "It is not JSON."),
            body: Array("{".utf8)[...],
            bodyBytes: 1,
            key: "dev",
            received: Timestamp(milliseconds: 9)
        )
    }
}
