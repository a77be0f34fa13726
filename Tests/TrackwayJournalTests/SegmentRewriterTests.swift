// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable internal import TrackwayJournal

@Suite("Segment rewriting")
struct SegmentRewriterTests {
    private static let folder = "/log"

    /// A record as a reader returns it.
    private struct Record: Hashable {
        var kind: FrameKind
        var sequence: UInt64
        var start: LogPosition
        var end: LogPosition
        var text: String
    }

    /// A record as it was appended.
    private struct AppendedRecord {
        var kind: FrameKind
        var sequence: UInt64
        var end: LogPosition
        var text: String
    }

    /// An error that a closure throws.
    private struct Refusal: Error, Hashable {}

    private static func log(
        _ storage: any JournalStorage = MemoryStorage(),
        segmentBytes: Int = 4_096
    ) throws -> SegmentedLog {
        try SegmentedLog(folder: folder, storage: storage, options: LogOptions(segmentBytes: segmentBytes))
    }

    @discardableResult
    private static func append(
        _ text: String,
        to log: SegmentedLog,
        kind: FrameKind = .intake,
        sequence: UInt64? = nil
    ) throws -> LogPosition {
        try Array(text.utf8).withUnsafeBytes { try log.append(kind: kind, payload: $0, sequence: sequence) }
    }

    /// Returns all records, including those that the log writes for itself.
    private static func records(_ storage: any JournalStorage) throws -> [Record] {
        var reader = LogReader(folder: folder, storage: storage, isComplete: true)
        var records: [Record] = []
        while let entry = try reader.next() {
            records.append(
                Record(
                    kind: entry.kind,
                    sequence: entry.sequence,
                    start: entry.start,
                    end: entry.end,
                    text: String(decoding: reader.payload(of: entry), as: UTF8.self)
                )
            )
        }
        #expect(reader.damage.isEmpty)
        return records
    }

    private static func texts(_ storage: any JournalStorage) throws -> [String] {
        try records(storage).filter { $0.kind == .intake }.map(\.text)
    }

    /// Replaces the records with certain texts in all segments before `end`.
    ///
    /// - Returns: The segments that were replaced.
    @discardableResult
    private static func rewrite(
        _ storage: any JournalStorage,
        before end: LogPosition,
        willReplace: () throws -> Void = {},
        _ replacement: (String) -> (kind: FrameKind, text: String)?
    ) throws -> [UInt32] {
        let rewriter = SegmentRewriter(folder: folder, storage: storage)
        return try rewriter.segments(before: end).filter { segment in
            try rewriter.rewrite(
                segment,
                replacement: { entry, bytes in
                    #expect(entry.start.segment == segment && entry.payloadLength == bytes.count)
                    return replacement(String(decoding: bytes, as: UTF8.self)).map {
                        SegmentRewriter.Replacement(kind: $0.kind, payload: Array($0.text.utf8))
                    }
                },
                willReplace: willReplace
            )
        }
    }

    @Test
    func `replaced records keep their positions and numbers, and all other records stay as they are`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        for number in 0..<200 { try Self.append("record \(number) with some text", to: log, kind: .intake) }
        let end = try log.completeSegment()
        let before = try Self.records(storage)
        let replaced = try Self.rewrite(storage, before: end) { text in
            guard text.hasPrefix("record 8") else { return nil }
            return (kind: .quarantine, text: text.replacing("record", with: "erased"))
        }
        #expect(replaced.count > 1 && replaced.count < Int(end.segment) - 1)
        let expected = before.map { record in
            var record = record
            guard record.text.hasPrefix("record 8") else { return record }
            record.text = record.text.replacing("record", with: "erased")
            record.kind = .quarantine
            return record
        }
        #expect(expected != before)
        #expect(try Self.records(storage) == expected)
        #expect(try Self.records(storage.afterPowerLoss()) == expected)
    }

    @Test(arguments: ["", "record", "record 1 and more"])
    func `a replacement of a different length is rejected, and the file is not changed`(_ text: String) throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        for number in 0..<3 { try Self.append("record \(number)", to: log) }
        let end = try log.completeSegment()
        let path = SegmentName.path(Self.folder, 1)
        let before = storage.contents(of: path)
        let error = #expect(throws: JournalError.self) {
            try Self.rewrite(
                storage,
                before: end,
                willReplace: { Issue.record("the file must not be replaced") },
                { record in
                    record == "record 0" ? (.intake, "erased 0") : record == "record 1" ? (.intake, text) : nil
                }
            )
        }
        #expect(error?.code == .tooLarge)
        #expect(error?.message.contains("has 8 bytes and cannot be replaced by one of \(text.utf8.count)") == true)
        #expect(storage.contents(of: path) == before)
    }

    @Test
    func `a segment in which nothing is replaced keeps its bytes`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        for number in 0..<200 { try Self.append("record \(number)", to: log) }
        let end = try log.completeSegment()
        let paths = (1..<end.segment).map { SegmentName.path(Self.folder, $0) }
        let before = paths.map { storage.contents(of: $0) }
        let replaced = try Self.rewrite(
            storage,
            before: end,
            willReplace: { Issue.record("no file may be replaced") },
            { _ in nil }
        )
        #expect(replaced.isEmpty && paths.count > 1)
        #expect(paths.map { storage.contents(of: $0) } == before)
    }

    @Test
    func `the file is unchanged when willReplace is called, and stays so if willReplace throws`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        for number in 0..<3 { try Self.append("record \(number)", to: log) }
        let end = try log.completeSegment()
        let path = SegmentName.path(Self.folder, 1)
        let before = storage.contents(of: path)
        var calls = 0
        #expect(throws: Refusal()) {
            try Self.rewrite(
                storage,
                before: end,
                willReplace: {
                    calls += 1
                    #expect(storage.contents(of: path) == before)
                    throw Refusal()
                },
                { $0.hasPrefix("record") ? (.intake, "erased 0") : nil }
            )
        }
        #expect(calls == 1)
        #expect(storage.contents(of: path) == before)
    }

    @Test
    func `an error from the replacement closure is rethrown, and the file is not changed`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        for number in 0..<3 { try Self.append("record \(number)", to: log) }
        _ = try log.completeSegment()
        let before = try Self.records(storage)
        #expect(throws: Refusal()) {
            try SegmentRewriter(folder: Self.folder, storage: storage).rewrite(
                1,
                replacement: { entry, bytes in
                    if entry.sequence == 3 { throw Refusal() }
                    return SegmentRewriter.Replacement(
                        kind: entry.kind,
                        payload: Array(repeating: 0, count: bytes.count)
                    )
                },
                willReplace: { Issue.record("the file must not be replaced") }
            )
        }
        #expect(try Self.records(storage) == before)
    }

    @Test(arguments: [0, 1])
    func `a process killed while a segment is replaced leaves all old or all new records`(changes: Int) throws {
        let memory = MemoryStorage()
        let log = try Self.log(memory)
        for number in 0..<20 { try Self.append("record \(number)", to: log) }
        let end = try log.completeSegment()
        let storage = KillableStorage(memory, killedAfter: changes)
        let result = Result {
            try Self.rewrite(storage, before: end) { text in
                text.hasPrefix("record") ? (.intake, text.replacing("record", with: "erased")) : nil
            }
        }
        switch result {
        case .success(let replaced): #expect(changes == 1 && replaced == [1])
        case .failure(let error): #expect(changes == 0 && (error as? JournalError)?.code == .storage)
        }
        let word = changes == 0 ? "record" : "erased"
        #expect(try Self.texts(memory.afterPowerLoss()) == (0..<20).map { "\(word) \($0)" })
    }

    @Test
    func `a missing segment is not replaced`() throws {
        let storage = MemoryStorage()
        _ = try Self.log(storage)
        let isReplaced = try SegmentRewriter(folder: Self.folder, storage: storage).rewrite(
            7,
            replacement: { _, _ in nil },
            willReplace: { Issue.record("no file may be replaced") }
        )
        #expect(!isReplaced)
    }

    @Test
    func `files that a killed process left behind are removed, and segments stay`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        try Self.append("record 0", to: log)
        _ = try log.completeSegment()
        let paths = storage.paths
        _ = try storage.create(SegmentName.path(Self.folder, 1) + "~7", with: [1], durably: true)
        try SegmentRewriter(folder: Self.folder, storage: storage).removeUnfinishedFiles()
        #expect(storage.paths == paths)
        #expect(try Self.texts(storage) == ["record 0"])
    }

    // MARK: Completing segments

    @Test
    func `completing the segment of an empty log does nothing`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        let paths = storage.paths
        for _ in 0..<2 { #expect(try log.completeSegment() == LogPosition(segment: 1, offset: log.end.offset)) }
        #expect(storage.paths == paths)
        try Self.append("record", to: log)
        #expect(try SegmentRewriter(folder: Self.folder, storage: storage).segments(before: log.end).isEmpty)
        #expect(try Self.records(storage).last?.start.segment == 1)
    }

    @Test
    func `completing a segment twice creates only one new segment`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        try Self.append("record", to: log)
        let end = try log.completeSegment()
        #expect(end.segment == 2 && log.end == end)
        #expect(try log.completeSegment() == end)
        #expect(try SegmentRewriter(folder: Self.folder, storage: storage).segments(before: end) == [1])
    }

    @Test
    func `records before the completed segment's end survive power loss`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        for number in 0..<200 { try Self.append("record \(number)", to: log) }
        let end = try log.completeSegment()
        try Self.append("record 200", to: log)
        let left = try Self.records(storage.afterPowerLoss()).filter { $0.kind == .intake }
        #expect(left.map(\.text).prefix(200) == (0..<200).map { "record \($0)" }[...])
        #expect(left.prefix(200).allSatisfy { $0.end < end })
    }

    @Test
    func `records appended while a segment is rewritten go to the next one`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        for number in 0..<3 { try Self.append("record \(number)", to: log) }
        let end = try log.completeSegment()
        var next = 3
        func appendNext() throws {
            let place = try Self.append("record \(next)", to: log)
            next += 1
            #expect(place > end)
        }
        let isReplaced = try SegmentRewriter(folder: Self.folder, storage: storage).rewrite(
            1,
            replacement: { entry, bytes in
                try appendNext()
                guard entry.sequence == 2, entry.kind == .intake else { return nil }
                return SegmentRewriter.Replacement(kind: entry.kind, payload: Array("erased 1".utf8))
            },
            willReplace: { try appendNext() }
        )
        try appendNext()
        try log.synchronize()
        #expect(isReplaced)
        let expected = (0..<next).map { $0 == 1 ? "erased 1" : "record \($0)" }
        #expect(try Self.texts(storage) == expected && Self.texts(storage.afterPowerLoss()) == expected)
        let numbers = try Self.records(storage).filter { $0.kind == .intake }.map(\.sequence)
        #expect(numbers == Array(1...UInt64(next)))
    }

    @Test
    func `records appended while segments are completed are neither lost nor reordered`() async throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        let count = 3_000
        async let appended: Void = Self.appendMany(count, to: log)
        for _ in 0..<50 {
            let end = try log.completeSegment()
            try Self.rewrite(storage, before: end) { text in
                text.hasPrefix("record") && text.hasSuffix("3")
                    ? (.intake, text.replacing("record", with: "erased")) : nil
            }
        }
        try await appended
        let end = try log.completeSegment()
        try Self.rewrite(storage, before: end) { text in
            text.hasPrefix("record") && text.hasSuffix("3") ? (.intake, text.replacing("record", with: "erased")) : nil
        }
        let expected = (0..<count).map { $0 % 10 == 3 ? "erased \($0)" : "record \($0)" }
        #expect(try Self.texts(storage) == expected)
        #expect(try Self.texts(storage.afterPowerLoss()) == expected)
    }

    @concurrent
    private static func appendMany(_ count: Int, to log: SegmentedLog) async throws {
        for number in 0..<count { try append("record \(number)", to: log) }
    }

    @Test
    func `a log with a rewritten segment can be reopened and continues its numbering`() throws {
        let storage = MemoryStorage()
        let log = try Self.log(storage)
        for number in 1...3 { try Self.append("record \(number)", to: log) }
        let end = try log.completeSegment()
        try Self.rewrite(storage, before: end) { $0 == "record 3" ? (.quarantine, "erased 3") : nil }
        // Closed segments have different lengths from those of a killed process.
        let killed = storage.afterKill()
        log.close()
        for storage in [killed, storage] {
            let again = try Self.log(storage)
            try Self.append("record 4", to: again)
            again.close()
            let records = try Self.records(storage).filter { [.intake, .quarantine].contains($0.kind) }
            #expect(records.map(\.text) == ["record 1", "record 2", "erased 3", "record 4"])
            #expect(records.map(\.sequence) == [1, 2, 3, 4])
        }
    }

    @Test
    func `a closed log cannot complete its segment`() throws {
        let log = try Self.log()
        log.close()
        let error = #expect(throws: JournalError.self) { try log.completeSegment() }
        #expect(error?.code == .closed)
    }

    @Test
    func `a rewritten segment on disk is read like any other`() throws {
        let folder = try TemporaryFolder()
        let log = try SegmentedLog(folder: folder.path, options: LogOptions(segmentBytes: 4_096))
        for number in 0..<300 { try Self.append("record \(number)", to: log) }
        let end = try log.completeSegment()
        let rewriter = SegmentRewriter(folder: folder.path)
        for segment in try rewriter.segments(before: end) {
            _ = try rewriter.rewrite(
                segment,
                replacement: { entry, bytes in
                    guard entry.kind == .intake, entry.sequence.isMultiple(of: 5) else { return nil }
                    return SegmentRewriter.Replacement(
                        kind: .intake,
                        payload: Array(repeating: UInt8(ascii: "x"), count: bytes.count)
                    )
                },
                willReplace: {}
            )
        }
        log.close()
        var reader = LogReader(folder: folder.path, isComplete: true)
        var number = 0
        while let entry = try reader.next() {
            guard entry.kind == .intake else { continue }
            number += 1
            let text = "record \(number - 1)"
            let expected = number.isMultiple(of: 5) ? String(repeating: "x", count: text.count) : text
            #expect(entry.sequence == UInt64(number))
            #expect(String(decoding: reader.payload(of: entry), as: UTF8.self) == expected)
        }
        #expect(number == 300 && reader.damage.isEmpty)
    }

    // MARK: Random logs

    @Test(arguments: 1...40 as ClosedRange<UInt64>)
    func `random rewrites change only the replaced records, across reopened logs`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var storage = MemoryStorage()
        var log = try Self.log(storage)
        var expected: [AppendedRecord] = []
        var number: UInt64 = 0
        for _ in 0..<8 {
            for _ in 0..<random.next(below: 80) {
                number += UInt64(1 + random.next(below: 3))
                let length = random.next(below: 9) == 0 ? 2_000 : random.next(below: 60)
                let text = "\(number) " + String(repeating: "a", count: length)
                let kind: FrameKind = random.nextBool() ? .intake : .quarantine
                let end = try Self.append(text, to: log, kind: kind, sequence: number)
                expected.append(AppendedRecord(kind: kind, sequence: number, end: end, text: text))
            }
            let end = try log.completeSegment()
            let chosen = Set(expected.filter { _ in random.next(below: 4) == 0 }.map(\.sequence))
            let changed = Set(expected.filter { chosen.contains($0.sequence) }.map(\.end.segment))
            let replaced = try Self.rewrite(storage, before: end) { text in
                guard let number = UInt64(text.prefix { $0 != " " }), chosen.contains(number) else { return nil }
                return (.intake, text.replacing("a", with: "b"))
            }
            #expect(Set(replaced) == changed)
            for index in expected.indices where chosen.contains(expected[index].sequence) {
                expected[index].text = expected[index].text.replacing("a", with: "b")
                expected[index].kind = .intake
            }
            switch random.next(below: 4) {
            case 0:
                storage = storage.afterPowerLoss()
                log = try Self.log(storage)
            case 1:
                storage = storage.afterKill()
                log = try Self.log(storage)
            case 2:
                log.close()
                log = try Self.log(storage)
            default: break
            }
            let records = try Self.records(storage).filter { [.intake, .quarantine].contains($0.kind) }
            #expect(records.map(\.end) == expected.map(\.end))
            #expect(records.map(\.text) == expected.map(\.text))
            #expect(records.map(\.kind) == expected.map(\.kind))
            #expect(records.map(\.sequence) == expected.map(\.sequence))
        }
        try Self.append("last", to: log)
        #expect(try Self.records(storage).last { $0.kind == .intake }?.sequence == number + 1)
    }
}
