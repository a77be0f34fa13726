// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import CollectorTesting
internal import Testing
internal import TrackwayCore
internal import TrackwayJournal
internal import TrackwayTesting

@testable import CollectorCore

@Suite("The erasure key")
struct ErasureKeyTests {
    private static let path = "/data/erasure.key"

    private static func storage() throws -> MemoryStorage {
        let storage = MemoryStorage()
        storage.makeFolder("/data")
        try storage.synchronizeFolder("/")
        return storage
    }

    private static func open(_ storage: any JournalStorage, seed: UInt64 = 5) throws -> ErasureKey {
        var random = SeededNumberGenerator(seed: seed)
        return try ErasureKey.open(path, storage: storage, randomUInt64: { random.next() })
    }

    @Test
    func `a missing key file is created durably, and read back later`() throws {
        let storage = try Self.storage()
        let key = try Self.open(storage)
        #expect(storage.contents(of: Self.path) == Array((key.text + "\n").utf8))
        #expect(key.text.count == 64 && Set(key.text).count > 8)
        #expect(try Self.open(storage, seed: 6) == key)
        #expect(try Self.open(storage.afterPowerLoss(), seed: 7) == key)
    }

    @Test
    func `different random bits make different keys`() throws {
        #expect(try Self.open(Self.storage(), seed: 1) != Self.open(Self.storage(), seed: 2))
    }

    @Test(arguments: ["\n", "", " \r\n\t"])
    func `white space around the key is ignored`(_ space: String) throws {
        let storage = try Self.storage()
        let text = ErasureReceiptTests.key.text
        try storage.replace(Self.path, with: Array((space + text + space).utf8), durably: true)
        #expect(try Self.open(storage) == ErasureReceiptTests.key)
    }

    @Test(arguments: ["", "secret", String(repeating: "0", count: 62), String(repeating: "g", count: 64)])
    func `a file without a key throws an error that names it, and is not changed`(_ text: String) throws {
        let storage = try Self.storage()
        try storage.replace(Self.path, with: Array(text.utf8), durably: true)
        let error = #expect(throws: ErasureError.self) { try Self.open(storage) }
        #expect(error?.description.hasPrefix("\(Self.path) contains no erasure key. Restore the file") == true)
        #expect(storage.contents(of: Self.path) == Array(text.utf8))
    }

    @Test(arguments: [StorageOperation.contents, .create])
    func `a disk failure throws an error, and no key is used`(_ operation: StorageOperation) throws {
        let storage = FaultyStorage(try Self.storage())
        storage.fail(operation, with: .inputOutput)
        #expect(throws: StorageError.self) { try Self.open(storage) }
    }

    @Test
    func `the hashes of a user and of an installation differ, even for equal texts`() {
        let key = ErasureReceiptTests.key
        let id = SentBatch.installation(1)
        #expect(key.hash(user: id.description) != key.hash(installation: id))
        #expect(key.hash(user: "anna") != key.hash(user: "bob"))
        #expect(key.hash(user: "anna") != ErasureKey(randomUInt64: { 1 }).hash(user: "anna"))
        // Computed with another implementation of HMAC-SHA-256.
        #expect(
            key.hash(user: "anna").description == "e95a377db3c881a1a2fca48a3504e058d4cce835e93336e7f70595d105b82cac"
        )
        #expect(key.fingerprint == "c8f5c08e6fb0b482" && !key.text.contains(key.fingerprint))
    }

    @Test
    func `keys and hashes are read from exactly 64 lowercase digits`() {
        let key = ErasureReceiptTests.key
        let hash = key.hash(user: "anna")
        #expect(ErasureKey(key.text) == key && IdentityHash(hash.description) == hash)
        #expect(IdentityHash(bytes: hash.bytes) == hash && IdentityHash(bytes: [1]) == nil)
        let text = hash.description
        for other in [text.uppercased(), String(text.dropLast()), text + "00", "+" + text.dropFirst()] {
            #expect(ErasureKey(other) == nil && IdentityHash(other) == nil, "\(other)")
        }
    }
}
