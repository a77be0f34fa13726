// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import LibFuzzer
import TrackwayCore
import TrackwayJournal
import TrackwayTesting

/// Damages logs in every way that an input can describe.
///
/// Reading and recovery must never trap, never return a record that was not written, and never lose an undamaged one.
@main
struct FuzzJournalReader {
    static let folder = "/log"

    static func main() {
        LibFuzzer.run(test)
    }

    static func test(_ bytes: UnsafeRawBufferPointer) {
        var input = InputBytes(bytes)
        switch input.byte() % 4 {
        case 0: readArbitrarySegment(&input)
        case 1: inspectArbitraryFolder(&input)
        default: readDamagedLog(&input)
        }
    }

    /// Reads a segment of arbitrary bytes.
    static func readArbitrarySegment(_ input: inout InputBytes) {
        let storage = MemoryStorage()
        write([[1]], to: storage)
        guard let path = storage.paths.first(where: { $0.hasSuffix(".segment") }) else { return }
        let content = input.remainder()
        storage.damage(path) { $0 = content }
        let found = read(storage)
        recover(storage, expecting: found)
    }

    /// Inspects an installation's folder whose files contain arbitrary bytes.
    static func inspectArbitraryFolder(_ input: inout InputBytes) {
        let writer = "0190a5d0-ac96-774b-bcce-b302099a8057"
        let names = [
            "installation", "ledger", "set-aside", "writers/\(writer)/cursor.collector", "writers/\(writer)/set-aside",
            "writers/\(writer)/00000001.segment",
        ]
        let storage = MemoryStorage()
        let path = "/root/" + names[Int(input.byte()) % names.count]
        storage.makeFolder("/root/writers/\(writer)")
        do {
            try storage.replace(path, with: input.remainder(), durably: false)
            let inspector = JournalInspector(folder: "/root", storage: storage)
            _ = try inspector.inspect()
        } catch {
            // An unreadable folder may be rejected, but must not cause a trap.
        }
    }

    /// Reads a valid log after changing some bytes.
    static func readDamagedLog(_ input: inout InputBytes) {
        let storage = MemoryStorage()
        var payloads: [[UInt8]] = []
        for index in 0...Int(input.byte() % 12) {
            let length = input.number(below: 3000)
            payloads.append([UInt8](repeating: UInt8(index), count: length))
        }
        write(payloads, to: storage)
        let written = read(storage)
        expect(written.map(\.payload) == payloads, "an undamaged log reads back")
        let segments = storage.paths.filter { $0.hasSuffix(".segment") }
        // Changed byte ranges by the segment's index.
        var changedRanges: [Int: [Range<Int>]] = [:]
        for _ in 0..<4 where !input.isEmpty && !segments.isEmpty {
            let segment = Int(input.byte()) % segments.count
            storage.damage(segments[segment]) { content in
                if let range = change(&content, &input) { changedRanges[segment, default: []].append(range) }
            }
        }
        let found = read(storage)
        let numbers = Array(Set(written.map(\.entry.start.segment))).sorted()
        for record in written {
            let segmentIndex = numbers.firstIndex(of: record.entry.start.segment) ?? 0
            let range = Int(record.entry.start.offset)..<Int(record.entry.end.offset)
            if changedRanges[segmentIndex, default: []].contains(where: { $0.overlaps(range) }) { continue }
            expect(
                found.contains { $0.entry.sequence == record.entry.sequence && $0.payload == record.payload },
                "record \(record.entry.sequence) was not damaged and must be found"
            )
        }
        for record in found {
            expect(
                written.contains { $0.entry.sequence == record.entry.sequence && $0.payload == record.payload },
                "record \(record.entry.sequence) was never written with these contents"
            )
        }
        recover(storage, expecting: found)
    }

    /// Changes some bytes and returns their range.
    static func change(_ content: inout [UInt8], _ input: inout InputBytes) -> Range<Int>? {
        guard !content.isEmpty else { return nil }
        let start = input.number(below: content.count)
        switch input.byte() % 5 {
        case 0:
            content[start] ^= 1 << (input.byte() % 8)
            return start..<start + 1
        case 1:
            content[start] = input.byte()
            return start..<start + 1
        case 2:
            let end = min(content.count, start + 1 + input.number(below: 5000))
            for index in start..<end { content[index] = 0 }
            return start..<end
        case 3:
            let end = min(content.count, start + 1 + Int(input.byte()))
            for index in start..<end { content[index] = input.byte() }
            return start..<end
        default:
            let length = content.count
            content.removeSubrange(start...)
            return start..<length
        }
    }

    struct ReadRecord {
        var entry: LogEntry
        var payload: [UInt8]
    }

    static func write(_ payloads: [[UInt8]], to storage: MemoryStorage) {
        do {
            let log = try SegmentedLog(folder: folder, storage: storage, options: LogOptions(segmentBytes: 4096))
            for payload in payloads {
                try payload.withUnsafeBytes { bytes in _ = try log.append(kind: .intake, payload: bytes) }
            }
            log.close()
        } catch {
            fatalError("a new log must accept records: \(error)")
        }
    }

    static func read(_ storage: MemoryStorage) -> [ReadRecord] {
        var reader = LogReader(folder: folder, storage: storage, isComplete: true)
        var found: [ReadRecord] = []
        do throws(JournalError) {
            var last = LogPosition.start
            while let entry = try reader.next() {
                expect(last <= entry.start && entry.start < entry.end, "positions ascend")
                last = entry.end
                if entry.kind == .intake { found.append(ReadRecord(entry: entry, payload: reader.payload(of: entry))) }
            }
        } catch {
            // A segment that claims a newer version is not read.
        }
        return found
    }

    /// Opens the damaged log, appends a record, and checks that all readable records are still there.
    static func recover(_ storage: MemoryStorage, expecting found: [ReadRecord]) {
        do {
            let log = try SegmentedLog(folder: folder, storage: storage, options: LogOptions(segmentBytes: 4096))
            try [UInt8]("new".utf8).withUnsafeBytes { bytes in _ = try log.append(kind: .intake, payload: bytes) }
            log.close()
        } catch {
            // A log with a newer version is rejected and not changed.
            return
        }
        let reread = read(storage)
        expect(reread.last?.payload == Array("new".utf8), "a recovered log accepts records")
        expect(reread.dropLast().map(\.payload) == found.map(\.payload), "recovery loses no readable records")
    }
}
