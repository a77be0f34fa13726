// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

@Suite("Damage loses only the damaged record")
struct DamageTests {
    /// One writer's folder as a killed process leaves it.
    ///
    /// It has one unsealed segment. The positions of its events are known.
    private struct KilledWriter {
        let folder: TemporaryFolder
        let path: String
        let writer: String
        let bytes: [UInt8]
        let frames: [(sequence: UInt64, start: Int, end: Int)]
        let used: Int
        private let storage: any JournalStorage

        init(events: Int, _ files: TestFiles = .plain) throws {
            let environment = try JournalEnvironment(segmentBytes: 8192)
            storage = files.storage(in: environment.folder.path)
            let journal = try environment.open(storage: storage)
            for number in 1...events {
                journal.append("{\"n\":\(number),\"pad\":\"" + String(repeating: "p", count: number * 13 % 90) + "\"}")
            }
            folder = environment.folder
            writer = environment.folder.path + "/writers/" + journal.writer.description
            path = writer + "/00000001.segment"
            bytes = Array(try Data(contentsOf: URL(filePath: path)))
            var reader = LogReader(folder: writer, storage: storage)
            var frames: [(sequence: UInt64, start: Int, end: Int)] = []
            while let entry = try reader.next() {
                guard entry.kind == .event else { continue }
                let end = Int(entry.start.offset) + 24 + entry.payloadLength + files.overhead
                frames.append((entry.sequence, Int(entry.start.offset), end))
            }
            self.frames = frames
            used = Int(reader.position.offset)
            journal.close()
        }

        /// Reads the damaged bytes as a later process would.
        ///
        /// - Returns: the numbers of the events found, the numbers lost, and the last known number.
        func read(_ damaged: [UInt8]) throws -> (found: [UInt64], lost: [UInt64], last: UInt64) {
            try Data(damaged).write(to: URL(filePath: path))
            var reader = try BatchReader(
                folder: writer,
                storage: storage,
                destination: "collector",
                from: .start,
                isComplete: true
            )
            let limits = BatchReader.Limits(events: 10_000, bytes: 1 << 20, throughSegment: nil)
            let stretch = try reader.read(next: 1, limits)
            let lost = stretch.dropped.flatMap { range -> [UInt64] in
                #expect(range.reason == .damaged)
                return Array(range.sequences)
            }
            var counter = LedgerCounter()
            let id = try #require(WriterID(String(writer.suffix(36))))
            let extent = try counter.extent(of: id, folder: writer, storage: storage, isComplete: true)
            return (stretch.records.map(\.sequence), lost, max(extent.last, stretch.next - 1))
        }
    }

    @Test(arguments: TestFiles.allCases)
    func `a log truncated at any byte loses and counts the cut record and keeps all records before it`(
        _ files: TestFiles
    ) throws {
        let killed = try KilledWriter(events: TestScale.count(14, full: 40), files)
        for cut in SegmentPreamble.size..<killed.used {
            let (found, lost, last) = try killed.read(Array(killed.bytes[..<cut]))
            let whole = killed.frames.filter { $0.end <= cut }.map(\.sequence)
            #expect(found == whole, "cut at \(cut)")
            #expect(UInt64(found.count + lost.count) == last, "cut at \(cut): every number is accounted for")
            // A lost record is noticed only if a part of it is left.
            let begun = killed.frames.first {
                $0.start < cut && $0.end > cut && killed.bytes[$0.start..<cut].contains { $0 != 0 }
            }
            #expect(lost == (begun.map { [$0.sequence] } ?? []), "cut at \(cut)")
        }
    }

    enum Filler: String, CaseIterable {
        case zeros
        case ones
        case noise
    }

    @Test(
        arguments: Filler.allCases,
        TestFiles.allCases
    )
    func `zeros, ones or noise from any record to the end lose only the overwritten records`(
        _ tail: Filler,
        _ files: TestFiles
    ) throws {
        let killed = try KilledWriter(events: 40, files)
        var generator = SeededRandom(seed: 7)
        for frame in killed.frames {
            var damaged = killed.bytes
            for index in frame.start..<damaged.count {
                switch tail {
                case .zeros: damaged[index] = 0
                case .ones: damaged[index] = 0xFF
                case .noise: damaged[index] = UInt8(truncatingIfNeeded: generator.next())
                }
            }
            let (found, lost, last) = try killed.read(damaged)
            #expect(found == killed.frames.filter { $0.end <= frame.start }.map(\.sequence))
            #expect(UInt64(found.count + lost.count) == last)
        }
    }

    @Test(arguments: TestFiles.allCases)
    func `a flipped bit anywhere loses at most the record that contains it, and reports its number`(_ files: TestFiles)
        throws
    {
        let killed = try KilledWriter(events: TestScale.count(14, full: 40), files)
        var generator = SeededRandom(seed: 11)
        for index in 0..<killed.used {
            var damaged = killed.bytes
            damaged[index] ^= 1 << UInt8(generator.next() % 8)
            let (found, lost, last) = try killed.read(damaged)
            let hit = killed.frames.first { $0.start <= index && index < $0.end }
            let expected = killed.frames.map(\.sequence).filter { $0 != hit?.sequence }
            #expect(found == expected, "bit flipped in byte \(index)")
            #expect(UInt64(found.count + lost.count) == last, "bit flipped in byte \(index)")
            // If the last record's length is damaged, nothing shows that the record existed.
            if let hit, hit.sequence != killed.frames.last?.sequence { #expect(lost == [hit.sequence]) }
        }
    }

    @Test(arguments: TestFiles.allCases)
    func `a zeroed page in the middle loses only the records it touches, and later records are found`(
        _ files: TestFiles
    ) throws {
        let killed = try KilledWriter(events: 60, files)
        for start in stride(from: 16, to: killed.used - 512, by: 64) {
            var damaged = killed.bytes
            for index in start..<(start + 512) { damaged[index] = 0 }
            let (found, lost, last) = try killed.read(damaged)
            let touched = killed.frames.filter { $0.start < start + 512 && $0.end > start }
                .filter { damaged[$0.start..<$0.end] != killed.bytes[$0.start..<$0.end] }.map(\.sequence)
            #expect(Set(found) == Set(killed.frames.map(\.sequence)).subtracting(touched), "page at \(start)")
            // After the last intact record, the number of lost records is unknown: only the first can be counted, if a
            // part of it is left.
            let isTail = touched.last == killed.frames.last?.sequence
            #expect(isTail ? touched.starts(with: lost) : lost == touched, "page at \(start)")
            #expect(UInt64(found.count + lost.count) == last)
        }
    }

    @Test
    func `a torn record at the end of a log is counted once, regardless of the number of readers`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        for number in 1...5 { journal.append("{\"n\":\(number)}") }
        let path = environment.folder.path + "/writers/\(journal.writer)/00000001.segment"
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        journal.close()
        // Cuts the last event's frame in the middle of its payload.
        let place = try #require(Data(bytes).range(of: Data("{\"n\":5}".utf8))).lowerBound
        bytes = Array(bytes[..<(place + 3)])
        try Data(bytes).write(to: URL(filePath: path))
        for _ in 0..<4 {
            let later = try environment.open()
            let consumer = try #require(try later.tryElection())
            _ = try consumer.deliverAll("collector")
            let account = try #require(try later.ledger().destinations["collector"])
            #expect(account == Ledger.Account(recorded: 5, delivered: 4, pending: 0, dropped: [.damaged: 1]))
            consumer.close()
            later.close()
        }
    }

    @Test
    func `a damaged context loses the context of its events but not the events`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        journal.setContext(Array("{\"user\":{\"id\":\"first-user\"}}".utf8))
        journal.append("{\"n\":1}")
        journal.setContext(Array("{\"user\":{\"id\":\"other-user\"}}".utf8))
        journal.append("{\"n\":2}")
        let path = environment.folder.path + "/writers/\(journal.writer)/00000001.segment"
        journal.close()
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let place = try #require(Data(bytes).range(of: Data("other-user".utf8))).lowerBound
        bytes[place] ^= 1
        try Data(bytes).write(to: URL(filePath: path))
        let later = try environment.open()
        let consumer = try #require(try later.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: (10, 1000)))
        #expect(batch.texts == ["{\"n\":1}", "{\"n\":2}"])
        let contexts = batch.events.records.map { record in
            batch.events.context(record.context).map { String(decoding: batch.events.bytes[$0.content], as: UTF8.self) }
        }
        // An event without a user is better than one with the wrong user.
        #expect(contexts == ["{\"user\":{\"id\":\"first-user\"}}", "{}"])
    }

    @Test
    func `payload bytes that look like a record are not read as one when the enclosing record is damaged`() throws {
        let environment = try JournalEnvironment()
        let journal = try environment.open()
        journal.append("{\"n\":1}")
        let path = environment.folder.path + "/writers/\(journal.writer)/00000001.segment"
        let own = Array(try Data(contentsOf: URL(filePath: path)))
        var reader = LogReader(folder: environment.folder.path + "/writers/\(journal.writer)")
        var frame: [UInt8] = []
        while frame.isEmpty, let entry = try reader.next() {
            if entry.kind == .event { frame = Array(own[Int(entry.start.offset)..<Int(entry.end.offset)]) }
        }
        let other = try JournalEnvironment()
        let victim = try other.open()
        for shift in 0..<8 {
            let payload = [UInt8](repeating: 0x20, count: shift) + frame
            _ = payload.withUnsafeBytes { victim.append($0) }
        }
        let victimPath = other.folder.path + "/writers/\(victim.writer)/00000001.segment"
        let writer = victim.writer
        victim.close()
        var bytes = Array(try Data(contentsOf: URL(filePath: victimPath)))
        var places = LogReader(folder: other.folder.path + "/writers/\(writer)")
        var starts: [Int] = []
        while let entry = try places.next() {
            if entry.kind == .event { starts.append(Int(entry.start.offset)) }
        }
        for start in starts { bytes[start + 4] ^= 0x55 }
        try Data(bytes).write(to: URL(filePath: victimPath))
        let later = try other.open()
        let consumer = try #require(try later.tryElection())
        #expect(try consumer.deliverAll("collector") == [])
    }
}

/// A random number generator that repeats the same sequence for a seed.
struct SeededRandom: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
