// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayCore
import TrackwayTesting

@testable import TrackwayJournal

/// Segment pages are prefaulted without making a caller wait.
@Suite("Prefaulting of segment pages")
struct PrefaultedSegmentTests {
    @Test
    func `maintenance prefaults pages, and those of a preallocated segment before it is used`() throws {
        let (storage, clock) = (CountingStorage(), SteppedClock())
        let configuration = JournalConfiguration(folder: "/j", destinations: ["collector"], segmentBytes: 4096)
        let journal = try Journal(configuration, clock: clock, bootID: "boot", storage: storage)
        let folder = "/j/writers/\(journal.writer)"
        #expect(storage.populated == [])
        journal.performMaintenance()
        #expect(storage.populated == [folder + "/00000001.segment"])
        let text = "{\"pad\":\"\(String(repeating: "x", count: 300))\"}"
        for _ in 0..<8 { journal.append(text) }
        journal.performMaintenance()
        #expect(storage.populated == [folder + "/00000001.segment", folder + "/" + SegmentName.spare])
        for _ in 0..<8 { journal.append(text) }
        #expect(journal.state.withLock { $0.log.lastSegment } == 2)
        // The second segment was prefaulted before it was used.
        journal.performMaintenance()
        #expect(storage.populated.count { $0.hasSuffix("00000002.segment") } == 0)
    }

    @Test
    func `prefaulting keeps written bytes and does nothing once the segment is finished`() throws {
        let folder = try TemporaryFolder()
        let storage = DiskStorage()
        try storage.makeFolder(folder.path)
        let path = folder.path + "/1"
        let segment = try storage.makeSegment(path, bytes: 1 << 20)
        segment.memory[0] = 1
        segment.memory[(1 << 20) - 1] = 2
        segment.populate()
        segment.populate()
        segment.memory[70_000] = 3
        try segment.finish(length: 70_001)
        segment.populate()
        let bytes = try #require(try storage.contents(of: path))
        #expect(bytes.count == 70_001)
        #expect([bytes[0], bytes[70_000]] == [1, 3])
        #expect(bytes.reduce(0) { $0 + Int($1) } == 4)
    }

    /// Records which segments were prefaulted.
    private final class CountingStorage: ForwardingStorage {
        let base: any JournalStorage = MemoryStorage()
        private let paths = Locked<[String]>([])

        var populated: [String] { paths.withLock { $0 } }

        func makeSegment(_ path: String, bytes: Int) throws(StorageError) -> any SegmentStorage {
            Segment(try base.makeSegment(path, bytes: bytes)) { [paths] in paths.withLock { $0.append(path) } }
        }
    }

    private final class Segment: SegmentStorage {
        private let base: any SegmentStorage
        private let onPopulate: @Sendable () -> Void

        init(_ base: any SegmentStorage, onPopulate: @escaping @Sendable () -> Void) {
            self.base = base
            self.onPopulate = onPopulate
        }

        var memory: UnsafeMutableRawBufferPointer { base.memory }
        func synchronize() throws(StorageError) { try base.synchronize() }
        func finish(length: Int) throws(StorageError) { try base.finish(length: length) }
        func populate() { onPopulate() }
    }
}
