// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Foundation
import Testing
import TrackwayCore
import TrackwayPlatform

@testable import TrackwayJournal

@Suite("Keys that are wrong, missing, or changed")
struct EncryptionKeyTests {
    /// Returns the contents of all files below a folder except locks.
    private static func contents(of root: String) throws -> [String: Data] {
        let names = try #require(FileManager.default.enumerator(atPath: root)).compactMap { $0 as? String }
        var contents: [String: Data] = [:]
        for name in names where !name.hasSuffix("lock") {
            contents[name] = FileManager.default.contents(atPath: root + "/" + name)
        }
        return contents
    }

    private static func record(
        _ range: ClosedRange<Int>,
        in environment: JournalEnvironment,
        _ storage: any JournalStorage
    ) throws {
        environment.clock.advance(.milliseconds(3))
        let journal = try environment.open(storage: storage)
        for number in range { journal.append("{\"n\":\(number)}") }
        journal.close()
    }

    private static func numbers(_ range: ClosedRange<Int>) -> [String] { range.map { "{\"n\":\($0)}" } }

    @Test
    func `a folder whose key is missing is rejected with the key's id, and its small files stay unchanged`() throws {
        let environment = try JournalEnvironment()
        let root = environment.folder.path
        try Self.record(1...5, in: environment, EncryptedStorage.keyed(TestKey.first, in: root))
        let before = try Self.contents(of: root)
        for storage in [EncryptedStorage.keyed(TestKey.second, in: root), EncryptedStorage.unkeyed(in: root)] {
            let error = #expect(throws: StorageError.self) { try storage.prepare() }
            #expect(error?.code == .encrypted)
            #expect(error?.description.contains(TestKey.first.id) == true)
            #expect(throws: JournalError.self) { _ = try environment.open(storage: storage) }
        }
        #expect(
            try Self.contents(of: root).filter { !$0.key.hasPrefix("writers/") }
                == before.filter { !$0.key.hasPrefix("writers/") }
        )
        #expect(throws: JournalError.self) {
            var reader = LogReader(folder: root + "/writers/" + (try DiskStorage().names(in: root + "/writers")[0]))
            _ = try reader.next()
        }
        let storage = EncryptedStorage.keyed(TestKey.first, in: root)
        try storage.prepare()
        let journal = try environment.open(storage: storage)
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == Self.numbers(1...5))
    }

    @Test
    func `unencrypted events are delivered with the rest, and small files are encrypted when a key is first given`()
        throws
    {
        let environment = try JournalEnvironment()
        let root = environment.folder.path
        try Self.record(1...5, in: environment, DiskStorage())
        let storage = EncryptedStorage.keyed(TestKey.first, in: root)
        try storage.prepare()
        for (name, bytes) in try Self.contents(of: root) where !bytes.isEmpty && !name.hasSuffix("segment") {
            #expect(bytes.starts(with: Data("TRACKENC".utf8)), "\(name)")
        }
        try Self.record(6...9, in: environment, storage)
        let journal = try environment.open(storage: storage)
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == Self.numbers(1...9))
        #expect(try journal.ledger().destinations["collector"]?.pending == 0)
    }

    @Test
    func `after a key change, data written with the old key is readable, and new data needs only the new key`() throws {
        let environment = try JournalEnvironment()
        let root = environment.folder.path
        let first = EncryptedStorage.keyed(TestKey.first, in: root)
        try Self.record(1...5, in: environment, first)
        let both = EncryptedStorage.keyed(TestKey.second, previous: [TestKey.first], in: root)
        try both.prepare()
        try Self.record(6...9, in: environment, both)
        let journal = try environment.open(storage: both)
        let consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == Self.numbers(1...9))
        consumer.close()
        journal.close()
        // Nothing that needs the first key is left.
        let second = EncryptedStorage.keyed(TestKey.second, in: root)
        try second.prepare()
        try Self.record(10...12, in: environment, second)
        let later = try environment.open(storage: second)
        let next = try #require(try later.tryElection())
        #expect(try next.deliverAll("collector") == Self.numbers(10...12))
        #expect(throws: StorageError.self) { try first.prepare() }
    }

    @Test
    func `a log whose key was removed too early is reported, blocks no others, and is sent once the key is back`()
        throws
    {
        let environment = try JournalEnvironment(maximumAge: .seconds(60))
        let root = environment.folder.path
        try Self.record(1...5, in: environment, EncryptedStorage.keyed(TestKey.first, in: root))
        let both = EncryptedStorage.keyed(TestKey.second, previous: [TestKey.first], in: root)
        try both.prepare()
        let second = EncryptedStorage.keyed(TestKey.second, in: root)
        try Self.record(6...9, in: environment, second)
        environment.clock.advance(.seconds(3600))
        let journal = try environment.open(storage: second)
        var consumer = try #require(try journal.tryElection())
        #expect(try consumer.deliverAll("collector") == Self.numbers(6...9))
        for _ in 0..<3 {
            environment.clock.advance(.seconds(3600))
            try consumer.maintain(at: environment.clock.now())
            #expect(try consumer.deliverAll("collector").isEmpty)
        }
        let uncounted = try journal.ledger().uncounted
        #expect(uncounted.contains { $0.reason.contains(TestKey.first.id) })
        consumer.close()
        journal.close()
        let again = try environment.open(storage: both)
        consumer = try #require(try again.tryElection())
        #expect(try consumer.deliverAll("collector") == Self.numbers(1...5))
    }

    @Test
    func `erasing removes data whose key is missing`() throws {
        let environment = try JournalEnvironment()
        let root = environment.folder.path
        try Self.record(1...5, in: environment, EncryptedStorage.keyed(TestKey.first, in: root))
        try EncryptedStorage.keyed(TestKey.second, previous: [TestKey.first], in: root).prepare()
        let journal = try environment.open(storage: EncryptedStorage.keyed(TestKey.second, in: root))
        let left = try DiskStorage().names(in: root + "/writers").sorted()[0]
        _ = try journal.erase()
        #expect(try !DiskStorage().names(in: root + "/writers").contains(left))
        #expect(try journal.ledger().destinations["collector"]?.pending == 0)
    }

    @Test
    func `two processes with the same key share one installation`() throws {
        let environment = try JournalEnvironment()
        let root = environment.folder.path
        let one = try environment.open(storage: EncryptedStorage.keyed(TestKey.first, in: root))
        environment.clock.advance(.milliseconds(3))
        let other = try environment.open(storage: EncryptedStorage.keyed(TestKey.first, in: root))
        #expect(one.installation == other.installation)
        one.append("{\"n\":1}")
        other.append("{\"n\":2}")
        let consumer = try #require(try one.tryElection())
        #expect(try consumer.deliverAll("collector") == Self.numbers(1...2))
        #expect(try other.ledger().destinations["collector"]?.delivered == 2)
    }

    @Test
    func `a key's description reveals only a short hash`() throws {
        let key = EncryptionKey(Array("0123456789abcdef0123456789abcdef".utf8))
        for text in ["\(key)", String(reflecting: key), "\(Encryption.key(key))"] {
            #expect(!text.contains("48, 49") && !text.contains("0123456789abcdef"))
        }
        var dumped = ""
        dump(Encryption.key(key), to: &dumped)
        #expect(dumped.contains(key.id) && !dumped.contains("48"))
        #expect(try EncryptionKey.generate() != EncryptionKey.generate())
    }
}
