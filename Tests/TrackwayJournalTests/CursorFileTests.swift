// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Cursor files")
struct CursorFileTests {
    private static let writer = WriterID.generate(at: Timestamp(milliseconds: 1))

    private func cursor() -> Cursor {
        var cursor = Cursor(at: LogPosition(segment: 2, offset: 64), next: 5)
        cursor.next = 9
        cursor.delivered = 3
        cursor.drop([DroppedRange(sequences: 8...8, reason: .rejected)], isReported: true)
        return cursor
    }

    @Test
    func `a cursor loads only for its own writer and destination`() {
        let bytes = cursor().fileBytes(of: Self.writer, for: "collector")
        #expect(Cursor(fileBytes: bytes, of: Self.writer, for: "collector") == cursor())
        #expect(Cursor(fileBytes: bytes, of: Self.writer, for: "audit") == nil)
        let other = WriterID.generate(at: Timestamp(milliseconds: 2))
        #expect(Cursor(fileBytes: bytes, of: other, for: "collector") == nil)
    }

    @Test
    func `a cursor in the older format without names still loads`() {
        var lines = ChecksummedKeyValueFile()
        lines.add("cursor", 1)
        lines.add("position", "2.64")
        lines.add("base", 5)
        lines.add("next", 9)
        lines.add("delivered", 3)
        lines.add("skipped", 0)
        lines.add("dropped", "1 rejected")
        #expect(Cursor(fileBytes: lines.bytes, of: Self.writer, for: "collector") == cursor())
    }

    @Test
    func `swapped cursors count as damaged: all stored events are redelivered and none are skipped`() throws {
        let environment = try JournalEnvironment(["collector", "audit"])
        let journal = try environment.open()
        for number in 0..<10 { journal.append("{\"n\":\(number)}") }
        let consumer = try #require(try journal.tryElection())
        _ = try consumer.deliverAll("collector")
        let writer = environment.folder.path + "/writers/\(journal.writer)/cursor."
        consumer.close()
        journal.close()
        let storage = DiskStorage()
        let own = try #require(try storage.contents(of: writer + "collector"))
        try storage.replace(writer + "audit", with: own, durably: false)
        let next = try environment.open()
        let later = try #require(try next.tryElection())
        #expect(try later.deliverAll("audit").count == 10)
        #expect(try next.ledger().destinations["audit"] == Ledger.Account(recorded: 10, delivered: 10))
    }

    @Test(arguments: [false, true])
    func `the recorded count does not shrink with a damaged cursor and deleted segments`(isElected: Bool) throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        let consumer = try #require(try journal.tryElection())
        for number in 0..<200 {
            journal.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "x", count: 50) + "\"}")
        }
        while let batch = try consumer.read(for: "collector", limits: (10, 1 << 20)), batch.events.first < 150 {
            try consumer.settle(batch, records: 0..<batch.texts.count, delivered: batch.texts.count)
        }
        consumer.close()
        journal.close()
        let before = try #require(try journal.ledger().destinations["collector"])
        let folder = environment.folder.path + "/writers/\(journal.writer)"
        #expect(try SegmentName.all(in: folder, DiskStorage()).first ?? 0 > 1)
        try DiskStorage().replace(folder + "/cursor.collector", with: Array("no cursor".utf8), durably: false)
        let next = try environment.open()
        let later = isElected ? try next.tryElection() : nil
        #expect((later != nil) == isElected)
        let after = try #require(try next.ledger().destinations["collector"])
        #expect(try next.ledger().recorded == 200)
        #expect(after.recorded == before.recorded && after.isBalanced)
        #expect(after.dropped[.damaged] ?? 0 > 0)
        later?.close()
    }

    @Test
    func `numbers that no valid file can contain are rejected on reading`() {
        #expect(LogPosition("1.4294967295") == nil)
        #expect(LogPosition("1.1073741824") != nil)
        let lengths: [UInt32] = [.max, 1 << 31, (1 << 30) + 1, 23, 0]
        for length in lengths {
            var header = [UInt8](repeating: 0, count: 24)
            withUnsafeBytes(of: length.littleEndian) { header.replaceSubrange(0..<4, with: $0) }
            let read = header.withUnsafeBytes { bytes in
                bytes.baseAddress.flatMap { FrameHeader(at: $0, available: bytes.count) }
            }
            #expect(read == nil, "length \(length)")
        }
    }
}
