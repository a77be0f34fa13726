// SPDX-License-Identifier: Apache-2.0
// Copyright 2026 the Trackway authors

import Testing
import TrackwayPlatform
import TrackwayTesting

@testable import TrackwayJournal

/// The encrypted formats to the byte, with salts that a test hands in. The texts were made by a program of another language from
/// `Documentation/JournalFormat.md` alone.
@Suite("The encrypted formats do not change")
struct EncryptedFormatTests {
    private static let segment =
        "545241434b57415902000000df25963b3800000017b4962b040200000000000000000000000000008686d10aa7a6a5a4"
        + "a3a2a1a001000000352f33b7f241c492689cb622520f5c3647000000c12c2b8b06020000000000000100000000000000"
        + "8686d10aa7a6a5a4a3a2a1a0020000000a4e5a62e4652143d1c978c4b7cb008f8e12c677d7e334886386467998ad3000"
        + "380000000d851e7e050200000000000001000000000000008686d10aa7a6a5a4a3a2a1a003000000447c52a30950371c"
        + "80bf27fe83932b18"
    private static let file =
        "545241434b454e43010000008686d10aa0a1a2a3a4a5a6a7a8a9aaabacadaeafb0b1b2b3b4b5b6b7b8b9babbbcbdbebf"
        + "806a5e82ac3b84d10fc777ef1171520936c6887eeebaf8b53f5624d13a1614f366"

    private let memory = MemoryStorage()
    private var storage: EncryptedStorage {
        let keys = FolderKeys(.key(TestKey.first), cipher: SystemCipher.make) { count in
            (0..<count).map { 0xA0 + UInt8($0) }
        }
        return EncryptedStorage(memory, root: "/j", keys: keys)
    }

    private static func digits(_ bytes: [UInt8]?) -> String {
        (bytes ?? []).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    @Test("a segment: origin, one record, seal")
    func segment() throws {
        let log = try SegmentedLog(folder: "/j/set-aside", storage: storage)
        _ = try Array("{\"name\":\"hush\"}".utf8).withUnsafeBytes { try log.append(kind: .deadLetter, payload: $0) }
        log.close()
        #expect(Self.digits(memory.contents(of: "/j/set-aside/00000001.segment")) == Self.segment)
    }

    @Test("a small file")
    func file() throws {
        try storage.makeFolder("/j")
        try storage.replace("/j/settings", with: Array("{\"version\":1}".utf8), durably: false)
        #expect(Self.digits(memory.contents(of: "/j/settings")) == Self.file)
        #expect(try storage.contents(of: "/j/settings") == Array("{\"version\":1}".utf8))
    }

    @Test("a key's id is the first four bytes of a hash")
    func id() {
        #expect(TestKey.first.id == "0ad18686")
    }
}
