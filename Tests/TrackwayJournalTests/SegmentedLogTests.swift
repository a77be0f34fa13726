// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing

@testable import TrackwayJournal

@Suite("Segmented log")
struct SegmentedLogTests {
    private func append(_ texts: [String], to log: SegmentedLog) throws {
        for text in texts {
            try Array(text.utf8).withUnsafeBytes { _ = try log.append(kind: .intake, payload: $0) }
        }
    }

    private func read(_ folder: String, isComplete: Bool = true) throws -> (texts: [String], damage: LogDamage) {
        var reader = LogReader(folder: folder, isComplete: isComplete)
        var texts: [String] = []
        while let entry = try reader.next() {
            if entry.kind == .intake { texts.append(String(decoding: reader.payload(of: entry), as: UTF8.self)) }
        }
        return (texts, reader.damage)
    }

    @Test
    func `appended records are read back in order, across segments`() throws {
        let folder = try TemporaryFolder()
        let texts = (0..<1000).map { "record \($0) " + String(repeating: "x", count: $0 % 97) }
        let log = try SegmentedLog(folder: folder.path, options: LogOptions(segmentBytes: 4096))
        try append(texts, to: log)
        #expect(try read(folder.path, isComplete: false).texts == texts)
        log.close()
        let again = try read(folder.path)
        #expect(again.texts == texts)
        #expect(again.damage.isEmpty)
    }

    @Test
    func `a reopened log continues its numbers in a new segment`() throws {
        let folder = try TemporaryFolder()
        let first = try SegmentedLog(folder: folder.path)
        try append(["a", "b"], to: first)
        first.close()
        let second = try SegmentedLog(folder: folder.path)
        try append(["c"], to: second)
        try second.synchronize()
        var reader = LogReader(folder: folder.path)
        var numbers: [UInt64] = []
        while let entry = try reader.next() {
            if entry.kind == .intake { numbers.append(entry.sequence) }
        }
        #expect(numbers == [1, 2, 3])
    }

    @Test
    func `a second owner is rejected while the first is open`() throws {
        let folder = try TemporaryFolder()
        let first = try SegmentedLog(folder: folder.path)
        #expect(throws: JournalError.self) { try SegmentedLog(folder: folder.path) }
        first.close()
        let second = try SegmentedLog(folder: folder.path)
        #expect(second.end.segment == 1)
    }

    @Test
    func `a reader at the end sees records appended later, even in a later segment`() throws {
        let folder = try TemporaryFolder()
        let log = try SegmentedLog(folder: folder.path, options: LogOptions(segmentBytes: 4096))
        var reader = LogReader(folder: folder.path)
        #expect(try reader.next() == nil)
        var seen = 0
        for round in 0..<500 {
            try append(["round \(round)"], to: log)
            while let entry = try reader.next() {
                guard entry.kind == .intake else { continue }
                #expect(reader.payload(of: entry) == Array("round \(seen)".utf8))
                seen += 1
            }
            #expect(seen == round + 1)
        }
    }

    @Test
    func `reading can resume at a given position`() throws {
        let folder = try TemporaryFolder()
        let log = try SegmentedLog(folder: folder.path, options: LogOptions(segmentBytes: 4096))
        var places: [LogPosition] = []
        for number in 0..<300 {
            places.append(try Array("n\(number)".utf8).withUnsafeBytes { try log.append(kind: .intake, payload: $0) })
        }
        for (index, place) in places.enumerated() where index % 7 == 0 && index < 299 {
            var reader = LogReader(folder: folder.path, from: place)
            var entry = try reader.next()
            while let other = entry, other.kind != .intake { entry = try reader.next() }
            #expect(entry.map { reader.payload(of: $0) } == Array("n\(index + 1)".utf8))
        }
    }
}
