// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

internal import Testing
internal import TrackwayCore
internal import TrackwayTesting

@testable import CollectorCore

struct KeyTests {
    private static let path = "/data/keys"
    private let storage = MemoryStorage()
    private var random = SplitMix(state: 7)

    init() {
        storage.makeFolder("/data")
    }

    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (String(repeating: "a", count: 1_000), "41edece42d63e8d9bf515a9ba6932e1c20cbc9f5a5d134645adb5db1b9737ea3"),
    ])
    func `digests match the standard's test vectors`(_ text: String, _ expected: String) {
        #expect(KeyDigest(of: text).hexadecimal == expected)
        #expect(KeyDigest(hexadecimal: expected) == KeyDigest(of: text))
    }

    @Test
    mutating func `a key works from its creation until it is revoked, even in another process`() throws {
        let keys = try KeyFile(path: Self.path, storage: storage)
        let running = try KeyFile(path: Self.path, storage: storage)
        let key = try keys.create(
            name: "shop",
            scopes: [.write],
            at: Timestamp(milliseconds: 5),
            using: &random
        )
        #expect(keys.grant(for: key) == KeyGrant(name: "shop", scopes: [.write]))
        #expect(running.grant(for: key) == nil)
        try running.reload()
        #expect(running.grant(for: key) != nil)
        #expect(running.grant(for: key + "x") == nil)
        try keys.revoke(name: "shop")
        try running.reload()
        #expect(running.grant(for: key) == nil)
    }

    @Test
    mutating func `the file contains no key`() throws {
        let keys = try KeyFile(path: Self.path, storage: storage)
        let key = try keys.create(
            name: "shop",
            scopes: [.write, .read],
            at: Timestamp(milliseconds: 5),
            using: &random
        )
        #expect(key.hasPrefix("tw_wr_") && key.utf8.count == 58)
        let text = String(decoding: try #require(storage.contents(of: Self.path)), as: UTF8.self)
        #expect(!text.contains(key.dropFirst(6)))
        #expect(text.contains("shop write+read 5 \(KeyDigest(of: key).hexadecimal)\n"))
        let again = try KeyFile(path: Self.path, storage: storage)
        #expect(again.records == keys.records)
    }

    @Test
    mutating func `a broken file does not affect a running collector, and the error names its line`() throws {
        let keys = try KeyFile(path: Self.path, storage: storage)
        let key = try keys.create(
            name: "shop",
            scopes: [.write],
            at: Timestamp(milliseconds: 5),
            using: &random
        )
        try storage.replace(Self.path, with: Array("# fine\nbroken line\n".utf8), durably: true)
        let error = #expect(throws: KeyFileError.self) { try keys.reload() }
        #expect(error?.code == .malformed && error?.message.contains("line 2") == true)
        #expect(keys.grant(for: key) != nil)
    }

    @Test
    mutating func `names must be unique and simple`() throws {
        let keys = try KeyFile(path: Self.path, storage: storage)
        _ = try keys.create(name: "a", scopes: [.read], at: Timestamp(milliseconds: 0), using: &random)
        for (name, code) in [("a", KeyFileError.Code.nameTaken), ("a b", .nameInvalid), ("", .nameInvalid)] {
            let error = #expect(throws: KeyFileError.self) {
                var random = SplitMix(state: 1)
                _ = try keys.create(name: name, scopes: [.read], at: Timestamp(milliseconds: 0), using: &random)
            }
            #expect(error?.code == code)
        }
        let error = #expect(throws: KeyFileError.self) { try keys.revoke(name: "b") }
        #expect(error?.code == .unknown)
    }

    @Test
    mutating func `a key gives access to its accounts, even in another process, and no account belongs to two keys`()
        throws
    {
        let keys = try KeyFile(path: Self.path, storage: storage)
        let accounts: [VendorAccount] = [.clickstreamApp("shopping"), .sensorsProject("production")]
        _ = try keys.create(
            name: "shop",
            scopes: [.write],
            accounts: accounts,
            at: Timestamp(milliseconds: 5),
            using: &random
        )
        let running = try KeyFile(path: Self.path, storage: storage)
        for account in accounts { #expect(running.grant(for: account)?.name == "shop") }
        #expect(running.grant(for: .sensorsProject("shopping")) == nil)
        #expect(running.records.first?.accounts == accounts)
        let error = #expect(throws: KeyFileError.self) {
            _ = try keys.create(
                name: "other",
                scopes: [.write],
                accounts: [.clickstreamApp("shopping")],
                at: Timestamp(milliseconds: 6),
                using: &random
            )
        }
        #expect(error?.code == .accountTaken)
        try keys.revoke(name: "shop")
        try running.reload()
        #expect(running.grant(for: .clickstreamApp("shopping")) == nil)
        let developing = try KeyFile(path: Self.path, storage: storage, developmentKey: "dev")
        #expect(developing.grant(for: .sensorsProject("anything"))?.name == "development")
    }

    @Test(arguments: ["clickstream=", "clickstream", "other=a", "sensors=a b", "sensors=ä"])
    func `a line with an invalid account is rejected`(_ word: String) {
        let digest = String(repeating: "0", count: 64)
        #expect(KeyRecord(line: "shop write 5 \(digest) \(word.replacing(" ", with: "%"))") == nil)
        #expect(KeyRecord(line: "shop write 5 \(digest)") != nil)
    }

    @Test
    mutating func `a key's limits are stored in the file; a line without limits has none`() throws {
        let keys = try KeyFile(path: Self.path, storage: storage)
        let limits = KeyLimits(requestsPerSecond: 50, eventsPerDay: 1_000_000)
        let key = try keys.create(
            name: "shop",
            scopes: [.write],
            accounts: [.siftAccount("a")],
            limits: limits,
            at: Timestamp(milliseconds: 5),
            using: &random
        )
        let running = try KeyFile(path: Self.path, storage: storage)
        #expect(running.grant(for: key)?.limits == limits)
        #expect(running.grant(for: key)?.accounts == [.siftAccount("a")])
        #expect(running.grant(for: .siftAccount("a"))?.limits == limits)
    }

    @Test(arguments: [
        "rate=0", "rate=-1", "rate=", "rate", "rate=1.5", "daily=x", "daily=99999999999999999999", "other=1",
    ])
    func `a line with an invalid limit is rejected`(_ word: String) {
        let digest = String(repeating: "0", count: 64)
        #expect(KeyRecord(line: "shop write 5 \(digest) \(word)") == nil)
        #expect(KeyRecord(line: "shop write 5 \(digest) rate=1 daily=2")?.limits.eventsPerDay == 2)
    }

    @Test
    func `a development key allows everything and is not in the file`() throws {
        let keys = try KeyFile(path: Self.path, storage: storage, developmentKey: "dev")
        #expect(keys.grant(for: "dev")?.scopes == Set(KeyScope.allCases))
        #expect(storage.contents(of: Self.path) == nil)
    }
}

/// A seeded random number generator.
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }
}
