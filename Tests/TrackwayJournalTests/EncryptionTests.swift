// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayPlatform
import TrackwayTesting

@testable import TrackwayJournal

@Suite("An encrypted journal")
struct EncryptionTests {
    private static let secret = "tell-nobody-of-this"

    /// Returns every file below a folder with its bytes.
    private static func files(in root: String) throws -> [(path: String, bytes: [UInt8])] {
        let names = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        return try names.compactMap { name in
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: root + "/" + name, isDirectory: &isFolder), !isFolder.boolValue
            else { return nil }
            return (name, Array(try Data(contentsOf: URL(filePath: root + "/" + name))))
        }
    }

    private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        Data(bytes).range(of: Data(text.utf8)) != nil
    }

    private static func segment(_ environment: JournalEnvironment, _ journal: Journal, _ number: Int = 1) -> String {
        environment.folder.path + "/writers/\(journal.writer)/0000000\(number).segment"
    }

    // MARK: Same behavior as an unencrypted journal

    @Test
    func `an encrypted journal returns its events in this process and the next, and no file reveals them`() throws {
        let environment = try JournalEnvironment(["collector", "audit"])
        let storage = EncryptedStorage.keyed(TestKey.first, in: environment.folder.path)
        let journal = try environment.open(storage: storage)
        journal.setContext(Array("{\"user\":\"\(Self.secret)\"}".utf8))
        for number in 1...200 { journal.append("{\"n\":\(number),\"s\":\"\(Self.secret)\"}") }
        journal.append("{\"only\":\"\(Self.secret)\"}", to: ["audit"])
        let consumer = try #require(try journal.tryElection())
        let batch = try #require(try consumer.read(for: "collector", limits: (100, 1 << 20)))
        #expect(batch.texts.first == "{\"n\":1,\"s\":\"\(Self.secret)\"}")
        let refused = DeadLetter(index: 50, reason: .rejected, code: Self.secret, message: Self.secret)
        try consumer.settle(batch, records: 0..<100, delivered: 99, deadLetters: [refused])
        consumer.close()
        journal.close()
        let later = try environment.open(storage: storage)
        let next = try #require(try later.tryElection())
        #expect(try next.deliverAll("collector").count == 100)
        #expect(try next.deliverAll("audit").count == 201)
        let ledger = try later.ledger()
        #expect(ledger.destinations["collector"]?.delivered == 199)
        #expect(ledger.destinations["collector"]?.dropped == [.rejected: 1])
        let files = try Self.files(in: environment.folder.path)
        #expect(files.count >= 6)
        for file in files {
            // Shorter texts are not checked, because any two bytes can occur in ciphertext by chance.
            for text in [Self.secret, "collector ", "installation", "sequence", "{\"user\"", "{\"n\":"] {
                #expect(!Self.contains(file.bytes, text), "\(file.path) contains \(text)")
            }
        }
        next.close()
        later.close()
    }

    @Test
    func `events held while the disk is full are written later, and a marker counts them as lost if the process dies`()
        throws
    {
        let faulty = FaultyStorage()
        let storage = EncryptedStorage.keyed(TestKey.first, in: "/j", faulty)
        let configuration = JournalConfiguration(folder: "/j", destinations: ["collector"], segmentBytes: 4096)
        let journal = try Journal(configuration, clock: SteppedClock(), bootID: "boot-1", storage: storage)
        faulty.fail(.makeSegment, with: .noSpace)
        var held: UInt64 = 0
        for number in 1...40 {
            let outcome = journal.append("{\"n\":\(number),\"pad\":\"\(String(repeating: "x", count: 100))\"}")
            if case .held(let sequence) = outcome, held == 0 { held = sequence }
        }
        #expect(held > 0)
        // Another process reads the marker, as it would after this one is killed.
        var tail = LogTail(folder: "/j/writers/\(journal.writer)", storage: storage)
        #expect(try tail.extent(isComplete: false).last == 40)
        faulty.clearFaults()
        #expect(journal.drain())
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector").count == 40)
    }

    // MARK: Forgery

    @Test
    func `swapped records count as damaged even if every checksum is correct`() throws {
        let environment = try JournalEnvironment(segmentBytes: 8192)
        let storage = EncryptedStorage.keyed(TestKey.first, in: environment.folder.path)
        let journal = try environment.open(storage: storage)
        for number in 1...6 { journal.append("{\"n\":\(number)}") }
        let path = Self.segment(environment, journal)
        var reader = LogReader(folder: environment.folder.path + "/writers/\(journal.writer)", storage: storage)
        var places: [Range<Int>] = []
        while let entry = try reader.next() {
            if entry.kind == .event { places.append(Int(entry.start.offset)..<Int(entry.end.offset)) }
        }
        journal.close()
        var bytes = Array(try Data(contentsOf: URL(filePath: path)))
        let (second, fourth) = (Array(bytes[places[1]]), Array(bytes[places[3]]))
        bytes.replaceSubrange(places[1], with: fourth)
        bytes.replaceSubrange(places[3], with: second)
        try Data(bytes).write(to: URL(filePath: path))
        let later = try environment.open(storage: storage)
        let consumer = try #require(try later.tryElection())
        #expect(try consumer.deliverAll("collector") == [1, 3, 5, 6].map { "{\"n\":\($0)}" })
        #expect(try later.ledger().destinations["collector"]?.dropped == [.damaged: 2])
    }

    @Test
    func `a segment moved to another log and a plain record among encrypted ones count as damaged`() throws {
        let environment = try JournalEnvironment(segmentBytes: 4096)
        let storage = EncryptedStorage.keyed(TestKey.first, in: environment.folder.path)
        var folders: [String] = []
        for _ in 0..<2 {
            let journal = try environment.open(storage: storage)
            for number in 1...4 { journal.append("{\"n\":\(number)}") }
            folders.append(environment.folder.path + "/writers/\(journal.writer)")
            journal.close()
            environment.clock.advance(.milliseconds(5))
        }
        let (one, other) = (
            URL(filePath: folders[0] + "/00000001.segment"), URL(filePath: folders[1] + "/00000001.segment")
        )
        // The checksum's salt is not secret: an attacker who moves a file can correct its checksums.
        var moved = Array(try Data(contentsOf: one))
        Self.forge(&moved, from: folders[0], to: folders[1])
        try Data(moved).write(to: other)
        var reader = LogReader(folder: folders[1], storage: storage, isComplete: true)
        #expect(try reader.next() == nil)
        // If the tags were not checked, the segment would be accepted.
        reader = LogReader(folder: folders[1], storage: storage, isComplete: true)
        reader.readsHeadersOnly = true
        #expect(try reader.next() != nil)
        // Replaces an encrypted record with a plain one.
        var bytes = Array(try Data(contentsOf: one))
        var place = 0
        reader = LogReader(folder: folders[0], storage: storage)
        while let entry = try reader.next() {
            if entry.sequence == 2, entry.kind == .event { place = Int(entry.start.offset) }
        }
        let salt = Checksum.salt(folder: folders[0], segment: 1)
        let text = Array("{\"n\":\"forged, as long as that\"}".utf8)
        var header = FrameHeader(kind: .event, payload: text.count, sequence: 2)
        text.withUnsafeBytes { header.checksum = Checksum.frame(header, payload: Checksum.payload($0), salt: salt) }
        Self.write(header, text, at: place, in: &bytes)
        try Data(bytes).write(to: one)
        let later = try environment.open(storage: storage)
        let consumer = try #require(try later.tryElection())
        #expect(try consumer.deliverAll("collector") == [1, 3, 4].map { "{\"n\":\($0)}" })
    }

    /// Changes every frame's checksum to the one valid in another folder.
    private static func forge(_ bytes: inout [UInt8], from folder: String, to other: String) {
        let change = Checksum.salt(folder: folder, segment: 1) ^ Checksum.salt(folder: other, segment: 1)
        var offset = SegmentPreamble.size
        while offset + FrameHeader.size <= bytes.count {
            let header = bytes.withUnsafeBytes { bytes -> FrameHeader? in
                guard let base = bytes.baseAddress else { return nil }
                return FrameHeader(at: base + offset, available: bytes.count - offset)
            }
            guard let header else { return }
            withUnsafeBytes(of: (header.checksum ^ change).littleEndian) { sum in
                bytes.replaceSubrange((offset + 4)..<(offset + 8), with: sum)
            }
            offset += header.stride
        }
    }

    private static func write(_ header: FrameHeader, _ text: [UInt8], at place: Int, in bytes: inout [UInt8]) {
        var frame: [UInt8] = []
        withUnsafeBytes(of: header.length.littleEndian) { frame += $0 }
        withUnsafeBytes(of: header.checksum.littleEndian) { frame += $0 }
        withUnsafeBytes(of: header.sealedWords.0.littleEndian) { frame += $0 }
        withUnsafeBytes(of: header.sealedWords.1.littleEndian) { frame += $0 }
        frame += text
        bytes.replaceSubrange(place..<(place + frame.count), with: frame)
    }

    @Test
    func `swapped, modified and truncated small files are damaged and never decrypted`() throws {
        let folder = try TemporaryFolder()
        let storage = EncryptedStorage.keyed(TestKey.first, in: folder.path)
        let (one, other) = (folder.path + "/one", folder.path + "/other")
        try storage.replace(one, with: Array("first".utf8), durably: false)
        try storage.replace(other, with: Array("second".utf8), durably: false)
        #expect(try storage.contents(of: one) == Array("first".utf8))
        let bytes = try #require(try DiskStorage().contents(of: one))
        try DiskStorage().replace(other, with: bytes, durably: false)
        #expect(try storage.contents(of: other) == bytes)
        for index in bytes.indices {
            var flipped = bytes
            flipped[index] ^= 1
            try DiskStorage().replace(one, with: flipped, durably: false)
            // If one of the first eight bytes changes, the file no longer counts as encrypted. It is never decrypted.
            #expect(try storage.contents(of: one) == flipped, "\(index)")
            try DiskStorage().replace(one, with: Array(bytes[..<index]), durably: false)
            #expect(try storage.contents(of: one) == Array(bytes[..<index]), "\(index)")
        }
    }

    @Test
    func `writing the same content or segment twice never produces the same bytes`() throws {
        let folder = try TemporaryFolder()
        let storage = EncryptedStorage.keyed(TestKey.first, in: folder.path)
        var seen: Set<[UInt8]> = []
        for _ in 0..<20 {
            try storage.overwrite(folder.path + "/one", with: Array("same".utf8))
            let bytes = try #require(try DiskStorage().contents(of: folder.path + "/one"))
            #expect(seen.insert(Array(bytes[16..<48])).inserted)
        }
        // A log whose files were all removed starts at the same number again.
        var nonces: Set<[UInt8]> = []
        for _ in 0..<3 {
            let log = try SegmentedLog(folder: folder.path + "/set-aside", storage: storage)
            for _ in 0..<5 {
                _ = try Array("same".utf8).withUnsafeBytes { try log.append(kind: .deadLetter, payload: $0) }
            }
            log.close()
            let path = folder.path + "/set-aside/00000001.segment"
            let bytes = Array(try Data(contentsOf: URL(filePath: path)))
            var reader = LogReader(folder: folder.path + "/set-aside", storage: storage)
            while let entry = try reader.next() {
                let start = Int(entry.start.offset) + 28
                #expect(nonces.insert(Array(bytes[start..<(start + 12)])).inserted)
            }
            try FileManager.default.removeItem(atPath: path)
        }
        #expect(nonces.count == 18)
    }

    @Test
    func `a marker that overwrites an earlier one has a different nonce`() throws {
        let memory = MemoryStorage()
        let storage = EncryptedStorage.keyed(TestKey.first, in: "/j", memory)
        try storage.makeFolder("/j/log")
        let file = try storage.makeSegment("/j/log/00000001.segment", bytes: 4096)
        let keys = try #require(storage.keys)
        let encryptor = try FrameEncryptor(keys, folder: "/j/log", segment: 1)
        let appender = SegmentAppender(number: 1, file: file, salt: 7, encryptor: encryptor)
        var writer = try #require(appender)
        var nonces: Set<[UInt8]> = []
        for number in 1...10 {
            writer.writeMarker(DroppedRange(sequences: 1...UInt64(number), reason: .storageFull))
            let place = writer.capacity + (number % 2 == 1 ? 0 : 96)
            nonces.insert(Array(file.memory[(place + 28)..<(place + 40)]))
        }
        #expect(nonces.count == 10)
    }
}
